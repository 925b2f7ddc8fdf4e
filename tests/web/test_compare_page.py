"""The page "Compare": two releases of a session, with the numbers of their own pages."""

import re

import pytest

from web_rounds import list_made, read_cell


@pytest.fixture(scope="module")
def made(club):
    return list_made(club.rounds[0])


def compare(site, club, query=""):
    site.get(f"/data/{club.key}/compare{query}")
    site.finish(club)
    answer = site.get(f"/data/{club.key}/compare{query}")
    assert answer.status_code == 200
    return answer.text


def read_rows(page):
    found = {}
    for row in re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL):
        cells = [read_cell(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)]
        found[cells[0]] = cells[1:]
    return found


def read_chosen(page):
    return [int(number) for number in re.findall(r'<option value="(\d+)" selected', page)]


def test_both_releases_have_the_numbers_of_their_own_pages(site, club, made):
    one, other = made[0], made[-1]
    page = compare(site, club, f"?one={one.number}&other={other.number}")
    assert read_chosen(page) == [one.number, other.number]
    found = read_rows(page)
    for trial, at in ((one, 1), (other, 2)):
        own = site.get(f"/data/{club.key}/release/{trial.number}/state").text
        rows = read_rows(own)
        for name in ("people", "links", "most links of a person", "transitivity", "people in the largest component"):
            assert (found[name][0], found[name][at]) == tuple(rows[name])
        attempt = trial.tried.attempt
        assert found["verdict"][at] == ("PASS" if trial.verdict == "pass" else "FAIL")
        assert found["people at risk"][at].startswith(f"{attempt.below} (")
        assert found["links changed"][at].startswith(f"{attempt.cost.links} (")
        assert found["people left out"][at].startswith(f"{attempt.cost.left_out} (")
        assert "internal" in found["tried for"][at]
    assert page.count("<figure") >= 2
    ids = re.findall(r' id="(.*?)"', page)
    assert len(ids) == len(set(ids))


def test_the_first_two_releases_are_compared_unless_others_are_named(site, club, made):
    assert read_chosen(compare(site, club)) == [made[0].number, made[1].number]
    assert read_chosen(compare(site, club, f"?other={made[0].number}")) == [made[1].number, made[0].number]
    assert read_chosen(compare(site, club, "?one=99&other=x")) == [made[0].number, made[1].number]


def test_a_release_can_be_compared_with_itself(site, club, made):
    number = made[2].number
    page = compare(site, club, f"?one={number}&other={number}")
    assert read_chosen(page) == [number, number]
    rows = read_rows(site.get(f"/data/{club.key}/compare/state?one={number}&other={number}").text)
    assert "transitivity" in rows
    assert all(cells[1] == cells[2] for cells in rows.values() if len(cells) == 3)
    ids = re.findall(r' id="(.*?)"', page)
    assert len(ids) == len(set(ids))


def test_releases_of_two_rounds_can_be_compared(site, club, made):
    from dataclasses import replace

    first = club.rounds[0]
    later = replace(first, number=2, loss=replace(first.loss, edits=77), trials=[replace(made[0], number=99)])
    club.rounds.append(later)
    try:
        rows = read_rows(compare(site, club, f"?one={made[0].number}&other=99"))
        assert "at most 30 % of the links" in rows["tried for"][1]
        assert "at most 77 % of the links" in rows["tried for"][2]
    finally:
        club.rounds.remove(later)


def test_one_release_is_not_compared(site):
    opened = site.upload("links.csv", "a,b\nb,c\n")
    for path in ("compare", "compare/state"):
        answer = site.get(f"/data/{opened.key}/{path}")
        assert answer.headers["location"].endswith("/protect")
