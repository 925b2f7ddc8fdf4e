"""The riskiest people of an audit, and that unless asked it names nobody."""

import json

import pytest

import shoal
from audit_cases import SEED
from members import EXAMPLES
from shoal.auditing.riskiest import Aliases, spell_letters
from shoal.errors import BadParameter
from shoal.knowledge import REGISTRY, Fact, redact_fact


@pytest.mark.parametrize("kind", sorted(REGISTRY))
def test_a_redacted_fact_names_no_one(kind, people):
    risk = shoal.assess(people, EXAMPLES[kind].replace("a,b", "age,job"))
    called = Aliases(names=False)
    for name in list(people.names)[:10]:
        facts = [redact_fact(fact, called).value for fact in risk.witness(name).knows]
        assert "zq" not in json.dumps(facts)
    assert "zq" in json.dumps(
        [redact_fact(f, Aliases(names=True)).value for f in risk.witness(name).knows]
    ) or kind not in (
        "adjacency",
        "columns",
    )


def test_letters_go_on():
    assert len({spell_letters(i) for i in range(2000)}) == 2000


@pytest.mark.parametrize("names", [False, True])
def test_an_internal_report_names_people_only_if_asked(names, people, released):
    data = shoal.audit(people, released, k=5, columns=["age", "job"], names=names)
    assert data.riskiest.people
    assert ("zq" in data.json()) is names


def test_a_method_that_names_people_is_not_quoted(people):
    release = shoal.methods.EqualizeRows(k=3, sensitive=["name-zq1", "name-zq2"], seed=SEED, effort=5)(people)
    data = shoal.audit(people, release, knowledge=["degree"])
    assert "zq" not in data.json()
    assert data.secrets.seed == SEED


def test_the_riskiest_are_rightly_found(people, matched):
    data = shoal.audit(people, matched, k=5, names=True).riskiest.people
    assert data
    for one in data:
        risk = shoal.assess(matched.data, one.knows, original=people)
        assert len(one.candidates) == risk.sizes[people.names.id(one.who)] < 5
        assert one.who in one.candidates
        assert risk.holds(one.who)


def test_facts_of_other_kinds_are_not_shown_by_mistake():
    with pytest.raises(BadParameter):
        redact_fact(Fact("something new", "name-zq1"), Aliases(names=False))


def test_where_nobody_is_rightly_found_those_seen_in_the_release_are_shown(people, released):
    data = shoal.audit(people, released, knowledge=["hubs:3"], k=3)
    if not data.after.original_facts[0].below and data.after.release_facts[0].below:
        assert data.riskiest.people
        assert data.riskiest.facts_from == "release"
    assert all(len(one.candidates) < 3 for one in data.riskiest.people)
