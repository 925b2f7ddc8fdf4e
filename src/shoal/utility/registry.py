"""All metrics, found by name or title. A new family of metrics adds one line here."""

from __future__ import annotations

from shoal.errors import find_by_name
from shoal.utility.base import Group, Metric
from shoal.utility.changes import CHANGE_METRICS
from shoal.utility.communities import COMMUNITIES
from shoal.utility.directions import DIRECTIONS, KINDS
from shoal.utility.network import CENTRALITY, CLUSTERING, CORES, DEGREES, DISTANCES, LINKS, SPECTRUM

GROUPS = (LINKS, DEGREES, CLUSTERING, DISTANCES, CENTRALITY, COMMUNITIES, SPECTRUM, CORES)
"""The metrics of every network. Those of columns depend on the data: :func:`.columns.group_column_metrics`."""
TIE_GROUPS = (DIRECTIONS, KINDS)
"""The metrics of a network whose links have directions, and of one whose links have kinds."""
METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (*CHANGE_METRICS, *(metric for group in (*GROUPS, *TIE_GROUPS) for metric in group.metrics))
}
"""Every metric that does not depend on columns, by name."""
TITLES: dict[str, Metric] = {metric.title: metric for metric in METRICS.values()}


def choose_groups(directed: bool, kinds: bool) -> tuple[Group, ...]:
    """Return the groups of metrics of a network whose links have directions, kinds, both or neither.

    >>> [len(choose_groups(*form)) for form in ((False, False), (True, False), (True, True))]
    [8, 9, 10]
    """
    return (*GROUPS[:2], *([DIRECTIONS] if directed else []), *([KINDS] if kinds else []), *GROUPS[2:])


def find_metric(name: str) -> Metric:
    """Return the metric with a name, e.g. "largest component", or a title, e.g. "share in the largest component".

    >>> find_metric("share in the largest component").phrase
    'the share of the vertices that are in the largest component'
    """
    return TITLES[name] if name in TITLES else find_by_name("metric", name, METRICS)
