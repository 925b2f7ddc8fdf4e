"""Time limits: shares of the time left, and repeated work that stops in time."""

import pytest

from shoal.errors import BadParameter
from shoal.limits import Pace, TimeLimit, find_limit, format_duration, limit_time


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that the test sets."""
    at = [1000.0]
    monkeypatch.setattr("shoal.limits.time.monotonic", lambda: at[0])
    return at


def test_a_limit_ends_and_its_shares_end_earlier(clock):
    limit = TimeLimit.of(100)
    assert (limit.left, limit.share().left, limit.share(last=True).left) == (100, 50, 100)
    clock[0] += 60
    assert (limit.left, limit.share().left) == (40, 20)
    clock[0] += 60
    assert (limit.left, limit.share().left) == (0, 0)
    assert limit.share().seconds == 100, "the words are about the limit of the user"


def test_the_earlier_of_two_limits_holds(clock):
    assert find_limit() is None
    with limit_time(60):
        with limit_time(None):
            assert find_limit().seconds == 60
        with limit_time(600):
            assert find_limit().seconds == 60
        with limit_time(5):
            assert find_limit().seconds == 5
        assert find_limit().seconds == 60
    assert find_limit() is None


@pytest.mark.parametrize("wrong", [0, -1, True, "5m"])
def test_a_wrong_limit_is_refused(wrong):
    with (
        pytest.raises(BadParameter, match=r"audit: 'time_limit' must be a number of seconds above 0"),
        limit_time(wrong, "audit"),
    ):
        pass


def test_a_step_is_begun_only_if_it_fits(clock):
    with limit_time(100):
        pace = Pace()
        steps = 0
        while True:
            clock[0] += 30
            steps += 1
            if not pace.fits_another():
                break
    assert steps == 3


def test_without_a_limit_every_step_fits():
    assert Pace().fits_another()


def test_durations_are_written_as_they_are_read():
    from shoal.cli.options import DURATION

    for seconds in (1, 59, 60, 90, 300, 3_600, 5_400, 0.5):
        assert DURATION.convert(format_duration(seconds), None, None) == seconds
