"""The number of threads is set in one place."""

import os

import networkx as nx
import pytest

import shoal
from shoal.errors import BadParameter
from shoal.settings import count_threads


def test_all_cores_by_default(monkeypatch):
    monkeypatch.delenv("SHOAL_THREADS", raising=False)
    assert count_threads() == len(os.sched_getaffinity(0))


def test_the_setting_wins_over_the_environment(monkeypatch):
    monkeypatch.setenv("SHOAL_THREADS", "3")
    assert count_threads() == 3
    monkeypatch.setattr(shoal.settings, "threads", 2)
    assert count_threads() == 2


@pytest.mark.parametrize("wrong", ["0", "-1", "two", ""])
def test_an_invalid_number_of_threads_is_refused(wrong, monkeypatch):
    monkeypatch.setenv("SHOAL_THREADS", wrong)
    with pytest.raises(BadParameter, match="SHOAL_THREADS"):
        count_threads()


def test_a_wrong_setting_is_refused_where_it_is_used(monkeypatch):
    monkeypatch.setattr(shoal.settings, "threads", 0)
    with pytest.raises(BadParameter, match="'threads'"):
        shoal.assess(nx.path_graph(4), "refinement:2")
