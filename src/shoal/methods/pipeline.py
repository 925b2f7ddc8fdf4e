"""Pipelines: methods one after the other, `MatchDegrees(5) >> HideNeighbors(5)`. Each promise is verified at the end.

The paper recommends to combine (k,l)-anonymity with k-degree anonymity. A later step may break what an earlier one
promised, so the steps are taken again until all promises hold at once, or it is said that they do not. Two promises
that hold are not a promise about whoever knows both: that one is measured, and promised only if asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any, ClassVar

from shoal.core.edge_diff import count_edits
from shoal.data.convert import as_graph
from shoal.data.graph import Graph
from shoal.errors import BadParameter, BrokenPromise, CannotPromise, must, whole
from shoal.methods.base import ATTRIBUTES_STAY, Method, WorksOn
from shoal.methods.links.hide_neighbors.search import UNCHANGED
from shoal.methods.links.raise_l import update_radius
from shoal.release.guarantee import AnyPromise, Promise, RadiusPromise, Reason
from shoal.release.release import Release
from shoal.release.verify import verify_release
from shoal.risk.assess import Risk, assess

K_BY = "k by "
"""Begins the name of what knowing several things at once leaves."""
APART = "Each promise holds by itself, not for whoever knows both at once:"


@dataclass(frozen=True)
class Pipeline(Method):
    """Take several methods that change links one after the other, until the promises of all of them hold at once.

    Written with `>>`. A round takes every step; where the result breaks a promise of an earlier step another round
    follows, from what the last one made. Steps that promise nothing, such as noise, are taken in the first round only.
    After `rounds` of them, or when a round changes nothing, the pipeline fails and says which promise does not hold.

    Parameters
    ----------
    steps
        The methods, in their order.
    together
        Also promise that whoever knows what all steps are about, at the same time, is left with k candidates. Holding
        each promise does not give this (see the example), and few pipelines reach it; otherwise it is only measured.
    rounds
        How often to start again.

    Examples
    --------
    In a square with a diagonal there are two vertices of each degree, and two neighbors of each vertex are left to
    whoever knows one. Whoever knows the degree and a neighbor finds whom he looks for:

    >>> import networkx as nx, shoal
    >>> square = nx.cycle_graph(4)
    >>> square.add_edge(0, 2)
    >>> both = shoal.methods.MatchDegrees(k=2) >> shoal.methods.HideNeighbors(k=2)
    >>> release = both(square)
    >>> len(release.promises), release.edits.ratio, release.measured["k by degree+neighbors:1"]
    (2, 0.0, 1)

    A path of four has both only after a change:

    >>> both(nx.path_graph(4)).edits.added
    ((0, 3),)

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """

    steps: tuple[Method, ...]
    together: bool = False
    rounds: int = 10

    shell: ClassVar[str] = "pipeline"
    works_on: ClassVar[WorksOn] = "links"
    changes: ClassVar[str] = "the links, by several methods one after the other"
    protects: ClassVar[str] = "from each attacker that one of its steps protects from"
    promises: ClassVar[str] = "what each step promises; both at once only if asked for"
    source: ClassVar[str] = "Stokes & Torra 2012, who recommend (k,l) with k-degree anonymity"

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(_flatten_steps(self.steps)))
        must(len(self.steps) >= 2, "Pipeline", "steps", "two methods or more", self.steps)
        must(isinstance(self.together, bool), "Pipeline", "together", "True or False", self.together)
        object.__setattr__(self, "rounds", whole(self.rounds, "Pipeline", "rounds", least=1))
        for step in self.steps:
            if step.works_on != "links" or step.redraws:
                what = "draws all links anew" if step.redraws else "changes columns"
                raise BadParameter(
                    f"Pipeline: each step must be a method that changes some of the links. Got {type(step).__name__}, "
                    f"which {what}. Take it by itself."
                )

    @classmethod
    def reason_to_publish(cls, measure: str) -> Reason | None:
        """Let be told what knowing several things at once leaves: it is counted in the release."""
        return "release" if measure.startswith(K_BY) else None

    @property
    def keeps_vertices(self) -> bool:
        """Whether every step does."""
        return all(step.keeps_vertices for step in self.steps)

    def __call__(self, data: Any) -> Release:
        """Return a graph in which the promises of all steps hold."""
        original = graph = as_graph(data)
        broken, first = None, self._take_steps(graph, self.steps)
        made = first
        for done in range(1, self.rounds + 1):
            try:
                return verify_release(self._make_release(original, first, made, done))
            except BrokenPromise as error:
                broken = error
            if done > 1 and made[-1].data == graph:
                break
            graph = as_graph(made[-1].data)
            # what promises nothing is not done again: noise would only become more
            made = self._take_steps(graph, tuple(step for step in self.steps if step.promises != "nothing"))
        raise CannotPromise(
            f"Pipeline: all promises must hold in the end, and after {done} {'round' if done == 1 else 'rounds'} one "
            f"does not: {broken} {self._advise()}"
        ) from broken

    def _advise(self) -> str:
        whole = "EqualizeRows(k) promises equal rows, which cover what is known about several kinds of links at once."
        return f"Leave out together (--together). {whole}" if self.together else f"Take other steps. {whole}"

    def _take_steps(self, graph: Graph, steps: tuple[Method, ...]) -> list[Release]:
        """Return what each step made of what the one before it made."""
        made: list[Release] = []
        for step in steps:
            made.append(step(made[-1].data if made else graph))
        return made

    def _make_release(self, original: Graph, first: list[Release], made: list[Release], rounds: int) -> Release:
        """Return what came out with all promises, not yet verified; seeds and notes are those of the first round."""
        graph = as_graph(made[-1].data)
        promises: tuple[AnyPromise, ...] = tuple(
            dict.fromkeys(promise for release in first for promise in release.promises)
        )
        promises = tuple(update_radius(p, graph) if isinstance(p, RadiusPromise) and graph.n else p for p in promises)
        measured: dict[str, Any] = {"rounds": rounds}
        if graph.names == original.names:
            measured["edits"] = count_edits(original, graph)
        both = _combine_promises(promises)
        apart: list[str] = []
        if both is not None:
            risk = assess(graph, both.knowledge)
            measured[f"{K_BY}{both.knowledge.spec}"] = risk.k if risk.exact else f"<= {risk.k}"
            promises += (both,) * self.together
            apart = _warn_of_intersections(risk, both)
        elif self.together:
            raise CannotPromise(
                "Pipeline: 'together' must join promises of different knowledge, for everybody in the release. "
                f"Got {', '.join(type(promise).__name__ for promise in promises)} that cannot be joined. Leave it out."
            )
        notes = (*_collect_notes(original, graph, first), *apart)
        seeds = tuple(seed for r in first for seed in (r.seed if isinstance(r.seed, tuple) else (r.seed,)))
        return Release(original, graph, promises, self, seed=seeds, measured=measured, notes=notes)


def _warn_of_intersections(risk: Risk, both: Promise) -> list[str]:
    """Say whom knowing all at once leaves fewer candidates, where there is somebody or it cannot be excluded."""
    few = int((risk.sizes < both.k).sum())
    if not few and risk.proved_sizes.all():
        return []
    least = "" if risk.proved_sizes.all() else ">= "
    return [f"{APART} {both.knowledge.spec} leaves {least}{few:,} of {len(risk.sizes):,} fewer than {both.k:,}."]


def _collect_notes(original: Graph, graph: Graph, made: list[Release]) -> tuple[str, ...]:
    """Return the notes of all steps but those that only hold for one of them by itself."""
    alone = {UNCHANGED, *(note for r in made for note in r.method.alone if any(other.promises for other in made))}
    told = [note for release in made for note in release.notes if note not in alone]
    stay = [ATTRIBUTES_STAY] if len(original.attributes) else []
    same = [UNCHANGED] if graph == original else []
    return tuple(dict.fromkeys([*stay, *same, *told]))


def _flatten_steps(steps: Any) -> Iterator[Method]:
    for step in steps if isinstance(steps, tuple | list) else (steps,):
        must(isinstance(step, Method), "Pipeline", "steps", "methods, such as MatchDegrees(5)", step)
        yield from step.steps if isinstance(step, Pipeline) and not step.together else (step,)


def _combine_promises(promises: tuple[Any, ...]) -> Promise | None:
    """Return the promise about whoever knows all at once, where there is more than one kind; else None."""
    counted = [p for p in promises if isinstance(p, Promise) and p.source == "release" and p.vertices == "all"]
    kinds = tuple(dict.fromkeys(promise.knowledge for promise in counted))
    return Promise(reduce(and_, kinds), min(promise.k for promise in counted)) if len(kinds) > 1 else None
