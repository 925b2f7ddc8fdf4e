"""Pipelines: several methods in sequence, such as `MatchDegrees(5) >> HideNeighbors(5)`.

Stokes & Torra (2012) recommend to combine (k,l)-anonymity with k-degree anonymity. A later step may break the guarantee
of an earlier one. So the steps run again until all guarantees hold in the final graph, or the pipeline fails. Two
guarantees do not cover an attacker who knows both facts at once: that case is measured, and guaranteed on request.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_
from typing import Any, ClassVar

import numpy as np

from shoal.core.edge_diff import count_edits
from shoal.data.dataset import as_graph
from shoal.data.graph import Graph
from shoal.errors import BadParameter, BrokenPromise, CannotPromise, must, whole
from shoal.methods.base import ATTRIBUTES_STAY, Method, WorksOn
from shoal.methods.classes import LINKS_STAY, InsideClasses
from shoal.methods.links.hide_neighbors.search import UNCHANGED
from shoal.methods.links.raise_l import update_radius
from shoal.release.guarantee import AnyPromise, PartialPromise, Promise, RadiusPromise, Reason
from shoal.release.release import Release
from shoal.release.verify import find_at_risk, verify_release
from shoal.risk.assess import Risk, assess

K_AGAINST = "k against "
"""The first words of a measure: k against an attacker who knows several facts at once."""
APART = "Each guarantee holds by itself, not against an attacker who knows both facts at once:"


@dataclass(frozen=True)
class Pipeline(Method):
    """Run several methods in sequence on a network, until the guarantees of all of them hold at once.

    Write it with `>>`. A round runs every step. If the result breaks the guarantee of an earlier step, another round
    starts from that result. Steps without a guarantee, such as noise, and steps that recode columns run in the first
    round only. The pipeline fails after `rounds` rounds, or when a round changes nothing, and names the guarantee that
    does not hold.

    Parameters
    ----------
    steps
        The methods, in order: those that change some of the links, and those that recode columns (Mondrian, Recode
        and HideColumns).
    together
        Also guarantee k candidates against an attacker who knows the facts of all steps at once. The single guarantees
        do not imply this (see the example), and few pipelines reach it. By default it is only measured.
    rounds
        The maximum number of rounds.

    Examples
    --------
    A square with a diagonal has two vertices of each degree, and one known neighbor leaves two candidates. An attacker
    who knows the degree and a neighbor of a vertex identifies it:

    >>> import networkx as nx, shoal
    >>> square = nx.cycle_graph(4)
    >>> square.add_edge(0, 2)
    >>> both = shoal.methods.MatchDegrees(k=2) >> shoal.methods.HideNeighbors(k=2)
    >>> release = both(square)
    >>> len(release.promises), release.edits.ratio, release.measured["k against degree+neighbors:1"]
    (2, 0.0, 1)

    A path of four vertices needs one more edge for both guarantees:

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
    changes: ClassVar[str] = "links, or columns and links, by several methods in sequence"
    protects: ClassVar[str] = "each attacker that one of its steps protects against"
    promises: ClassVar[str] = "what each step guarantees; against all facts at once only with `together`"
    source: ClassVar[str] = "Stokes & Torra 2012 (k-degree anonymity with (k,l)-anonymity)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(_flatten_steps(self.steps)))
        must(len(self.steps) >= 2, "Pipeline", "steps", "two methods or more", self.steps)
        must(isinstance(self.together, bool), "Pipeline", "together", "True or False", self.together)
        object.__setattr__(self, "rounds", whole(self.rounds, "Pipeline", "rounds", least=1))
        for step in self.steps:
            if step.works_on == "both" or step.redraws or isinstance(step, InsideClasses):
                what = "draws all links again" if step.redraws else "changes columns inside classes"
                raise BadParameter(
                    "Pipeline: each step must be a method that changes some of the links or recodes columns. Got "
                    f"{type(step).__name__}, which {what}. Run it by itself."
                )

    @classmethod
    def reason_to_publish(cls, measure: str) -> Reason | None:
        """Return "release" for k against several facts at once, because it is counted in the release; else None."""
        return "release" if measure.startswith(K_AGAINST) else None

    @property
    def keeps_vertices(self) -> bool:
        """Whether every step keeps the vertices."""
        return all(step.keeps_vertices for step in self.steps)

    def __call__(self, data: Any) -> Release:
        """Return a graph in which the guarantees of all steps hold."""
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
            # steps without a guarantee run once: another round would only add noise; so do recodings, which hold
            again = (step for step in self.steps if step.promises != "nothing" and step.works_on == "links")
            made = self._take_steps(graph, tuple(again))
        raise CannotPromise(
            f"Pipeline: all guarantees must hold at the end. After {done} {'round' if done == 1 else 'rounds'} one "
            f"does not: {broken} {self._advise()}"
        ) from broken

    def _advise(self) -> str:
        whole = "Or use EqualizeRows(k): equal rows cover several facts about links at once."
        return f"Leave out together (--together). {whole}" if self.together else f"Choose other steps. {whole}"

    def _take_steps(self, graph: Graph, steps: tuple[Method, ...]) -> list[Release]:
        """Run each step on the result of the step before. Return all results."""
        made: list[Release] = []
        for step in steps:
            made.append(step(made[-1].data if made else graph))
        return made

    def _make_release(self, original: Graph, first: list[Release], made: list[Release], rounds: int) -> Release:
        """Return the result with all guarantees, not yet verified. Seeds and notes are those of the first round."""
        graph = as_graph(made[-1].data)
        promises: tuple[AnyPromise, ...] = tuple(
            dict.fromkeys(promise for release in first for promise in release.promises)
        )
        promises = tuple(_update_promise(p, graph) for p in promises)
        measured: dict[str, Any] = {"rounds": rounds}
        if graph.names == original.names:
            measured["edits"] = count_edits(original, graph)
        both = _combine_promises(promises)
        apart: list[str] = []
        if both is not None:
            risk = assess(graph, both.knowledge)
            measured[f"{K_AGAINST}{both.knowledge.spec}"] = risk.k if risk.exact else f"<= {risk.k}"
            promises += (both,) * self.together
            apart = _warn_of_intersections(risk, both)
        elif self.together:
            raise CannotPromise(
                "Pipeline: 'together' must combine guarantees against different knowledge, for all vertices of the "
                f"release. Got {', '.join(type(promise).__name__ for promise in promises)}, which cannot be combined. "
                "Leave it out."
            )
        notes = (*_collect_notes(original, graph, first), *apart)
        seeds = tuple(seed for r in first for seed in (r.seed if isinstance(r.seed, tuple) else (r.seed,)))
        return Release(original, graph, promises, self, seed=seeds, measured=measured, notes=notes)


