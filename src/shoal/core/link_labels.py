"""Labels of links: a number for each entry of a graph's rows, so that loops compare links by one number.

A label is 1 or more. Without directions and kinds it is the multiplicity. With them it is the number of the tie (see
:mod:`shoal.data.ties`), as the vertex of the row sees it; the other end sees the reverse.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph


def label_links(graph: Graph) -> Ints | None:
    """Return the label of each entry of the rows; None if all are 1.

    >>> label_links(Graph.from_pairs("abc", [0, 1], [1, 2], directed=True)).tolist()  # 1: to, 2: from
    [1, 2, 1, 2]
    """
    if graph.ties is None:
        return graph.multiplicity
    return graph.ties.codes + np.int32(1)


@dataclass(frozen=True, eq=False)
class LinkKinds:
    """Labels as numbers that say whether both ends see a link alike: an edge is 1, 2, ..., an arc -1, -2, ..."""

    number: Ints
    """The number of each label. A label and its reverse have the same number."""
    turned: Bools
    """For each label, whether the arc leads from the other end."""

    @classmethod
    def of(cls, graph: Graph) -> LinkKinds | None:
        """Number the labels of a graph, edges by decreasing frequency; None if labels are numbers of edges already.

        >>> kinds = LinkKinds.of(Graph.from_pairs("abc", [0, 1, 1], [1, 0, 2], directed=True))
        >>> kinds.number[1:].tolist(), kinds.turned[1:].tolist()  # to; to and from; from
        ([-1, 1, -1], [False, False, True])
        """
        if graph.ties is None:
            return None
        reverse = np.concatenate([[0], graph.ties.reverse.astype(np.int64) + 1])
        counts = np.bincount(graph.ties.codes + 1, minlength=len(reverse))
        least = np.minimum(reverse, np.arange(len(reverse)))
        number = np.zeros(len(reverse), dtype=np.int64)
        alike, arcs = np.flatnonzero(reverse == np.arange(len(reverse)))[1:], np.flatnonzero(least < reverse)
        number[alike[np.argsort(-counts[alike], kind="stable")]] = np.arange(1, len(alike) + 1)
        number[arcs] = -np.arange(1, len(arcs) + 1)
        return cls(number[least], least < np.arange(len(reverse)))

    @property
    def edges(self) -> Ints:
        """The labels that both ends see alike, the most frequent first."""
        found = np.flatnonzero(self.number > 0)
        return found[np.argsort(self.number[found])]

    def orient(self, links: Ints) -> Ints:
        """Turn rows (i, j, label that i sees) into rows (i, j, number), in which arcs lead from i to j."""
        ends = np.where(self.turned[links[:, 2]][:, None], links[:, 1::-1], links[:, :2])
        return np.column_stack([ends, self.number[links[:, 2]]])
