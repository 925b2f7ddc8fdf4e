"""A part from outside the package: once it is registered, every function, command and report knows it."""

from dataclasses import dataclass
from typing import ClassVar

import networkx as nx
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import oracle
import shoal
from conftest import attacks, graphs
from draws import draw_cases
from laws import (
    assert_agrees,
    check_facts_of_the_original,
    check_names,
    check_relabeling,
    check_release_as_original,
)
from shoal.attacks.base import MEANS, Attack, Outcome, Rate, Trial
from shoal.auditing.riskiest import Aliases
from shoal.cli.app import main
from shoal.cli.part_options import parse_value
from shoal.core.grouping import group_columns
from shoal.errors import BadParameter
from shoal.knowledge import Adversary, Degree, Fact, describe_facts, parse_knowledge, redact_fact
from shoal.knowledge.base import explain_finer
from shoal.methods import Method
from shoal.parts import option
from shoal.release.release import Release
from shoal.release.verify import verify_release
from shoal.report.text.phrases import title_attack


@dataclass(frozen=True)
class EvenDegree(Adversary):
    """Knows whether the degree is even."""

    shell: ClassVar[str] = "even-degree"
    form: ClassVar[str] = "even-degree"
    description: ClassVar[str] = "Whether the number of links of a vertex is even."
    notion: ClassVar[str] = "a toy"
    is_structural = True

    @property
    def title(self):
        return "even number of links"

    @property
    def phrase(self):
        return "whether the number of links of a person is even"

    @classmethod
    def describe_fact(cls, fact):
        return f"has an {'even' if fact.value else 'odd'} number of links"

    @classmethod
    def redact_fact(cls, fact, aliases):
        return fact.value

    def explain_coarser(self, other, *, simple):
        return "the degree is even or odd" if isinstance(other, Degree) else None

    def see(self, view):
        def tell(v):
            return (Fact("even-degree", view.known_graph.degree[v] % 2 == 0),)

        return view.group_alike(group_columns([view.together.degree % 2]), tell)


def even_degree(published, known=None, mapping=None):
    """The oracle's word for it."""
    known = published if known is None else known
    return {v: frozenset(u for u in published if (published.degree(u) - known.degree(v)) % 2 == 0) for v in known}


@pytest.fixture
def even():
    shoal.knowledge.register(EvenDegree)
    yield EvenDegree()
    shoal.knowledge.unregister(EvenDegree)


