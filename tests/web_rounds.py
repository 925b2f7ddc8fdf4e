"""Data sets whose methods are tried in the web app, and what its pages tell of the releases."""

import random
import re
from html import unescape
from types import SimpleNamespace

import networkx as nx
import pytest

import shoal

CLUB = nx.watts_strogatz_graph(16, 4, 0.08, seed=1)
LINKS = "from,to\n" + "".join(f"Zoë{a:02},Zoë{b:02}\n" for a, b in CLUB.edges)
PEOPLE = "name,mail,age\n" + "".join(f"Zoë{i:02},zoe{i}@x.org,{20 + i // 2 % 2 * 10}\n" for i in range(16))
TABLE = "who,age,town,wage\n" + "".join(f"Who{i:02},{20 + i % 9},{'ABC'[i % 3]},{i * 10}\n" for i in range(40))
CALLS = "from,to,kind\n" + "".join(
    f"q{a},q{b},{('call', 'mail')[(a + b) % 2]}\n" for a, b in nx.gnm_random_graph(14, 40, seed=2, directed=True).edges
)


def try_methods(site, opened, rng=None, **form):
    """Try the methods as the page "Protect" does, with known seeds, and wait for all of them; return the round."""
    draw = (rng or random.Random(5)).getrandbits
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.web.trials.secrets", SimpleNamespace(randbits=draw))
        answer = site.post(f"/data/{opened.key}/protect/try", {"edits": 10, "left_out": 0} | form)
        assert answer.status_code == 303, answer.text
        site.finish(opened)
    return find_round(opened, answer)


def find_round(opened, answer):
    number = int(answer.headers["location"].rpartition("=")[2])
    return next(one for one in opened.rounds if one.number == number)


def list_made(found):
    """Return the trials that have a release."""
    return [one for one in found.trials if one.release is not None]


def drop_names(opened, trial):
    """Return the data of a trial: without the columns that name people."""
    data = opened.data
    return data.with_attributes(data.attributes.only([n for n in data.attributes if n not in trial.policy.left_out]))


def list_pairs(data):
    """Return the links as pairs of names."""
    a, b, _ = data.edges()
    return {frozenset((data.names[v], data.names[w])) for v, w in zip(a.tolist(), b.tolist(), strict=True)}


def recount_at_risk(release, scenario, columns):
    """Return how many released people are below k, by facts of the release and by facts of the original."""
    kinds = scenario.choose_kinds(release.data, columns).values()
    found = []
    for original in (None, release.original):
        exposed = {v for kind in kinds for v in shoal.assess(release.data, kind, original=original).at_risk(scenario.k)}
        if original is not None:
            exposed &= set(release.data.names)
        found.append(len(exposed))
    return found


def read_cells(page):
    """Return the cells of each method in the table: its number, and its cells by their labels."""
    found = {}
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", page, re.DOTALL):
        head = re.search(r'<th scope="row">(\d+)\. (.*?)<small', row, re.DOTALL)
        if head:
            cells = re.findall(r'<td[^>]*?data-label="([^"]*)"[^>]*>(.*?)</td>', row, re.DOTALL)
            found[int(head.group(1))] = {name: read_cell(cell) for name, cell in cells} | {"row": read_cell(row)}
    return found


def read_cell(text):
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", text))).strip()


@pytest.fixture(scope="session")
def club(site):
    """A network with a table about its people, whose methods have been tried once; no test changes its first round."""
    opened = site.upload("Zoë's club.csv", LINKS, people=("people.csv", PEOPLE))
    assert opened.roles == {"mail": "identifier", "age": "quasi-identifier"}
    site.post(f"/data/{opened.key}/risk/scenario", {"scenario": "internal"})
    site.get(f"/data/{opened.key}/risk/counts?k=4")
    found = try_methods(site, opened, scenario="internal", edits=30, left_out=10)
    assert found.policy.scenario.name == "internal with k = 4"
    return site.count(opened)
