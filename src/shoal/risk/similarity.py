"""Similarity radius: Algorithms 2 and 3 of the paper.

For each vertex they check one set of known relations; the definitions check all sets. So the result is only an upper
bound of the largest l. For k >= 2 the 2-path radius is the notion of Feder, Nabar & Terzi.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from shoal.core.exposing_sets import measure_similarity_radii
from shoal.data.arrays import Ints
from shoal.data.dataset import as_graph, refuse_ties
from shoal.data.graph import Graph
from shoal.errors import check_k, must, public
from shoal.show import as_text


@dataclass(frozen=True, eq=False, repr=False)
class SimilarityRadius:
    """The result of Algorithm 2 or 3: an upper bound of l(v) where that is finite, often far above it."""

    graph: Graph
    k: int
    similarity: str
    """"manhattan" (Algorithm 2) or "2-path" (Algorithm 3)."""
    per_vertex: Ints
    """For each vertex the k-th largest similarity of its row to another row, its own included."""

    @property
    def l(self) -> int:
        """The smallest radius. The paper takes it for the largest l; it is an upper bound of l."""
        return int(self.per_vertex.min())

    def __repr__(self) -> str:
        return as_text(self)


@public
def similarity_radius(graph: Any, k: int, similarity: Literal["manhattan", "2-path"] = "manhattan") -> SimilarityRadius:
    """Compute the similarity radius of every vertex: Algorithm 2 ("manhattan") or 3 ("2-path") of Stokes & Torra.

    The Manhattan similarity of two rows is the number of entries in which they agree. The 2-path similarity is the
    number of common neighbors. Multiplicities are ignored.

    Parameters
    ----------
    graph
        A graph, or anything that :func:`shoal.as_graph` takes.
    k
        How many vertices must be this similar, the vertex itself included.
    similarity
        "manhattan" or "2-path".

    Examples
    --------
    On a path of 4 vertices Algorithm 3 claims l = 1. But only one vertex is linked to each end, so one known neighbor
    identifies it:

    >>> import networkx as nx, shoal
    >>> path = nx.path_graph(4)
    >>> shoal.similarity_radius(path, 2, "2-path").l, shoal.levels(path, k=2).l
    (1, 0.0)

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """
    data = refuse_ties(as_graph(graph), "similarity_radius")
    k = check_k("similarity_radius", k, data)
    choices = ("manhattan", "2-path")
    must(similarity in choices, "similarity_radius", "similarity", "'manhattan' or '2-path'", similarity)
    return SimilarityRadius(data, k, similarity, measure_similarity_radii(data, k, similarity))