def _update_promise(promise: AnyPromise, graph: Graph) -> AnyPromise:
    """Return a guarantee with the number that readers count in the last graph; a broken one stays as it is.

    A number of an earlier graph, which is not published, would tell something about that graph.
    """
    if isinstance(promise, RadiusPromise):
        return update_radius(promise, graph) if graph.n else promise
    if isinstance(promise, PartialPromise) and promise.of == graph.n:
        safe = int(np.count_nonzero(~find_at_risk(graph, promise.knowledge, promise.k)))
        return replace(promise, protected=max(promise.protected, safe))
    return promise


def _warn_of_intersections(risk: Risk, both: Promise) -> list[str]:
    """Return a note if knowing all facts at once leaves, or may leave, some vertices with fewer than k candidates."""
    few = int((risk.sizes < both.k).sum())
    if not few and risk.exact_sizes.all():
        return []
    least = "" if risk.exact_sizes.all() else ">= "
    people = f"{least}{few:,} of {len(risk.sizes):,} vertices"
    return [f"{APART} {both.knowledge.spec} leaves {people} with fewer than {both.k:,} candidates."]


def _collect_notes(original: Graph, graph: Graph, made: list[Release]) -> tuple[str, ...]:
    """Return the notes of all steps, except notes that hold only if a step is used by itself."""
    alone = {
        UNCHANGED,
        LINKS_STAY,
        ATTRIBUTES_STAY,
        *(note for r in made for note in r.method.alone if any(other.promises for other in made)),
    }
    told = [note for release in made for note in release.notes if note not in alone]
    covered = any(promise.columns_of(original.attributes) for release in made for promise in release.promises)
    stay = [ATTRIBUTES_STAY] if len(original.attributes) and not covered else []
    same = [UNCHANGED] if graph == original else []
    return tuple(dict.fromkeys([*stay, *same, *told]))


def _flatten_steps(steps: Any) -> Iterator[Method]:
    for step in steps if isinstance(steps, tuple | list) else (steps,):
        must(isinstance(step, Method), "Pipeline", "steps", "methods, such as MatchDegrees(5)", step)
        yield from step.steps if isinstance(step, Pipeline) and not step.together else (step,)


def _combine_promises(promises: tuple[Any, ...]) -> Promise | None:
    """Return the guarantee against all facts at once, if there are several kinds of knowledge; else None."""
    counted = [p for p in promises if isinstance(p, Promise) and p.source == "release" and p.vertices == "all"]
    kinds = tuple(dict.fromkeys(promise.knowledge for promise in counted))
    return Promise(reduce(and_, kinds), min(promise.k for promise in counted)) if len(kinds) > 1 else None
