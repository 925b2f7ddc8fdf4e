"""Options that several commands share."""

import click
import pytest

from shoal.cli.options import DURATION


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("90s", 90), ("1.5m", 90), ("5m", 300), ("1h", 3600)])
def test_a_time_is_seconds_minutes_or_hours(text, seconds):
    assert DURATION.convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["", "0", "0s", "-1", "5 m", "5d", "1e3", "m", "nan", "٣", "1" * 40])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(click.BadParameter, match="90s"):
        DURATION.convert(text, None, None)


def test_a_wrong_time_limit_ends_with_2(shell):
    code, _, err = shell("frontier", "example:florentine", "-k", "2", "--time-limit", "soon")
    assert code == 2
    assert "--time-limit" in err


def test_a_wrong_number_of_threads_ends_with_2_before_the_work(shell, monkeypatch):
    monkeypatch.setenv("SHOAL_THREADS", "many")
    code, out, err = shell("risk", "no-such-file.csv")
    assert (code, out) == (2, "")
    assert "SHOAL_THREADS" in err
