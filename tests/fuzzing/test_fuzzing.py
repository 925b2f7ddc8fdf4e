"""The machinery of `make fuzz`: each judge can fail, and hostile files are read."""

import random

import pytest
from file_readers import EVERY, READERS, make_case, unpack
from fuzz_judges import Outcome, judge
from hostile_files import CATALOGUE, pack
from watched import Limits, Watched

from draws import SEED, TIMES
from mutations import MUTATORS, mutate, mutate_json

pytestmark = pytest.mark.slow

PLANTED = {
    "hangs": "hangs",
    "sleeps": "hangs",
    "eats memory": "too much memory",
    "eats memory for a moment": " MB",
    "raises": "ValueError: planted",
    "prints a color": "stdout has a raw",
    "prints a mark of direction": "stderr has a raw",
    "crashes": "SIGSEGV",
    "writes past Python": "stderr has a raw",
    "writes a page that runs": "r.html runs or loads",
}
WRONG = {
    "an internal error": (
        Outcome(code=70, err="error: internal error. This is a defect of shoal.\n"),
        "internal error",
    ),
    "another exit code": (Outcome(code=5), "exit code 5"),
    "a refusal without a sentence": (Outcome(code=2), "a refusal"),
    "a refusal of two lines": (Outcome(code=2, err="error: a.\nerror: b.\n"), "a refusal"),
    "a refusal that does not end": (Outcome(code=2, err="error: got\n"), "does not end"),
    "a long line": (Outcome(code=0, err="note: " + "x" * 10_000), "10,006 characters"),
    "little memory": (Outcome(code=2, err="error: not enough memory for this command.\n"), "not enough memory"),
    "a long time": (Outcome(code=0, seconds=21), "21 s"),
    "much memory": (Outcome(code=0, megabytes=521, size=1_000_000), "521 MB"),
    "a script": (Outcome(code=0, pages={"a": "<script>x</script>"}), "script"),
    "an event": (Outcome(code=0, pages={"a": "<svg/onload=x()>"}), "onload"),
    "a link": (Outcome(code=0, pages={"a": "<a href=' javascript:x()'>"}), "javascript"),
    "a lone surrogate": (Outcome(code=0, out="\ud800"), "raw"),
    "a byte order mark": (Outcome(code=0, out="\ufeff"), "raw"),
}
RIGHT = {
    "a result": Outcome(code=0, out="Zoë 日本\n\t7\n", megabytes=519, size=1_000_000, seconds=19),
    "a refusal": Outcome(
        code=2, err="note: a.\nshoal risk: working, 10 s\nerror: x.csv, line 1: must be text. Got 7.\n"
    ),
    "a verdict that cannot be told": Outcome(code=2, out="CANNOT TELL.\n"),
    "a page with markup as text": Outcome(code=0, pages={"a": "<p title='onload=x()'>&lt;script>javascript:x()</p>"}),
    "a script of our own": Outcome(
        code=0, pages={"a": "<script>y()</script>"}, safe=frozenset({"script {}", "script: y()"})
    ),
}


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    with Watched(tmp_path_factory.mktemp("fuzz")) as found:
        yield found


@pytest.mark.parametrize("fault", PLANTED)
def test_a_reader_with_a_fault_fails(fault, worker):
    worker.limits = Limits(seconds=0.5 if PLANTED[fault] == "hangs" else 20, megabytes=150)
    _, _, outcome = worker.run(planted=fault)
    assert PLANTED[fault] in " ".join(judge(outcome))


def test_a_reader_without_a_fault_passes_after_one_that_was_stopped(worker):
    _, _, outcome = worker.run(planted="well")
    assert (outcome.code, judge(outcome)) == (0, [])


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_judged_wrong(wrong):
    outcome, why = WRONG[wrong]
    assert why in " ".join(judge(outcome))


@pytest.mark.parametrize("right", RIGHT)
def test_what_is_right_is_judged_right(right):
    assert judge(RIGHT[right]) == []


def test_a_seed_repeats_a_case():
    reader, valid = READERS["table, csv"], b"name,age\na,7\nb,8\n"
    made = [make_case(reader, valid, number, 5) for number in range(60) if number % EVERY != EVERY // 2]
    assert made == [make_case(reader, valid, number, 5) for number in range(60) if number % EVERY != EVERY // 2]
    assert len({data for data, *_ in made}) > 40


def test_mutators_change_files():
    draw, text = random.Random(SEED), b'{"k": [2, 5], "a": "b"}\n1,2\n'
    for one in MUTATORS:
        assert any(one(text, draw, b"other") != text for _ in range(20)), one.__name__
        one(b"", draw, b"")
    assert any(mutate(text, draw) != text for _ in range(5))
    assert any(mutate_json(b'{"k": 2, "l": [{"m": 1}]}', draw).startswith(b"{") for _ in range(20))


def test_what_is_packed_is_unpacked():
    for ending in (".gz", ".zst", ".bz2"):
        assert unpack(pack(b"a,b\n", ending), ending) == b"a,b\n"


def test_every_file_of_the_catalogue_has_a_reader():
    names = [(one.name, one.kinds) for one in CATALOGUE]
    assert len(names) == len(set(names))
    assert {id(one) for reader in READERS.values() for one in reader.list_files()} == {id(one) for one in CATALOGUE}
    assert all(len(reader.list_files()) >= 28 for reader in READERS.values())


def test_a_reader_gets_all_its_files_in_time():
    reader = READERS["scenario"]
    light, heavy = ({one.name for one in reader.list_files() if one.heavy == which} for which in (False, True))
    made = [make_case(reader, b"k = 2\n", number, 5)[2] for number in range(EVERY * len(heavy)) if number % 2 == 1]
    assert set(made) >= light
    heavies = [make_case(reader, b"k = 2\n", EVERY * at + EVERY // 2, 5)[2] for at in range(len(heavy))]
    assert set(heavies) == heavy


SLOW = ("report", "upload", "audit", "frontier", "DuckDB")
"""Readers that take seconds to start; `make fuzz` tries them."""


def test_readers_survive_a_draw_of_hostile_files(tmp_path):
    """Every reader that is quick gets a small file of the catalogue at least; each run draws other pairs."""
    draw = random.Random(SEED)
    quick = [one for one in READERS.values() if not any(word in one.name for word in SLOW)]
    files = [file for file in CATALOGUE if not file.heavy]
    files = draw.sample(files, min(len(files), 250 * TIMES))
    pairs = [(draw.choice([one for one in quick if file in one.list_files()]), file) for file in files]
    served = {reader.name for reader, _ in pairs}
    pairs += [
        (one, draw.choice([f for f in one.list_files() if not f.heavy])) for one in quick if one.name not in served
    ]
    with Watched(tmp_path) as worker:
        for reader, file in pairs:
            title, words, outcome = worker.run(reader=reader.name, file=CATALOGUE.index(file), number=0, seed=SEED)
            assert judge(outcome) == [], f"{reader.name}: {title} {words}, drawn with SHOAL_TEST_SEED={SEED}"