def run(*arguments):
    result = CliRunner().invoke(main, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_kind_of_knowledge_is_known_to_functions_and_commands(even):
    club = shoal.examples.karate()
    assert parse_knowledge("even-degree+degree") == even & Degree()
    assert shoal.assess(club, "even-degree").k == min(oracle.size(even_degree(nx.karate_club_graph())).values())
    assert "even-degree\n    Whether the number of links of a vertex is even." in run("knowledge")
    assert "even-degree" in run("risk", "example:karate", "--knows", "even-degree")
    assert "Medici has an even number of links. " in run(
        "why", "example:florentine", "Medici", "--knows", "even-degree"
    )
    assert shoal.attack(club, club, "even-degree").rate > 0


def test_a_kind_of_knowledge_is_covered_by_what_it_says(even):
    assert explain_finer(Degree(), even, simple=False) == "the degree is even or odd"
    for spec in ("orbit", "adjacency"):
        assert explain_finer(parse_knowledge(spec), even, simple=False)
    assert explain_finer(even, Degree(), simple=True) is None
    assert "match-degrees" in run("methods", "--protect", "even-degree")
    assert type(shoal.recommend(shoal.examples.karate(), "even-degree", 2).method).__name__


def test_a_kind_of_knowledge_is_in_the_report(even, tmp_path):
    path = nx.star_graph(4)
    audit = shoal.audit(path, knowledge=["even-degree", "degree"], k=3)
    assert "even" in repr(shoal.audit(path, scenario=shoal.Scenario("even", ["even-degree"], 5)))
    audit.save(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "even number of links" in page
    fact = shoal.assess(path, "even-degree").witness(0).knows[0]
    assert describe_facts([redact_fact(fact, Aliases(names=False))]) == "has an even number of links"


def test_a_kind_of_knowledge_obeys_the_laws(even, atlas):
    for g, graph in draw_cases(atlas, 100):
        assert_agrees(shoal.assess(graph, even), even_degree(g))
    check_names(even, {"EvenDegree": EvenDegree})


@given(g=graphs(), attack=attacks(), data=st.data())
def test_a_kind_of_knowledge_obeys_the_laws_of_names_and_originals(g, attack, data):
    even, (published, original, mapping) = EvenDegree(), attack
    check_release_as_original(even, g)
    check_relabeling(even, g, data.draw(st.permutations(list(g))))
    check_facts_of_the_original(even, even_degree(published, original, mapping), published, original, mapping)


def test_a_name_is_given_once_and_taken_back(even):
    with pytest.raises(BadParameter, match="even-degree"):
        shoal.knowledge.register(EvenDegree)
    for name in ("degree", "located-relations"):
        with pytest.raises(BadParameter, match=name):
            shoal.knowledge.register(type("Other", (EvenDegree,), {"shell": name}))
    with pytest.raises(BadParameter, match="description"):
        shoal.knowledge.register(type("Bare", (EvenDegree,), {"shell": "bare", "description": ""}))
    for other in (Adversary, int, even):
        with pytest.raises(BadParameter, match="subclass of Adversary"):
            shoal.knowledge.register(other)
    shoal.knowledge.unregister(EvenDegree)
    with pytest.raises(BadParameter, match="There is no"):
        parse_knowledge("even-degree")
    with pytest.raises(BadParameter, match="registered"):
        shoal.knowledge.unregister(EvenDegree)
    shoal.knowledge.register(EvenDegree)


@dataclass(frozen=True)
class Unchanged(Method):
    """Change nothing, and guarantee nothing."""

    note: str = option("as it is", "A note.")

    shell: ClassVar[str] = "unchanged"
    works_on: ClassVar[str] = "links"
    changes: ClassVar[str] = "nothing"
    protects: ClassVar[str] = "nothing"
    promises: ClassVar[str] = "nothing"
    source: ClassVar[str] = "a toy"

    def __call__(self, data):
        graph = shoal.as_graph(data)
        return verify_release(Release(graph, graph, (), self))


@dataclass(frozen=True)
class Blind(Attack):
    """Guess."""

    shell: ClassVar[str] = "blind"
    title: ClassVar[str] = "blind guessing"
    means: ClassVar[str] = "Guesses."
    source: ClassVar[str] = "a toy"
    main: ClassVar[str] = "found"

    def __call__(self, pair, release, seed):
        guessed = {"found": Rate(1.0, pair.original.n)}
        trials = tuple(Trial(name, MEANS[name], guessed) for name in ("release", "guessing"))
        return Outcome(self, self.shell, self.means, self.main, trials, seed, {}, {"found": "A right guess."})


@pytest.fixture
def others():
    shoal.methods.register(Unchanged)
    shoal.attacks.register(Blind)
    yield
    shoal.methods.unregister(Unchanged)
    shoal.attacks.unregister(Blind)


def test_a_method_is_known_to_functions_and_commands(others, tmp_path):
    assert shoal.methods.find_method("unchanged") is Unchanged
    assert '"unchanged"' in run("methods", "--json")
    out = tmp_path / "out.csv"
    run("anonymize", "example:florentine", "--method", "unchanged", "--set", "note=again", "-o", str(out))
    assert len(out.read_text(encoding="utf-8").splitlines()) >= 20
    assert type(parse_value("unchanged:note=x")) is Unchanged


def test_an_attack_is_known_to_functions_and_commands(others, tmp_path):
    club = shoal.examples.florentine()
    assert shoal.attack(club, club, by="blind").rate == 1 / club.n
    told = run("attack", "example:florentine", "example:florentine", "--same-names", "--by", "blind")
    assert "blind" in told
    assert title_attack("blind") == "blind guessing"
    release = shoal.methods.MatchDegrees(k=2)(club)
    shoal.audit(club, release, knowledge=["degree"], attacks=["blind"]).save(tmp_path / "report.html")
    assert "lind guessing" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_methods_and_attacks_have_names_of_their_own(others):
    for register, kind, name in (
        (shoal.methods.register, Unchanged, "mondrian"),
        (shoal.attacks.register, Blind, "cascade"),
    ):
        with pytest.raises(BadParameter, match=name):
            register(type("Other", (kind,), {"shell": name}))
