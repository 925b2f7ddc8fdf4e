"""The workspace: one state for all tabs, and what becomes of work that is no longer asked for."""

import pytest

import shoal
from shoal.data.dataset import Dataset
from shoal.errors import BadParameter
from shoal.web import workspace as workspace_module
from shoal.web.reading import Reading
from shoal.web.trials import Round
from shoal.web.workspace import guess_role

LINKS = b"Ann,Bob\nBob,Cem\nCem,Ann\nCem,Dan\n"


def list_events(queue):
    return [queue.get_nowait() for _ in range(queue.qsize())]


def make_columns(**columns) -> Dataset:
    return shoal.Table.of(columns)


def test_roles_are_guessed_towards_caution():
    many = [f"p{i}@x.org" for i in range(20)]
    data = make_columns(
        mail=many, almost=[*many[:18], "x", "x"], number=list(range(20)), town=["a", "b"] * 10, empty=[None] * 20
    )
    roles = {name: guess_role(data, name) for name in data.attributes}
    assert roles.pop("mail") == roles.pop("almost") == "identifier"
    assert set(roles.values()) == {"quasi-identifier"}
    one = make_columns(name=["only"])
    assert guess_role(one, "name") == "quasi-identifier"


def test_what_is_asked_twice_is_counted_once(site):
    opened = site.upload("links.csv", LINKS)
    with site.hold():
        site.get(f"/data/{opened.key}/risk")
        jobs = dict(opened.jobs)
        site.get(f"/data/{opened.key}/risk")  # a reload, or a second tab
        assert opened.jobs == jobs
    site.finish(opened)
    jobs = dict(opened.jobs)
    site.get(f"/data/{opened.key}/risk")
    assert opened.jobs == jobs


def test_results_of_an_earlier_reading_are_forgotten(site):
    opened = site.count(site.upload("links.csv", LINKS))
    assert opened.risks
    assert opened.drawing is not None
    with site.hold():
        before = opened.jobs["read"]
        site.call(site.workspace.reread, opened, Reading("links.csv", directed=True))
        waiting = opened.jobs["read"]
        assert waiting is not before
        assert (opened.data, opened.drawing, opened.risks, opened.results) == (None, None, {}, {})
        site.call(site.workspace.reread, opened, Reading("links.csv"))
        assert waiting.state == "canceled"
    site.finish(opened)
    assert not opened.data.directed


def test_an_answer_that_comes_after_the_data_was_read_again_is_dropped(site):
    opened = site.upload("links.csv", LINKS)
    with site.hold():
        site.call(site.workspace.draw, opened)
        late = opened.jobs["draw"]
        site.call(site.workspace.reread, opened, Reading("links.csv"))
    late.state, late.result = "done", "a drawing of other data"
    site.call(site.workspace._change, late)
    site.finish(opened)
    assert opened.drawing is None


def test_closed_data_leaves_no_trace_in_the_workspace(site):
    with site.hold():
        opened = site.upload("links.csv", LINKS, wait=False)
        jobs = list(opened.jobs.values())
        queue = site.call(site.workspace.listen)
        site.call(site.workspace.forget, opened)
    assert {"data": opened.key, "what": "closed"} in list_events(queue)
    site.call(site.workspace.ignore, queue)
    assert {job.state for job in jobs} == {"canceled"}
    for job in jobs:
        assert site.run(site.workspace.wait(job, 60))
    assert opened.key not in site.workspace.opened
    assert not {job.key for job in jobs} & (set(site.workspace._ends) | set(site.workspace._then))


def test_every_change_is_told_without_data(site):
    queue = site.call(site.workspace.listen)
    opened = site.upload("links.csv", LINKS)
    site.count(opened)
    events = [event for event in list_events(queue) if event.get("data") == opened.key]
    assert {event["what"] for event in events} == {"progress", "ended"}
    assert {"read the data", "draw the network", "count degree"} <= {event.get("job") for event in events}
    assert "Ann" not in str(events)
    assert "links.csv" not in str(events)
    site.call(site.workspace.ignore, queue)
    site.upload("links.csv", LINKS)
    assert queue.empty()


def test_a_tab_that_does_not_listen_loses_the_oldest_events(site):
    queue = site.call(site.workspace.listen)
    for at in range(queue.maxsize + 5):
        site.workspace.publish({"what": "progress", "at": at})
    events = list_events(queue)
    assert len(events) == queue.maxsize
    assert events[-1]["at"] == queue.maxsize + 4
    site.call(site.workspace.ignore, queue)


