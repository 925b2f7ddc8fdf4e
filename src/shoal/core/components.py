"""Connected components of a graph."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Ints


def find_components(n: int, a: Ints, b: Ints) -> Ints:
    """Return the number of the connected component of each of n vertices, with links between a[i] and b[i].

    >>> find_components(5, np.array([0, 3]), np.array([2, 4])).tolist()
    [0, 1, 0, 2, 2]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(n, n))
    found: Ints = connected_components(links, directed=False)[1].astype(np.int64)
    return found
