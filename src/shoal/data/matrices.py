"""Adjacency matrices: row i and column i are vertex i, an entry that is not 0 is a link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.names import Names
from shoal.data.pairs import Pairs
from shoal.data.rows import Ints
from shoal.errors import LARGEST, BadGraph, notice

if TYPE_CHECKING:
    import scipy.sparse

Values = np.ndarray[Any, np.dtype[Any]]


def pairs(matrix: Any, *, multigraph: bool, names: Names | None = None) -> Pairs:
    """Return the links of a square matrix of numpy or scipy.

    A symmetric matrix is undirected: entries (i, j) and (j, i) are the same edge, of that multiplicity.
    Any other is directed: each entry is a link of its own.

    >>> said = pairs(np.array([[0, 1], [1, 0]]), multigraph=False)
    >>> said.sources.tolist(), said.targets.tolist(), said.directed
    ([0], [1], '')
    """
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise BadGraph(
            f"An adjacency matrix must be square. Got the shape {matrix.shape}. "
            "To give pairs of vertices, pass a list of them: as_graph(array.tolist())."
        )
    entries = _sparse(matrix)
    _check(entries.data, multigraph)
    rows, columns = entries.nonzero()  # in the same order as the data: there are no zeros left
    values = entries.data
    directed = "" if abs(entries - entries.T).nnz == 0 else "a matrix that differs from its transpose"
    if not directed:
        once = rows <= columns
        rows, columns, values = rows[once], columns[once], values[once]
    counts = values.astype(np.int64) if multigraph else None
    n = matrix.shape[0]
    return Pairs(names or Names(range(n)), _wide(rows), _wide(columns), counts, directed=directed)


def _sparse(matrix: Any) -> scipy.sparse.csr_array[Any]:
    """Return the entries that are not zero, in a signed type, summed where one is listed twice."""
    from scipy.sparse import csr_array, issparse

    kind = matrix.dtype.kind
    if kind not in "biuf":
        raise BadGraph(f"An adjacency matrix must hold whole or real numbers. Got the type {matrix.dtype}.")
    if kind in "bu" or matrix.dtype.itemsize < 8:
        matrix = matrix.astype(np.float64 if kind == "f" else np.int64)
    entries = csr_array(matrix if issparse(matrix) else np.asarray(matrix), copy=True)
    entries.sum_duplicates()
    entries.eliminate_zeros()
    return entries


def _check(values: Values, multigraph: bool) -> None:
    strange = values[~np.isfinite(values) | (values < 0)]
    if len(strange):
        raise BadGraph(
            f"An adjacency matrix must hold finite numbers of 0 or more. Got {len(strange):,} others, "
            f"the first {strange[0]}. Set them to 0 or 1 first."
        )
    if multigraph and (values != np.floor(values)).any():
        broken = values[values != np.floor(values)]
        raise BadGraph(
            f"An adjacency matrix of a multigraph must hold whole numbers. Got {len(broken):,} others, "
            f"the first {broken[0]}. Without multigraph=True (--multigraph) each entry but 0 is an edge."
        )
    if multigraph and (values > LARGEST).any():
        raise BadGraph(f"A multiplicity must be at most {LARGEST:,}. Got {values.max()}.")
    others = int((values != 1).sum())
    if others and not multigraph:
        notice(
            f"{others:,} entries of the matrix are neither 0 nor 1; each is read as one edge. "
            "multigraph=True (--multigraph) reads whole numbers as multiplicities."
        )


def _wide(ids: Any) -> Ints:
    return np.asarray(ids, dtype=np.int64)
