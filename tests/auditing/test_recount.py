"""Promises are counted again, and files are held to what is written beside them."""

from dataclasses import replace

import pytest

import shoal
from audit_cases import METHODS, SEED, saved, touched
from messages import tells
from shoal import Graph
from shoal.errors import BadFile

pytestmark = pytest.mark.usefixtures("brief_searches")


def test_a_file_that_was_changed_after_its_promise_is_refused(people, released, tmp_path):
    replace(released, data=released.data.without_attributes()).save(tmp_path / "safe.csv", seed=2**70)
    with (tmp_path / "safe.csv").open("a") as stream:
        stream.write("0,1\n")
    with pytest.raises(BadFile, match="another SHA-256"):
        shoal.audit(people, tmp_path / "safe.csv", same_names=False)


@pytest.mark.slow
def test_a_broken_promise_is_said_first(people, released):
    from shoal.report.html.page import render_page

    a, b = next(iter(released.data.each_edge()))
    left = [(x, y) for x, y in released.data.each_edge() if (x, y) != (a, b)]
    other = Graph.from_pairs(people.names, *zip(*left, strict=True), attributes=people.attributes)
    false = replace(released, data=other)
    for external in (False, True):
        found = shoal.audit(people, false, knowledge=["degree"], attacks=(), external=external)
        assert [one.holds for one in found.promises] == [False]
        assert repr(found).startswith("GUARANTEE BROKEN: ")
        assert "adjacency" in repr(found).splitlines()[0]
        assert "Verified" not in repr(found)
        text = render_page(found)
        assert "IT DOES NOT HOLD" in text
        assert "It holds" not in text
        assert released.verification[0] not in text
    assert shoal.audit(people, released, knowledge=["degree"], attacks=()).promises[0].holds is True


