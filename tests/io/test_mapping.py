"""Two releases of one original: a mapping holds a salted digest of its original, and a later release gives a notice."""

import json
import stat
import warnings

import networkx as nx
import pytest

import shoal
from shoal.errors import Notice
from shoal.io.mapping import digest_original, read_origin, salt_digest
from shoal.release import save

SAME, HERE = "earlier release of the same original", "already holds a release"
FRIENDS = nx.relabel_nodes(nx.krackhardt_kite_graph(), "v{}".format)
PEOPLE = {"age": [20, 21, 30, 31, 40, 41], "zip": list("aabbcc")}


def heard(save, *args, **how):
    """Save, and return the notices about other releases."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        save(*args, **how)
    return [str(one.message) for one in caught if SAME in str(one.message) or HERE in str(one.message)]


def released(data=FRIENDS, k=2):
    return shoal.methods.Mondrian(k)(data) if isinstance(data, dict) else shoal.methods.MatchDegrees(k)(data)


def test_a_second_release_of_one_network_is_warned_of(tmp_path):
    assert heard(released().save, tmp_path / "a.csv", tmp_path / "a-secret.csv") == []
    told = heard(released(k=3).save, tmp_path / "b.csv", tmp_path / "b-secret.csv")
    assert [SAME in one for one in told] == [True, False]
    assert str(tmp_path / "a-secret.csv") in told[0]
    assert str(tmp_path / "a.csv.release.json") in told[1]


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (FRIENDS, True),
        (nx.Graph(list(FRIENDS.edges)[::-1]), True),
        (nx.Graph([*FRIENDS.edges, ("v0", "v9")]), False),
        (nx.relabel_nodes(FRIENDS, {"v0": "v10"}), False),
    ],
)
def test_an_original_is_the_same_if_names_and_links_are(tmp_path, other, same):
    """In any order. A mapping in the folder of the data or of the mapping counts."""
    (tmp_path / "data").mkdir()
    (tmp_path / "secrets").mkdir()
    heard(released().save, tmp_path / "data" / "a.csv", tmp_path / "secrets" / "a.csv")
    told = heard(released(other, k=3).save, tmp_path / "other.csv", tmp_path / "secrets" / "b.csv")
    assert any(SAME in one for one in told) == same
    assert not any(HERE in one for one in told)


@pytest.mark.parametrize(("change", "same"), [({}, True), ({"age": [20, 21, 30, 31, 40, 42]}, False)])
def test_the_same_table_has_the_same_cells(tmp_path, change, same):
    heard(released(PEOPLE).save, tmp_path / "a.csv", tmp_path / "a-secret.csv")
    told = heard(released(PEOPLE | change, k=3).save, tmp_path / "b.csv")
    assert any(SAME in one for one in told) == same


def test_a_file_that_is_replaced_is_no_other_release(tmp_path):
    files = tmp_path / "a.csv", tmp_path / "a-secret.csv"
    heard(released().save, *files)
    assert heard(released(k=3).save, *files, force=True) == []


def test_numbers_in_memory_and_texts_in_a_file_are_the_same_names(tmp_path):
    shoal.write(shoal.as_graph(nx.path_graph(6)), tmp_path / "links.csv")
    heard(released(nx.path_graph(6)).save, tmp_path / "a.csv", tmp_path / "a-secret.csv")
    told = heard(released(shoal.read_graph(tmp_path / "links.csv"), k=3).save, tmp_path / "b.csv")
    assert any(SAME in one for one in told)


def test_the_digest_is_salted_and_stays_in_the_secret(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        heard(released().save, tmp_path / name / "x.csv", tmp_path / name / "secret.csv")
    origins = [read_origin(tmp_path / name / "secret.csv") for name in "ab"]
    assert origins[0].salt != origins[1].salt
    assert origins[0].digest != origins[1].digest
    own = digest_original(shoal.as_graph(FRIENDS))
    assert all(salt_digest(own, origin.salt) == origin.digest for origin in origins)
    public = (tmp_path / "a" / "x.csv.release.json").read_text()
    assert not any(text in public for text in (own, *origins[0]))
    assert stat.S_IMODE((tmp_path / "a" / "secret.csv").stat().st_mode) == 0o600
    assert len(shoal.read_mapping(tmp_path / "a" / "secret.csv")) == 10


def test_the_same_seed_writes_the_same_mapping(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        heard(released().save, tmp_path / name / "x.csv", tmp_path / name / "secret.csv", seed=2**70)
    assert len({(tmp_path / name / "secret.csv").read_bytes() for name in "ab"}) == 1


def test_other_files_in_the_folder_do_no_harm(tmp_path):
    (tmp_path / "large.bin").write_bytes(b"\xff\x00" * 10_000)
    (tmp_path / "cut.csv").write_text("# a secret: it undoes the release. seed")
    (tmp_path / "odd.csv").write_text(
        "# a secret: it undoes the release.\n# of the original with the salt and salted SHA-256 x\n"
    )
    (tmp_path / "gone.csv").symlink_to(tmp_path / "nowhere.csv")
    (tmp_path / "folder").mkdir()
    assert heard(released().save, tmp_path / "a.csv", tmp_path / "secret.csv") == []


def test_only_a_part_of_a_huge_folder_is_checked(tmp_path, monkeypatch):
    monkeypatch.setattr(save, "MOST", 5)
    for i in range(9):
        (tmp_path / f"{i}.txt").touch()
    with pytest.warns(Notice, match="holds more than 5 files"):
        released().save(tmp_path / "a.csv")


def test_the_command_warns_too(shell, tmp_path):
    made = ["anonymize", "example:florentine", "--method", "match-degrees"]
    for name, k, says in (("a", 2, False), ("b", 3, True)):
        out = ["-o", tmp_path / f"{name}.csv", "--mapping", tmp_path / f"{name}-secret.csv"]
        code, _, err = shell(*made, "-k", k, *out)
        assert code == 0
        assert (SAME in err, HERE in err) == (says, says)
    again = ["-o", tmp_path / "b.csv", "--force"]
    code, _, err = shell(*made, "-k", 3, *again)
    assert SAME in err  # of the mapping of the first
    assert set(json.loads((tmp_path / "b.csv.release.json").read_text())["files"]) == {"b.csv"}
