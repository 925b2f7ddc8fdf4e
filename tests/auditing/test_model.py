"""The typed audit: it comes back from JSON without loss, and any other JSON is refused by the name of the field."""

import json
from dataclasses import FrozenInstanceError, replace

import pytest

import shoal
from audit_cases import METHODS, SMALL
from shoal.auditing.model import Audit, CandidatesGuarantee, RadiusGuarantee
from shoal.auditing.records import dump_record, load_record
from shoal.errors import BadFile


@pytest.fixture(scope="module")
def plain(people):
    return json.loads(shoal.audit(people, knowledge=["degree"]).json())


@pytest.mark.parametrize("external", [False, True])
@pytest.mark.parametrize("name", METHODS)
def test_an_audit_comes_back_without_loss(name, external, people):
    data = people.attributes if name == "table" else people
    how = {"knowledge": ["columns:age"]} if name == "table" else {"knowledge": SMALL, "attacks": ["knows:neighbors:1"]}
    found = shoal.audit(data, METHODS[name](data), k=3, names=True, external=external, **how)
    again = load_record(Audit, json.loads(found.json()))
    assert again == found
    assert again.json() == found.json()


def change(plain, path, value):
    """Return a copy with one value replaced, or removed where it is ..."""
    found = json.loads(json.dumps(plain))
    *above, last = path
    part = found
    for step in above:
        part = part[step]
    if value is ...:
        del part[last]
    else:
        part[last] = value
    return found


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (["scenario", "k"], ..., "'scenario.k' must be there"),
        (["scenario", "kk"], 3, "'scenario.kk' must be a known field"),
        (["scenario", "k"], "3", "'scenario.k' must be a whole number. Got '3'"),
        (["scenario", "k"], True, "'scenario.k' must be a whole number. Got True"),
        (["scenario", "k"], 2.5, "'scenario.k' must be a whole number"),
        (["scenario", "k"], None, "'scenario.k' must be a whole number"),
        (["scenario", "allow"], 2, "'scenario.allow' must be a text"),
        (["scenario"], [], "'scenario' must be an object"),
        (["form"], "secret", "'form' must be one of 'internal', 'external'"),
        (["form"], ["internal"], "'form' must be one of"),
        (["date"], 3, "'date' must be a text"),
        (["before"], {}, "'before' must be a list"),
        (["before", 0], 7, r"'before\[0\]' must be an object"),
        (["before", 0, "exact"], 1, r"'before\[0\].exact' must be true or false"),
        (["before", 0, "buckets"], [], r"'before\[0\].buckets' must be an object"),
        (["before", 0, "buckets", "1"], "x", r"'before\[0\].buckets.1' must be a whole number"),
        (["before", 0, "doubts"], ["tired"], r"'before\[0\].doubts\[0\]' must be one of"),
        (["degrees_before"], [[1]], r"'degrees_before\[0\]' must be a list of 2"),
        (["promises"], [{"guarantee": {"kind": "miracle"}}], "must be there"),
        (["extra"], 1, "'extra' must be a known field"),
        (["verdict", "before", "verdict"], "maybe", "must be one of 'pass', 'fail', 'cannot tell'"),
        (["before", 0, "knows"], "degre", "knowledge.*degre"),
        (["before", 0, "people"], 0, "must be an audit as shoal saves it"),
        (["before", 0, "buckets"], {}, "a row with the buckets"),
        (["drawing", "links_before", 0], [1], "a drawn link"),
        (["drawing", "links_before", 0], [0, 99_999], "a drawn link"),
        (["drawing", "links_before", 0], [0, 1, 1, 7], "a drawn link"),
        (["drawing", "candidates", 0, "before"], [], "candidates of people"),
        (["drawing", "candidates", 0, "before", 0], 6, "candidates of people"),
        (["riskiest", "people", 0, "facts"], [{"kind": "neighbors", "value": {"known": 7}}], "as shoal saves it"),
        (["riskiest", "people", 0, "facts"], [{"kind": "neighbors", "value": 7}], "as shoal saves it"),
    ],
    ids=str,
)
def test_a_changed_audit_is_refused_by_the_name_of_the_field(path, value, says, plain, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(change(plain, path, value)))
    with pytest.raises(BadFile, match=says) as caught:
        shoal.read_audit(tmp_path / "a.json")
    assert "a.json" in str(caught.value)


def test_guarantees_are_told_apart_by_their_kind():
    for made in (CandidatesGuarantee("degree", 2, "all", "release"), RadiusGuarantee("manhattan", 2, 3)):
        check = {"guarantee": dump_record(made), "holds": None, "evidence": "", "stated": None}
        assert load_record(shoal.auditing.model.PromiseCheck, check).guarantee == made
    with pytest.raises(BadFile, match=r"'guarantee.kind' must be one of .*'radius'"):
        load_record(shoal.auditing.model.PromiseCheck, check | {"guarantee": {"kind": "miracle"}})


def test_an_audit_cannot_be_changed(people):
    found = shoal.audit(people, knowledge=["degree"])
    with pytest.raises(FrozenInstanceError):
        found.form = "external"
    assert replace(found, date="today") != found
