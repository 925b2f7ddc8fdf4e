"""The benchmark of growth: rows for all parts, limits of cells, the journal, exponents and their explanations."""

import json
import sys

import numpy as np
import pytest

from bench_scripts import scaling, scaling_rows
from shoal.attacks import ATTACKS
from shoal.knowledge import REGISTRY
from shoal.methods import METHODS

LIMITS = {"seconds": 5.0, "memory": 1.0}


def test_no_part_is_forgotten():
    parts = {row.part for row in scaling_rows.ROWS.values()}
    for registry in (REGISTRY, METHODS, ATTACKS):
        assert set(registry) <= parts
    assert "audit" in scaling_rows.ROWS
    assert set(scaling_rows.ROWS) >= scaling_rows.HUGE
    assert set(scaling_rows.EXPLAINED) <= set(scaling_rows.ROWS)


def measured(cpu, size=10_000, row="degree"):
    return {
        "row": row,
        "size": size,
        "cpu": cpu,
        "wall": cpu,
        "peak": 0.1,
        "version": "1",
        "date": "2000-01-01",
    } | LIMITS


@pytest.mark.parametrize(("power", "noisy"), [(1, 0.0001), (2, 0.0001), (1.5, None)])
def test_exponent_is_fitted_above_the_noise(power, noisy):
    cells = [measured(0.5 * 10 ** (power * i), 10 ** (5 + i)) for i in range(3)]
    if noisy:
        cells.insert(0, measured(noisy))
    assert scaling.fit_exponent(cells) == pytest.approx(power)


def test_one_cell_has_no_exponent():
    assert scaling.fit_exponent([measured(1.0), measured(0.001, 100_000), {"size": 10**6, "stopped": "time"}]) is None


def tabulate(cells, explained=()):
    cells = {(cell["row"], cell["size"]): cell for cell in cells}
    lines, notes, sound = scaling.make_table(cells, list(scaling_rows.ROWS), dict(explained))
    return "\n".join(lines), "\n".join(notes), sound


def test_steep_and_stopped_rows_must_be_explained():
    steep = [measured(1.0), measured(100.0, 100_000)]
    table, notes, sound = tabulate(steep)
    assert "**2.00** (!)" in table
    assert "NOT EXPLAINED" in notes
    assert not sound
    _, notes, sound = tabulate(steep, {"degree": "all pairs"})
    assert "all pairs" in notes
    assert sound
    stopped = [measured(1.0), {"row": "degree", "size": 100_000, "stopped": "time"}]
    assert not tabulate(stopped)[2]
    assert tabulate(stopped, {"degree": "all pairs"})[2]
    gentle = [measured(1.0), measured(10.0, 100_000)]
    assert tabulate(gentle)[1:] == ("", True)


def test_failed_cells_and_sizes_left_out_are_shown():
    failed = {"row": "degree", "size": 10_000, "failed": "code 1: no"}
    table, _, sound = tabulate([failed, measured(1.0, 100_000, "orbit")], {"degree": "-"})
    assert "failed (code 1: no) | left out" in table
    assert not sound


class Stub:
    """Stands for the processes of cells."""

    def __init__(self, results):
        self.results, self.asked = results, []

    def __call__(self, command, seconds, memory):
        cell = command[command.index("--cell") + 1], int(command[command.index("--size") + 1])
        self.asked.append(cell)
        found = self.results.get(cell, {"cpu": 1.0, "wall": 1.0, "peak": 0.1})
        if found is KeyboardInterrupt:
            raise KeyboardInterrupt
        return found


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr(scaling, "draw", lambda *_: None)

    def measure(stub, sizes=(10_000, 100_000, 1_000_000), seconds=5.0, memory=1.0):
        names = ["degree", "orbit"]
        return scaling.measure(names, sizes, tmp_path / "journal.jsonl", tmp_path, seconds, memory, run=stub)

    return measure


def test_larger_sizes_are_left_out_after_a_stop(run):
    stub = Stub({("orbit", 100_000): {"stopped": "time"}})
    cells = run(stub)
    assert [size for name, size in stub.asked if name == "orbit"] == [10_000, 100_000]
    assert len([name for name, _ in stub.asked if name == "degree"]) == 3
    assert scaling.show_cell(cells["orbit", 100_000]) == "stopped (time)"


