"""Every metric describes itself, is registered, and is found by its name and its title."""

import importlib
import pkgutil
import re

import pytest

import shoal.utility
from shoal.errors import BadParameter
from shoal.release.drawn import measure_sample
from shoal.utility import columns
from shoal.utility.base import Group, Metric
from shoal.utility.registry import GROUPS, METRICS, find_metric

COLUMN = [family.of("age") for family in columns.COLUMN_METRICS]
ALL = [*METRICS.values(), *COLUMN, columns.CORRELATIONS]


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.name)
def test_each_metric_describes_itself(metric):
    assert metric.title
    assert re.fullmatch(r"[A-Z][^\n]*[^. ]\.", metric.description)
    assert ". " not in metric.description  # further sentences belong into the note
    assert metric.note == "" or re.fullmatch(r"[A-Z0-9][^\n]*\.", metric.note)
    assert metric.phrase.startswith("the ")
    assert not metric.phrase.endswith(".")
    assert metric.means.startswith(metric.description)


def test_no_metric_is_forgotten():
    declared = set()
    for module in pkgutil.iter_modules(shoal.utility.__path__):
        found = vars(importlib.import_module(f"shoal.utility.{module.name}")).values()
        declared |= {one for one in found if isinstance(one, Metric)}
        declared |= {metric for one in found if isinstance(one, Group) for metric in one.metrics}
    assert declared == {*METRICS.values(), columns.CORRELATIONS}
    assert {metric for group in GROUPS for metric in group.metrics} <= declared


def test_names_and_titles_are_unique():
    assert len({metric.name for metric in METRICS.values()}) == len(METRICS)
    assert len({metric.title for metric in METRICS.values()}) == len(METRICS)


def test_metrics_are_found_by_name_and_by_title():
    for metric in METRICS.values():
        assert find_metric(metric.name) is metric
        assert find_metric(metric.title) is metric
    with pytest.raises(BadParameter, match="Did you mean 'transitivity'"):
        find_metric("transitivty")


def test_what_public_files_name_is_a_metric():
    novel = shoal.examples.les_miserables()
    release = shoal.methods.EqualizeRows(k=2, seed=1)(novel)
    for name in release.utility.public(exchangeable=True):
        assert find_metric(name).title == name
    for name in measure_sample(novel, novel):
        assert find_metric(name).title == name
