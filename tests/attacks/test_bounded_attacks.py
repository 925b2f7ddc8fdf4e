"""Attacks within a time limit: complete, sampled, or left out with the reason."""

import json

import pytest

import shoal
from conftest import end_calls, put_into_workers
from shoal.attacks import informed
from shoal.errors import OutOfTime

CLUB = shoal.examples.karate()
NO_TIME = "import shoal.limits as l; l.Pace.fits_another = lambda self: False"
"""The pace of a worker in which one step is all that fits."""
WAYS = [{"knowledge": "neighbors:2"}, {"by": "korula-lattanzi"}, {"by": "cascade"}]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_with_enough_time_the_limit_changes_nothing(way):
    made = shoal.attack(CLUB, CLUB, time_limit=300, **way)
    assert made.data() == shoal.attack(CLUB, CLUB, **way).data()
    assert made.partial == ""


@pytest.mark.slow
def test_repeats_that_do_not_fit_are_left_out(monkeypatch):
    put_into_workers(NO_TIME, monkeypatch)
    made = shoal.attack(CLUB, CLUB, by="korula-lattanzi", time_limit=300)
    assert made.data() | {"partial": ""} == shoal.attack(CLUB, CLUB, by=shoal.attacks.KorulaLattanzi(repeats=1)).data()
    assert made.partial == "The time limit of 5m ended the attack after 1 of 10 repeats."
    assert repr(made).startswith("PARTIAL. The time limit of 5m")
    planted = shoal.attacks.PlantedWalk(method=shoal.methods.Perturb(delete=3), repeats=3)
    assert "1 of 3 repeats" in shoal.attack(CLUB, CLUB, by=planted, time_limit=300).partial


def test_targets_that_do_not_fit_are_left_out(monkeypatch):
    """The targets tried are a sample of all: their order is random."""
    monkeypatch.setattr(informed, "AT_ONCE", 8)
    monkeypatch.setattr("shoal.workers._inside", True)
    monkeypatch.setattr("shoal.limits.Pace.fits_another", lambda self: False)
    made = shoal.attack(CLUB, CLUB, "neighbors:2", time_limit=300)
    assert {rate.of for trial in made.trials for rate in trial.rates.values()} == {8}
    assert made.partial == "The time limit of 5m ended the attack after 8 of 34 targets."
    assert made.settings["trials"] == 8
    assert made.interval is not None


def test_pieces_of_targets_change_nothing(monkeypatch):
    whole = shoal.attack(CLUB, CLUB, "neighbors:2").data()
    monkeypatch.setattr(informed, "AT_ONCE", 5)
    assert shoal.attack(CLUB, CLUB, "neighbors:2").data() == whole


def test_without_time_there_is_no_outcome(shell):
    with pytest.raises(OutOfTime, match=r"cascade was not finished within the time limit of 0.001s"):
        shoal.attack(CLUB, CLUB, by="cascade", time_limit=0.001)
    names = ["attack", "example:karate", "example:karate", "--same-names"]
    code, _, err = shell(*names, "--by", "cascade", "--knows", "degree", "--time-limit", "0.000001s")
    assert code == 2
    assert "knows:degree" in err
    assert "cascade" in err


@pytest.mark.slow
def test_an_endless_attack_is_left_out_and_the_others_are_there(monkeypatch, shell):
    end_calls(lambda _, prepared: isinstance(prepared.attack, shoal.attacks.Cascade), monkeypatch)
    names = ["attack", "example:karate", "example:karate", "--same-names", "--by", "cascade", "--knows", "degree"]
    code, out, _ = shell(*names, "--time-limit", "10m", "--json")
    found = json.loads(out)
    assert code == 0
    assert [one["attack"] for one in found["attacks"]] == ["knows:degree"]
    assert [one["name"] for one in found["left out"]] == ["cascade"]
    assert found["partial"] == "The time limit of 10m ended 1 of 2 attacks."