@pytest.mark.slow
def test_promises_of_files_are_counted_again(people, released, tmp_path):
    from shoal.report.html.page import render_page

    file, secret, about = saved(released, tmp_path)
    for how in ({"mapping": secret}, {}, {"external": True}):
        found = shoal.audit(people, file, knowledge=["degree"], attacks=(), **how)
        assert [one.holds for one in found.promises] == [True]
    touched(about, lambda told: told["promise"][0].update(k=40))
    found = shoal.audit(people, file, knowledge=["degree"], attacks=())
    assert found.promises[0].holds is False
    assert "GUARANTEE BROKEN" in render_page(found)
    touched(about, lambda told: told["promise"][0].update({"k": 3, "for": "some"}))
    found = shoal.audit(people, file, knowledge=["degree"], attacks=())
    assert found.promises[0].holds is None
    assert "not recounted here" in repr(found)
    assert tells(render_page(found), "THE OTHERS ARE NOT PROTECTED", "not recounted")
    assert "It holds" not in render_page(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_every_promise_that_was_verified_is_counted_again(name, people):
    data = people.attributes if name == "table" else people
    release = METHODS[name](data)
    found = shoal.audit(data, release, columns=["age"], attacks=())
    assert [one.holds for one in found.promises] == [True] * len(release.promises)


def test_a_renamed_file_and_its_attributes_are_held_to_their_digests(people, released, shell, tmp_path):
    with pytest.warns(shoal.Notice, match="without a guarantee"):
        released.save(tmp_path / "safe.csv", attributes=tmp_path / "about.csv", seed=2**70)
    (tmp_path / "safe.csv").rename(tmp_path / "pub.csv")
    (tmp_path / "safe.csv.release.json").rename(tmp_path / "pub.csv.release.json")
    shoal.audit(people, tmp_path / "pub.csv", knowledge=["degree"], attacks=())
    files = (None, tmp_path / "pub.csv", tmp_path / "about.csv")
    got = shoal.read_graph(tmp_path / "pub.csv")
    shoal.audit(people, got, same_names=False, knowledge=["degree"], attacks=(), files=files)
    with (tmp_path / "about.csv").open("a") as stream:
        stream.write("\n")
    with pytest.raises(BadFile, match=r"about\.csv"):
        shoal.audit(people, got, same_names=False, knowledge=["degree"], attacks=(), files=files)
    shoal.write(people, tmp_path / "o.csv", attributes=tmp_path / "oa.csv")
    both = ["--attributes", tmp_path / "oa.csv", "--released-attributes", tmp_path / "about.csv"]
    code, _, err = shell("audit", tmp_path / "o.csv", tmp_path / "pub.csv", *both, "-o", tmp_path / "r.json")
    assert code == 2
    assert "another SHA-256" in err
    with (tmp_path / "pub.csv").open("a") as stream:
        stream.write("0,1\n")
    with pytest.raises(BadFile, match="another SHA-256"):
        shoal.audit(people, tmp_path / "pub.csv", knowledge=["degree"], attacks=())


def published_with_columns(people, folder):
    """Save a release whose columns are in a file of their own; return the release's file."""
    release = shoal.methods.EqualizeRows(k=3, seed=SEED, effort=5)(people)
    with pytest.warns(shoal.Notice, match="without a guarantee"):
        release.save(folder / "safe.csv", attributes=folder / "about.csv", seed=2**70)
    return folder / "safe.csv"


def released_columns(found):
    return {one.name: one.released for one in found.columns}


@pytest.mark.slow
def test_columns_in_a_file_that_the_manifest_names_are_released(people, shell, tmp_path):
    """Nobody names the file: it is found beside the release."""
    file = published_with_columns(people, tmp_path)
    for external in (False, True):
        found = shoal.audit(people, file, knowledge=["degree"], attacks=(), external=external)
        assert released_columns(found) == dict.fromkeys(people.attributes, True)
        assert found.output.columns == len(people.attributes)
    got = shoal.read_graph(file)
    assert not len(got.attributes)
    found = shoal.audit(people, got, same_names=False, knowledge=["degree"], attacks=(), files=(None, file))
    assert released_columns(found) == dict.fromkeys(people.attributes, True)
    shoal.write(people, tmp_path / "o.csv", attributes=tmp_path / "oa.csv")
    how = ["--attributes", tmp_path / "oa.csv", "--no-attacks", "--knows", "degree", "-o", tmp_path / "r.json"]
    code, _, err = shell("audit", tmp_path / "o.csv", file, *how)
    assert code == 0, err
    assert released_columns(shoal.read_audit(tmp_path / "r.json")) == dict.fromkeys(people.attributes, True)
    code, out, err = shell("compare", tmp_path / "o.csv", file, "--attributes", tmp_path / "oa.csv")
    assert code == 0, err
    assert "age: mean" in out


@pytest.mark.slow
@pytest.mark.parametrize(("change", "says"), [("gone", "There is none"), ("other", "another SHA-256")])
def test_a_named_file_that_is_gone_or_another_is_refused(people, shell, tmp_path, change, says):
    file = published_with_columns(people, tmp_path)
    about, elsewhere = tmp_path / "about.csv", tmp_path / "elsewhere"
    elsewhere.mkdir()
    whole = about.read_bytes()
    (elsewhere / "moved.csv").write_bytes(whole)
    about.unlink() if change == "gone" else about.write_bytes(whole + b"\n")
    with pytest.raises(BadFile, match=f"about.csv: .*{says}.*--released-attributes"):
        shoal.audit(people, file, knowledge=["degree"], attacks=())
    shoal.write(people, tmp_path / "o.csv", attributes=tmp_path / "oa.csv")
    both = [tmp_path / "o.csv", file, "--attributes", tmp_path / "oa.csv"]
    report = ["--no-attacks", "--knows", "degree", "-o", tmp_path / "r.json"]
    code, _, err = shell("audit", *both, *report)
    assert (code, "about.csv" in err, says in err) == (2, True, True)
    assert shell("compare", *both)[0] == 2
    code, _, err = shell("audit", *both, *report, "--released-attributes", elsewhere / "moved.csv")
    assert code == 0, err
    assert released_columns(shoal.read_audit(tmp_path / "r.json")) == dict.fromkeys(people.attributes, True)


def test_the_file_of_classes_is_no_file_of_columns(tmp_path):
    release = shoal.methods.Generalize(3, effort=5)(shoal.examples.karate().without_attributes())
    release.save(tmp_path / "safe.csv", classes=tmp_path / "classes.json")
    found = shoal.audit(shoal.examples.karate(), tmp_path / "safe.csv", knowledge=["degree"], attacks=())
    assert set(released_columns(found).values()) == {False}


def test_a_manifest_leads_to_no_other_folder(people, tmp_path):
    file = published_with_columns(people, tmp_path)
    (tmp_path / "secret").mkdir()
    (tmp_path / "about.csv").rename(tmp_path / "secret" / "about.csv")

    def lead_away(told):
        told["files"]["secret/about.csv"] = told["files"].pop("about.csv")

    touched(tmp_path / "safe.csv.release.json", lead_away)
    with pytest.raises(BadFile, match="There is none"):
        shoal.audit(people, file, knowledge=["degree"], attacks=())


def test_without_a_manifest_a_column_is_not_said_to_be_unreleased(people, tmp_path):
    from shoal.report.html.page import render_page

    shoal.write(people.without_attributes(), tmp_path / "safe.csv")
    found = shoal.audit(people, tmp_path / "safe.csv", knowledge=["degree"], attacks=())
    assert "not in the files read" in render_page(found)


def one_promise(**what):
    return {"promise": [{"kind": "candidates", "knows": "degree", "k": 2, "for": "all", "source": "release"} | what]}


BROKEN = [
    {"files": []},
    {"files": {"safe.csv": "x"}},
    {"promise": ["x"]},
    {"promise": [{}]},
    {"promise": [{"kind": "miracle"}]},
    one_promise(knows="zzz"),
    one_promise(k="2"),
    one_promise(k=True),
    one_promise(k=0),
    one_promise(source="heaven"),
    {"promise": [{"kind": "radius", "similarity": "x", "k": 1, "l": 1}]},
    {"method": [1]},
    {"measured": None},
    {"verification": None},
    {"verification": [1]},
    {"columns in no promise": None},
    {"utility": [1]},
]


@pytest.mark.parametrize("change", BROKEN, ids=repr)
def test_what_is_wrongly_written_beside_a_release_is_refused(change, people, released, tmp_path):
    file, _, about = saved(released, tmp_path)
    touched(about, lambda told: told.update(change))
    with pytest.raises(BadFile, match="'shoal anonymize'"):
        shoal.audit(people, file, knowledge=["degree"], attacks=())