def test_there_is_a_limit_to_open_data_sets(site, monkeypatch):
    monkeypatch.setattr(workspace_module, "MOST_OPEN", len(site.workspace.opened))
    before = dict(site.workspace.opened)
    with pytest.raises(BadParameter, match="Close one"):
        site.call(site.workspace.open, Reading("links.csv"), {"links.csv": LINKS})
    answer = site.ask("POST", "/upload?name=links.csv", body=LINKS)
    assert answer.status_code == 400
    assert "Close one" in answer.text
    assert site.workspace.opened == before


def test_the_same_file_can_be_open_twice_with_other_choices(site):
    first, second = site.upload("links.csv", LINKS), site.upload("links.csv", LINKS)
    site.post(f"/data/{second.key}/open/reading", {"direction": "directed"})
    site.finish(second)
    assert not first.data.directed
    assert second.data.directed


def test_a_role_that_is_changed_while_counting_does_no_harm(site):
    people = ("people.csv", b"name,age\nAnn,1\nBob,1\nCem,2\nDan,2\n")
    opened = site.upload("links.csv", LINKS, people=people)
    with site.hold():
        site.get(f"/data/{opened.key}/risk")
        site.post(f"/data/{opened.key}/open/roles", {"role-0": "sensitive"})
    site.finish(opened)
    assert opened.judge() is not None
    assert {risk.adversary.spec for risk in opened.judge().risks} == {"degree", "neighbors:1"}
    assert "columns:age" in opened.risks  # kept, should the role be changed back


# Earlier ways to read.


def test_stepping_back_brings_everything_back(site):
    opened = site.count(
        site.upload("links.csv", LINKS, people=("people.csv", b"name,age\nAnn,1\nBob,1\nCem,2\nDan,2\n"))
    )
    site.post(f"/data/{opened.key}/open/roles", {"role-0": "sensitive"})
    opened.rounds.append(rounds := Round(1, opened.policy, opened.loss))
    before = opened.list_state()
    site.post(f"/data/{opened.key}/open/reading", {"direction": "directed"})
    site.post(f"/data/{opened.key}/open/roles", {"role-0": "other"})  # before it is read
    site.finish(opened)
    assert opened.data.directed
    assert (opened.rounds, opened.risks, opened.drawing) == ([], {}, None)
    place = next(at for at, one in enumerate(opened.earlier) if one["rounds"])
    page = site.get(f"/data/{opened.key}/open").text
    assert "4 people, 4 links, with its releases" in page
    answer = site.post(f"/data/{opened.key}/open/back/{place}")
    assert answer.headers["location"].endswith("/open")
    assert opened.list_state() == before
    assert opened.roles == {"age": "sensitive"}
    assert opened.rounds == [rounds]
    assert opened.earlier[-1]["data"].directed
    jobs = dict(opened.jobs)
    site.get(f"/data/{opened.key}/risk")
    assert "count degree" not in {name for name in opened.jobs if name not in jobs}  # it was counted before
    site.finish(opened)
    site.post(f"/data/{opened.key}/open/back/{len(opened.earlier) - 1}")
    assert opened.data.directed
    assert opened.roles == {"age": "other"}
    assert site.get(f"/data/{opened.key}/open").status_code == 200


def test_the_worker_has_the_data_of_the_earlier_way_again(site):
    opened = site.upload("links.csv", LINKS)
    site.post(f"/data/{opened.key}/open/reading", {"direction": "directed"})
    site.finish(opened)
    site.count(opened)
    assert "count degree" in opened.jobs
    site.post(f"/data/{opened.key}/open/back/0")
    site.count(opened)
    assert opened.judge().risks[0].sizes.tolist() == shoal.assess(opened.data, "degree").sizes.tolist()
    assert opened.drawing.links.tolist() == [[0, 1], [0, 2], [1, 2], [2, 3]]


def test_a_reading_that_failed_is_not_kept(site):
    opened = site.upload("links.csv", LINKS)
    site.post(f"/data/{opened.key}/open/reading", {"kind": "9"})
    site.finish(opened)
    assert opened.data is None
    assert len(opened.earlier) == 1
    site.post(f"/data/{opened.key}/open/back/0")
    assert opened.earlier == []
    assert opened.data is not None


@pytest.mark.parametrize("place", ["0", "-1", "x", "99"])
def test_there_is_no_such_earlier_way(site, place):
    opened = site.upload("links.csv", LINKS)
    state = opened.list_state()
    assert site.post(f"/data/{opened.key}/open/back/{place}").status_code == 400
    assert opened.list_state() == state
