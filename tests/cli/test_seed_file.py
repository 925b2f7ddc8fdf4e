"""--seed-file: the seed of --seed, from a file, and the same release as the library makes in memory."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest

import shoal
from messages import hear
from shoal.io.files import MANIFEST, README, hold_files
from shoal.methods import (
    Confuse,
    EqualizeRows,
    Generalize,
    HideNeighbors,
    MatchDegrees,
    Microaggregate,
    Mondrian,
    Perturb,
    ReduceRisk,
    SwapWithin,
)
from shoal.risk.scenario import as_scenario

SEED = 2**90 + 123
FRIENDS = "source,target\n" + "".join(f"P{a},P{b}\n" for a, b in nx.karate_club_graph().edges)
PEOPLE = "name,age,town\n" + "".join(f"P{v},{20 + v % 7},{'abc'[v % 3]}\n" for v in range(34))
FILES = {"friends.csv": FRIENDS.encode(), "people.csv": PEOPLE.encode()}
NETWORK = ("friends.csv", "--attributes", "people.csv", "--columns", "age")
TABLE = ("people.csv", "--key", "name", "--columns", "age,town")
CASES = [
    (NETWORK, ("match-degrees", "-k", 3), lambda seed: MatchDegrees(3, seed=seed)),
    (NETWORK, ("equalize-rows", "-k", 2, "--effort", 5), lambda seed: EqualizeRows(2, effort=5, seed=seed)),
    (NETWORK, ("perturb", "--set", "add=5"), lambda seed: Perturb(add=5, seed=seed)),
    (NETWORK, ("generalize", "-k", 3, "--effort", 5), lambda seed: Generalize(3, effort=5, seed=seed)),
    (NETWORK, ("confuse", "-k", 2), lambda seed: Confuse(2, seed=seed)),
    (
        NETWORK,
        ("reduce-risk", "--knows", "counts:1", "-k", 2, "--budget", "10%", "--effort", 50),
        lambda seed: ReduceRisk("counts:1", 2, budget="10%", effort=50, seed=seed),
    ),
    (
        NETWORK,
        ("match-degrees", "-k", 2, "--then", "hide-neighbors:l=1"),
        lambda seed: MatchDegrees(2, seed=seed) >> HideNeighbors(2, l=1, seed=seed),
    ),
    (  # a first step without a seed
        NETWORK,
        ("mondrian", "-k", 9, "--then", "match-degrees:k=3"),
        lambda seed: Mondrian(9, columns=("age",)) >> MatchDegrees(3, seed=seed),
    ),
    (TABLE, ("mondrian", "-k", 2), lambda _: Mondrian(2, columns=("age", "town"))),
    (
        TABLE,
        ("microaggregate", "-k", 2),
        lambda seed: Microaggregate(2, columns=("age", "town"), seed=seed),
    ),
    (
        ("people.csv", "--key", "name", "--columns", "age"),
        ("swap-within", "--set", "classes=town", "--set", "allow_unique=true"),
        lambda seed: SwapWithin("town", columns=("age",), seed=seed, allow_unique=True),
    ),
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "seed.txt").write_text(f"{SEED}\n")
    return tmp_path


def save_in_memory(reading, make):
    """Return the files of a release that is read, made and saved in memory."""
    names, linked = tuple(reading[-1].split(",")), reading is NETWORK
    with hold_files(FILES) as held:
        data = (
            shoal.read_graph("friends.csv", attributes="people.csv")
            if linked
            else shoal.read_table("people.csv", key="name")
        )
        about = {"attributes": "safe-people.csv"} if linked else {}
        release = make(SEED)(data)
        how = {"readme": f"safe.csv{README}", "scenario": as_scenario(None), "columns": names, "seed": SEED}
        release.save("safe.csv", "secret.csv", **about, **how)
    return {name: held[name] for name in held.keys() - FILES.keys()}


def spell_command(reading, method):
    about = ["--attributes-output", "safe-people.csv"] if reading is NETWORK else []
    outputs = ["-o", "safe.csv", *about, "--mapping", "secret.csv"]
    return ["anonymize", *reading, "--method", *method, "--seed-file", "seed.txt", *outputs]


def collect_files(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name not in ("seed.txt", *FILES)}


@pytest.mark.parametrize(("reading", "method", "make"), CASES, ids=[" ".join(map(str, case[1])) for case in CASES])
def test_the_release_is_the_one_of_the_library_in_memory(place, shell, reading, method, make):
    code, _, told = shell(*spell_command(reading, method))
    assert code == 0, told
    made, _ = hear(lambda: save_in_memory(reading, make))
    assert collect_files(place) == made
    assert made.keys() >= {"safe.csv", f"safe.csv{MANIFEST}", f"safe.csv{README}", "secret.csv"}
    assert str(SEED) not in told
    assert str(SEED).encode() in made["secret.csv"]


@pytest.mark.slow
def test_a_script_makes_the_same_release(place):
    (place / "seed.txt").unlink()
    reading, method, make = CASES[0]
    lines = [
        "umask 077",
        f"printf '%s\\n' {SEED} > seed.txt",
        shlex.join(map(str, ["shoal", *spell_command(reading, method)])),
    ]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    script = "; ".join(lines)
    subprocess.run(["sh", "-ec", script], env=os.environ | {"PATH": path}, capture_output=True, check=True)
    assert collect_files(place) == hear(lambda: save_in_memory(reading, make))[0]


@pytest.mark.parametrize("text", ["7", "7\n", "7\r\n", " \t7 \n", "007"])
def test_a_seed_file_is_the_seed(place, shell, text):
    command = ["anonymize", "friends.csv", "--method", "match-degrees", "-k", 2, "--mapping"]
    (place / "seed.txt").write_text(text)
    assert shell(*command, "m1.csv", "--seed-file", "seed.txt", "-o", "one.csv")[0] == 0
    assert shell(*command, "m2.csv", "--seed", "7", "-o", "two.csv")[0] == 0
    assert (place / "one.csv").read_bytes() == (place / "two.csv").read_bytes()
    assert (place / "m1.csv").read_bytes() == (place / "m2.csv").read_bytes()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n",
        b"-98765",
        b"98765x",
        b"98765.0",
        b"98_765",
        b"98765\n98765\n",
        b"98765\n\n",
        b"98 765",
        b"seed = 98765",
        b"\xef\xbb\xbf98765",
        b"98765\xff",
        b"98765\0",
        "٣٣٣٣٣".encode(),
        b"98765" * 1_000,
        b"98765" + b" " * 10**6,
    ],
)
def test_other_contents_are_refused_and_not_shown(place, shell, data):
    (place / "seed.txt").write_bytes(data)
    code, out, told = shell(*spell_command(*CASES[0][:2]))
    assert code == 2
    assert "seed.txt" in told
    assert "whole number" in told
    assert not any(shown in told + out for shown in ("98765", "98 765", "98_765", "٣", "0xff"))
    assert not collect_files(place)


def test_a_seed_file_is_one_seed_and_an_input(place, shell):
    command = spell_command(*CASES[0][:2])
    code, _, told = shell(*command, "--seed", "5")
    assert code == 2
    assert "--seed-file" in told
    code, _, told = shell(*command, "--set", "seed=5")
    assert code == 2
    assert str(SEED) not in told
    assert shell(*["none.txt" if word == "seed.txt" else word for word in command])[0] == 2
    assert (
        shell(*["seed.txt" if word == "safe.csv" else word for word in command], "--format", "csv", "--force")[0] == 2
    )
    assert (place / "seed.txt").read_text() == f"{SEED}\n"
    assert not collect_files(place)
