"""Search for a graph close to the original in which up to l known entries of a row leave k candidates.

Classes with equal rows work for every l. For a small l fewer edits are enough, so such classes are only one of the
starts (:mod:`shoal.methods.links.hide_neighbors.starts`). From each start a walk moves towards the original through
valid graphs (:mod:`shoal.methods.links.hide_neighbors.walk`). The result with the fewest edits wins.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shoal.core.edge_diff import count_edits
from shoal.data.dataset import as_graph
from shoal.data.graph import Graph
from shoal.errors import check_k, must, notice, whole
from shoal.methods.base import ATTRIBUTES_STAY, Method, parse_effort
from shoal.methods.links.hide_neighbors.degrees import bound_edits
from shoal.methods.links.hide_neighbors.starts import Starts
from shoal.methods.links.hide_neighbors.walk import DEEPEST, Aim, Walk
from shoal.optimize.annealing import STOPPED
from shoal.progress import searching
from shoal.release.guarantee import Promise
from shoal.release.release import Release
from shoal.release.verify import verify_release
from shoal.risk.assess import assess
from shoal.seeds import Seed

PROPOSALS = {"neighbors": (10_000_000, 10_000_000, 1_000_000), "relations": (6_000_000, 1_500_000, 200_000)}
"""The default number of proposals from each start for 1, 2 and 3 known entries, in 100 to 10,000 sweeps."""

UNCHANGED = (
    "The links are published unchanged, because the original already keeps this guarantee. An attacker who knows "
    "anything else may identify people: run `shoal risk` on the file."
)
LARGE, FAR = 100, 4
"""With more than LARGE vertices, the walk skips a start with more than FAR times the edits of the best result."""


@dataclass
class HidingSearch:
    """The best graph so far, and the edits from each start."""

    original: Graph
    aim: Aim
    effort: Any
    seed: int
    best: Graph | None = None
    tried: dict[str, int] = field(default_factory=dict)
    sweeps: int = 0
    stopped: bool = False

    def run(self) -> Graph:
        """Return the graph with the fewest edits. An interrupt ends the search and returns the best graph so far."""
        walk = Walk(self.original, self.aim, self.seed)
        starts = Starts(self.original, self.aim, self.seed, walk, self._choose_sweeps(walk), self.effort is None)
        try:
            with searching():
                for name, start in starts.make_each():
                    if starts.stopped or self._is_hopeless(start):
                        self._keep_best(name, start, starts.stopped)
                    else:
                        found = walk.improve(name, start, int(starts.sweeps))
                        self._keep_best(name, found.solution, found.stopped)
                    if self.stopped or self.tried[name] <= walk.floor:
                        break
        except KeyboardInterrupt:
            if self.best is None:
                raise
            self.stopped = True
        if self.best is None:
            raise starts.explain_failure()
        if self.stopped and self.best.m == 0 < self.original.m:
            raise KeyboardInterrupt("no graph with links was found yet, and nothing was written")
        if self.stopped:
            notice(f"{self.aim.who}: stopped. The best graph so far is verified next. Stop again to discard it.")
        self.sweeps = walk.sweeps_done if self.stopped else int(starts.sweeps)
        return self.best

    @property
    def by(self) -> str:
        """The name of the start that led to the best graph."""
        return min(self.tried, key=lambda name: self.tried[name])

    def _keep_best(self, name: str, graph: Graph, stopped: bool) -> None:
        """Record the edits of a graph, and keep the graph if it is the best so far."""
        self.tried[name], self.stopped = count_edits(self.original, graph), stopped
        if self.by == name:
            self.best = graph

    def _is_hopeless(self, start: Graph) -> bool:
        """Return whether a start needs so many more edits than the best result that a walk cannot make up for it."""
        many = count_edits(self.original, start)
        return self.original.n > LARGE and bool(self.tried) and many > FAR * min(self.tried.values())

    def _choose_sweeps(self, walk: Walk) -> int | float:
        """Return the requested or default number of sweeps. Seconds stay seconds if there is no walk to measure."""
        aim, n = self.aim, self.original.n
        if self.effort is None:
            many = PROPOSALS["neighbors" if aim.reading == "neighbors" else "relations"]
            return min(10_000, max(100, many[min(aim.l, DEEPEST) - 1] // n)) if aim.can_walk(self.original) else 0
        wanted = parse_effort(self.effort, aim.who)
        return walk.count_sweeps(wanted) if isinstance(wanted, float) and aim.can_walk(self.original) else wanted


class HidingMethod(Method):
    """The base of the methods that hide l known entries."""

    k: int
    l: int
    add_only: bool
    effort: int | float | str | None
    seed: Seed[int]

    def __post_init__(self) -> None:
        who = type(self).__name__
        for name in ("k", "l"):
            object.__setattr__(self, name, whole(getattr(self, name), who, name, least=1))
        must(isinstance(self.add_only, bool), who, "add_only", "True or False", self.add_only)
        parse_effort(self.effort, who)

    def check_data(self, data: Any) -> Graph:
        """Return the data as a simple graph with at least k vertices, or raise an error."""
        original, who = as_graph(data), type(self).__name__
        check_k(who, self.k, original)
        must(not original.is_multigraph, who, "data", "a simple graph (leave out multigraph)", original)
        return original

    def find_graph(self, original: Graph, knows: Any, reading: str) -> tuple[Graph, dict[str, Any]]:
        """Return the graph with the fewest edits found, and measures of the search."""
        risk = assess(original, knows)
        if risk.k >= self.k and risk.exact_sizes.all():
            return original, {}
        aim = Aim(self.k, min(self.l, original.n), reading, self.add_only, type(self).__name__)
        search = HidingSearch(original, aim, self.effort, self.seed)
        graph = search.run()
        tried = {f"edits starting from {name}": many for name, many in search.tried.items()}
        stopped = {"stopped early": True} if search.stopped else {}
        return graph, {"best start": search.by, **tried, "sweeps": search.sweeps, **stopped}

    def make_release(
        self, original: Graph, graph: Graph, promise: tuple[Promise, ...], told: dict[str, Any]
    ) -> Release:
        """Return the verified release. Give a notice if few links are left."""
        if 2 * graph.m < original.m:
            notice(
                f"{type(self).__name__}: {graph.m:,} of {original.m:,} edges are left. A smaller k or l leaves more."
            )
        self._warn_of_hubs(original, graph)
        measured = {
            "edits": count_edits(original, graph),
            "lower bound on edits": bound_edits(original, self.k, self.add_only),
            "vertices isolated": int(((original.degree > 0) & (graph.degree == 0)).sum()),
            **told,
        }
        stay = [ATTRIBUTES_STAY] if len(original.attributes) else []
        same = [UNCHANGED] if graph is original else []
        notes = (*stay, *same, *([STOPPED] if "stopped early" in told else []))
        return verify_release(Release(original, graph, promise, self, seed=self.seed, measured=measured, notes=notes))

    def _warn_of_hubs(self, original: Graph, graph: Graph) -> None:
        """Give a notice if some degrees exceed all original ones: an attacker may recognize and remove the new hubs."""
        most, now = max(self.k, int(original.degree.max(initial=0))), int(graph.degree.max(initial=0))
        if now > most:
            many = int((graph.degree > most).sum())
            who = "vertex has" if many == 1 else "vertices have"
            advice = " Allow removals (leave out add_only, --add-only)." if self.add_only else ""
            notice(
                f"{type(self).__name__}: {many:,} {who} more links now (up to {now:,}) than any vertex had before. "
                f"An attacker who removes these vertices finds fewer candidates.{advice}"
            )
