"""An audit as a whole: it comes back from its file, the same seed gives the same, and bad input is refused."""

import json
from collections import Counter

import pytest

import shoal
from audit_cases import METHODS, SMALL
from shoal.auditing.model import SCHEMA, Audit
from shoal.errors import BadFile, BadParameter, FileExists, UnknownColumn
from shoal.io.digest import digest_contents as digest
from shoal.risk.assess import Risk


@pytest.mark.slow
def test_json_holds_everything_and_comes_back(people, released, tmp_path):
    found = shoal.audit(people, released, columns=["age"], sensitive=["ill"], k=3)
    found.save(tmp_path / "a.json")
    assert shoal.read_audit(tmp_path / "a.json") == found
    assert json.loads(found.json())["schema"] == found.schema == SCHEMA


@pytest.mark.slow
def test_same_seed_same_audit_and_the_input_stays(people, released):
    before = digest(people), digest(released.data)
    first, second = (shoal.audit(people, released, knowledge=SMALL, seed=4) for _ in range(2))
    assert first == second
    assert (digest(people), digest(released.data)) == before


def test_an_internal_report_is_for_its_owner_alone(people, tmp_path):
    for external, mode in ((False, 0o600), (True, None)):
        found = shoal.audit(people, people, knowledge=["degree"], attacks=(), external=external)
        found.save(tmp_path / f"{external}.json")
        got = (tmp_path / f"{external}.json").stat().st_mode & 0o777
        assert got == mode or (mode is None and got & 0o044)


def test_nothing_is_overwritten_unasked(people, tmp_path):
    found = shoal.audit(people, knowledge=["degree"])
    found.save(tmp_path / "a.json")
    with pytest.raises(FileExists):
        found.save(tmp_path / "a.json")
    found.save(tmp_path / "a.json", force=True)
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize(
    ("how", "error", "words"),
    [
        ({"scenario": "agrement"}, BadParameter, "Did you mean 'agreement'"),
        ({"k": 1000}, BadParameter, "k"),
        ({"seed": -1}, BadParameter, "seed"),
        ({"columns": ["agee"]}, UnknownColumn, "Did you mean 'age'"),
        ({"columns": ["age"], "sensitive": ["age"]}, BadParameter, "not both"),
        ({"knowledge": ["degre"]}, BadParameter, "Did you mean 'degree'"),
        ({"attacks": ["cascad"]}, BadParameter, "Did you mean 'cascade'"),
        ({"attacks": ["knows:degre"]}, BadParameter, "Did you mean 'degree'"),
        ({"external": True}, BadParameter, "must be about a release"),
    ],
)
def test_bad_parameters_are_refused(how, error, words, people):
    with pytest.raises(error, match=words):
        shoal.audit(people, **({"knowledge": ["degree"]} | how))


def test_bad_files_are_refused(people, tmp_path):
    with pytest.raises(BadParameter, match=r"\.html or \.json"):
        shoal.audit(people, knowledge=["degree"]).save(tmp_path / "a.pdf")
    (tmp_path / "b.json").write_text('{"schema": 99}')
    with pytest.raises(BadFile, match="schema 99"):
        Audit.read(tmp_path / "b.json")
    (tmp_path / "safe.csv").write_text("a,b\n")
    (tmp_path / "safe.csv.release.json").write_text("[]")
    with pytest.raises(BadFile, match="shoal anonymize"):
        shoal.audit(people, tmp_path / "safe.csv", same_names=False)


@pytest.mark.parametrize(
    "text", ['{"schema":1}', '{"schema":2}', '{"schema":2,"form":"internal"}', '{"schema":[2]}', "[1]", "nope"]
)
def test_what_is_no_audit_is_refused(text, tmp_path):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(BadFile, match=r"a\.json"):
        shoal.read_audit(tmp_path / "a.json")


@pytest.mark.slow
@pytest.mark.parametrize("how", [{}, {"external": True}, {"columns": ["age", "job"], "sensitive": ["ill"]}], ids=str)
@pytest.mark.parametrize("name", METHODS)
def test_no_assessment_is_made_twice(name, how, people, monkeypatch):
    """Every risk is made by assess, wherever it is called from: none of the same data, knowledge and original again."""
    release = METHODS[name](people.attributes if name == "table" else people)
    made = []

    def count(view, adversary, *rest):
        made.append((view, adversary))
        return Risk(view, adversary, *rest)

    monkeypatch.setattr("shoal.risk.assess.Risk", count)
    shoal.audit(release.original, release, k=3, **how)
    keys = Counter((id(view.published), adversary.spec, id(view.original)) for view, adversary in made)
    assert len(keys) > 3
    assert [key[1] for key, times in keys.items() if times > 1] == []
