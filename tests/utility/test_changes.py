"""Metrics of changes: links and cells that differ from the original."""

import numpy as np

import shoal
from shoal.data.dataset import as_dataset
from shoal.utility.changes import count_changed_cells, measure_changes


def test_links_and_cells_are_counted_per_link_and_cell():
    before, after = shoal.as_graph([("a", "b"), ("b", "c")]), shoal.as_graph([("a", "b"), ("a", "c")])
    assert measure_changes(before, after, np.arange(3)) == {"changed": 1, "links changed": 1}
    assert measure_changes(before, before, np.arange(3)) == {"changed": 0, "links changed": 0}


def test_cells_of_added_and_removed_people_count_as_changed():
    one = as_dataset({"age": [1, 2, None]})
    other = as_dataset({"age": [1, None, None, 5]})
    assert count_changed_cells(one, other, np.array([0, -1, 2])) == 1 + 2
    assert count_changed_cells(one, as_dataset({"sex": [1, 2, 3]}), np.array([0, 1, 2])) == 3
