"""The guard against slow-downs: ratios to a peer of the same run, recorded and compared."""

import json

import pytest

from bench_scripts import quick


def test_ratios_are_judged():
    ratios = {"same": 1.1, "slower": 3.0, "faster": 0.2, "new": 1.0}
    lines, slower = quick.judge(ratios, {"same": 1.0, "slower": 1.0, "faster": 1.0}, tolerance=1.5)
    assert slower == ["slower", "new"]
    told = "\n".join(lines)
    assert "3.00 SLOWER" in told
    assert "0.20 faster" in told
    assert "NOT RECORDED" in told


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """Run the guard with set times; return a function from words to the exit code."""
    monkeypatch.setattr(quick.shoal.settings, "threads", 1)
    times = {}

    def measure(work, peer):
        ours = times[work()]
        return (ours.pop(0) if isinstance(ours, list) else ours), 1.0

    monkeypatch.setattr(quick, "measure", measure)

    def run(*words, **seconds):
        times.clear()
        times.update(seconds)
        kernels = {name: (lambda name=name: name, lambda: None) for name in seconds}
        return quick.main(list(words), kernels=lambda _: kernels, place=tmp_path / "quick.json")

    run.place = tmp_path / "quick.json"
    return run


def test_a_slow_down_is_found(measured, capsys):
    assert measured("--record", read=1.0, count=2.0) == 0
    assert json.loads(measured.place.read_text())["ratios"] == {"read": 1.0, "count": 2.0}
    assert measured(read=1.2, count=2.5) == 0
    assert measured(read=1.2, count=5.0) == 1
    assert "count" in capsys.readouterr().out.splitlines()[-1]
    assert measured("--tolerance", "3", read=1.2, count=5.0) == 0


def test_a_noisy_moment_is_no_slow_down(measured):
    measured("--record", read=1.0)
    assert measured(read=[9.0, 1.1]) == 0
    assert measured(read=[9.0, 8.0, 7.0, 6.0]) == 1


def test_without_a_record_nothing_passes(measured):
    assert measured(read=1.0) == 1


def test_work_and_peer_take_turns_and_the_shortest_counts():
    ticks = iter([0, 5, 10, 12, 20, 23, 30, 34])
    called = []
    found = quick.measure(lambda: called.append("work"), lambda: called.append("peer"), 2, clock=lambda: next(ticks))
    assert found == (3, 2)
    assert called == ["work", "work", "peer", "work", "peer"]


def test_every_kernel_is_recorded(tmp_path):
    recorded = json.loads(quick.RECORDED.read_text())["ratios"]
    assert set(quick.list_kernels(tmp_path)) == set(recorded)
    assert len(recorded) >= 12
    assert all(ratio > 0 for ratio in recorded.values())
