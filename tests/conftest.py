"""What several tests need: the small graphs, and strategies that draw others."""

import gc
from itertools import count
from types import SimpleNamespace

import networkx as nx
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import shoal
from draws import SEED, TIMES, describe_draw
from method_cases import search_briefly
from shoal import workers
from shoal.cli.app import run_command
from shoal.errors import OutOfTime

pytest_plugins = ["audit_cases", "browsing", "relational_cases", "web_rounds", "web_site"]

settings.register_profile(
    "shoal", max_examples=100 * TIMES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
settings.load_profile("shoal")

ATLAS = nx.graph_atlas_g()[1:]
"""All graphs with one to seven vertices, 1,252 of them."""


def pytest_collection_finish():
    """Let the garbage collector pass over what is loaded by now, and run less often: it took a twelfth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


def pytest_report_header():
    return f"drawn cases: SHOAL_TEST_SEED={SEED}"


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"drawn cases: SHOAL_TEST_SEED={SEED}")  # a quiet run has no head


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    if report.failed and (drawn := describe_draw(item.nodeid)):
        report.sections.append(("Drawn case", drawn))
    return report


@pytest.fixture(scope="session")
def atlas():
    return [(g, shoal.as_graph(g)) for g in ATLAS]


LABELS = ["x", "y", None, float("nan"), 1, "1", True, 1.0]


@st.composite
def graphs(draw, least=1, most=7, multi=False, attributed=False, names=None):
    """Draw a small networkx graph, perhaps with parallel edges and with attributes "a" and "b"."""
    n = draw(st.integers(least, most))
    nodes = list(range(n)) if names is None else names[:n]
    g = nx.MultiGraph() if multi else nx.Graph()
    g.add_nodes_from(nodes)
    often = [0, 0, 1, 1, 2, 3] if multi else [0, 1]
    pairs = [(nodes[i], nodes[j]) for i in range(n) for j in range(i)]
    drawn = draw(st.binary(min_size=len(pairs), max_size=len(pairs)))  # all at once, since each draw takes time
    for pair, byte in zip(pairs, drawn, strict=True):
        g.add_edges_from([pair] * often[byte % len(often)])
    if attributed:
        for v, byte in zip(nodes, draw(st.binary(min_size=n, max_size=n)), strict=True):
            g.nodes[v].update(a=LABELS[byte % len(LABELS)], b=byte // len(LABELS) % 2)
    return g


@st.composite
def attacks(draw, **kwargs):
    """Draw a published graph, an original, and a partial injective mapping between them."""
    published = draw(graphs(most=5, names=list("pqrst"), **kwargs))
    original = draw(graphs(most=5, **kwargs))
    images = draw(st.permutations(list(published)))
    size = draw(st.integers(1, min(len(published), len(original))))
    sources = draw(st.permutations(list(original)))
    return published, original, dict(zip(sources[:size], images[:size], strict=True))


def interrupting(calls, seen):
    """Return a watcher that is interrupted at the given reports of a search, and notes what it is told."""

    def watcher(what, done, total):
        if what.startswith(("searching", "stopping")):
            seen.append(what)
            if len(seen) in calls:
                raise KeyboardInterrupt

    return watcher


@pytest.fixture
def steady(monkeypatch):
    """Let each look at the clock in a search be one second after the last, on any machine."""
    clock = SimpleNamespace(perf_counter=map(float, count()).__next__)
    monkeypatch.setattr("shoal.optimize.annealing.time", clock)


@pytest.fixture(scope="module")
def brief_searches():
    """Let methods search briefly, in tests of what is made of their releases."""
    with search_briefly():
        yield


@pytest.fixture
def shell(capsys):
    """Run a command line; return its exit code, stdout and stderr."""

    def run(*arguments):
        code = run_command([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def put_into_workers(code, monkeypatch):
    """Let every worker process run some code at its start, since no patch of this process reaches it."""
    begun = workers.START.replace("from shoal.workers", f"{code}; from shoal.workers")
    monkeypatch.setattr(workers, "START", begun)


def end_calls(ends, monkeypatch):
    """Let the time be over for the calls to a worker that `ends` picks, whatever the clock says."""
    real = workers.BoundedWork.run

    def run(self, call, *, last=False):
        if self.limit is not None and ends(call, self.state):
            raise OutOfTime(self.limit.reason)
        return real(self, call, last=last)

    monkeypatch.setattr(workers.BoundedWork, "run", run)