def test_an_interrupted_run_goes_on(run, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(Stub({("degree", 100_000): KeyboardInterrupt}))
    with (tmp_path / "journal.jsonl").open("a") as file:
        file.write('\n{"row": "orbit", "si')  # torn by a crash
    again = Stub({})
    run(again)
    assert again.asked == [("degree", 100_000), ("orbit", 100_000), ("degree", 1_000_000), ("orbit", 1_000_000)]
    assert len(scaling.read_journal(tmp_path / "journal.jsonl")) == 6
    nothing = Stub({})
    run(nothing)
    assert not nothing.asked


def test_stopped_cells_run_again_with_higher_limits_only(run):
    run(Stub({("orbit", 10_000): {"stopped": "time"}, ("degree", 10_000): {"stopped": "memory"}}))
    for limits, asked in (
        ({}, []),
        ({"memory": 0.5}, []),
        ({"seconds": 6.0}, ["orbit"]),
        ({"memory": 2.0}, ["degree"]),
    ):
        stub = Stub({("orbit", 10_000): {"stopped": "time"}, ("degree", 10_000): {"stopped": "memory"}})
        run(stub, sizes=(10_000,), **limits)
        assert [name for name, _ in stub.asked] == asked, limits


def test_failed_cells_and_cells_of_other_versions_run_again(run, monkeypatch):
    run(Stub({("orbit", 10_000): {"failed": "code 1"}}), sizes=(10_000,))
    stub = Stub({})
    run(stub, sizes=(10_000,))
    assert stub.asked == [("orbit", 10_000)]
    monkeypatch.setattr(scaling.shoal, "__version__", "99")
    stub = Stub({})
    run(stub, sizes=(10_000,))
    assert len(stub.asked) == 2


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("print('ready', flush=True); print('{\"cpu\": 1, \"peak\": 9}')", {"cpu": 1, "peak": 9}),
        ('print(\'{"refused": "no"}\')', {"refused": "no"}),
        ("print('ready', flush=True); import time; time.sleep(60)", {"stopped": "time"}),
        ("print('ready', flush=True); x = bytearray(300_000_000); import time; time.sleep(60)", {"stopped": "memory"}),
        ("import sys; sys.exit('broken')", {"failed": "code 1: broken"}),
        ("print('ready', flush=True); print('{\"cpu\"'); raise SystemExit(3)", {"failed": "code 3: no message"}),
    ],
    ids=["result", "refused", "time", "memory", "failed", "torn result"],
)
def test_a_cell_is_stopped_at_its_limits(code, expected):
    seconds = 0.3 if expected == {"stopped": "time"} else 30
    assert scaling.run_cell([sys.executable, "-c", code], seconds, 0.2) == expected


def test_memory_of_processes_that_a_cell_starts_counts():
    hog = "x = bytearray(300_000_000); import time; time.sleep(60)"
    code = f"print('ready', flush=True); import subprocess, sys; subprocess.run([sys.executable, '-c', {hog!r}])"
    assert scaling.run_cell([sys.executable, "-c", code], 30, 0.2) == {"stopped": "memory"}


def test_a_slow_input_is_no_result_of_the_work(monkeypatch):
    monkeypatch.setattr(scaling, "PREPARATION", 0.3)
    found = scaling.run_cell([sys.executable, "-c", "import time; time.sleep(60)"], 0.1, 1)
    assert found == {"stopped": scaling.UNPREPARED}
    assert not scaling.is_known(measured(1) | found | {"version": scaling.shoal.__version__}, 0.1, 1)


def test_a_part_is_measured_in_its_own_process(tmp_path, capfd):
    for size in (scaling.SMALL, 2_000):
        scaling.draw(size, tmp_path)
    ends = np.load(tmp_path / "2000" / "ends.npy")
    assert ends.shape[1] > 1_800
    assert scaling.main(["--cell", "degree", "--size", "2000", "--folder", str(tmp_path)]) == 0
    ready, result = capfd.readouterr().out.splitlines()
    assert ready == "ready"
    found = json.loads(result)
    assert 0 <= found["cpu"] < 60
    assert 0.02 < found["peak"] < 10
