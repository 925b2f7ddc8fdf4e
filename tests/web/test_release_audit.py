"""The page "Audit": the sections of the report on a release, from the same templates, under the policy of the app."""

import re

import pytest

from shoal.report.html.charts.draw import read_page_part
from web_rounds import list_made
from web_site import read_text


def place(opened, one):
    return f"/data/{opened.key}/release/{one.number}/audit"


@pytest.fixture(scope="module")
def audited(site, club):
    """A release that is audited from its page; quick to make, and it passes."""
    one = next(one for one in club.rounds[0].ranked if one.title == "equalize rows")
    assert site.get(place(club, one)).status_code == 200
    site.finish(club)
    site.get(f"{place(club, one)}/state")
    site.finish(club)
    assert one.audited is not None
    return one


def cut_body(page):
    """Return the sections of a report, from the summary to the end of the last section."""
    body = page[page.index('<div id="summary">') :].rpartition("</section>")[0].replace("\u00a0%", " %")
    body = re.sub(r'<div class="clicks">.*?</div>', "", body)
    body = re.sub(r'<details class="typed"><summary>.*?</summary>(.*?)</details>', r"\1", body)
    return re.sub(r"\n\s*\n", "\n", body)


def test_the_sections_are_those_of_the_report(site, club, audited):
    page = site.get(place(club, audited)).text
    assert cut_body(page) == cut_body(audited.audited.page)
    word = {"pass": "PASS", "fail": "FAIL", "cannot tell": "CANNOT TELL"}[audited.audited.summary.verdict]
    assert f"<strong>{word}</strong>" in page
    for title in ("Attacks", "What to do next"):
        assert title in read_text(page), title
    assert re.search(r"95 % interval|interval", read_text(page))


def test_no_style_and_no_script_stand_in_the_page(site, club, audited):
    answer = site.get(place(club, audited))
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    page = answer.text
    assert not re.search(r"<style|\sstyle=", page)
    assert not re.search(r"<[^>]*\son\w+=", page)
    assert re.findall(r"<script(?![^>]*\ssrc=\"/)", page) == []
    for file in ("audit.css", "audit.js"):
        assert f'"/{file}"' in page
        assert site.get(f"/{file}").text == read_page_part(file)
    assert "http://" not in re.sub(r"http://www\.w3\.org/\S*", "", page)


def test_ids_are_unique_and_links_inside_the_page_lead_somewhere(site, club, audited):
    page = site.get(place(club, audited)).text
    ids = re.findall(r'\sid="(.*?)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#(.+?)"', page)) <= set(ids)


def test_the_audit_runs_once(site, club, audited):
    jobs = dict(club.jobs)
    page = site.get(place(club, audited)).text
    assert "audit/state" not in page  # nothing changes any more
    assert site.get(f"{place(club, audited)}/state").headers["hx-refresh"] == "true"
    assert club.jobs == jobs


def test_an_audit_can_be_stopped_and_begun_again(site, club, audited):
    kept, audited.audited = audited.audited, None
    try:
        with site.hold():
            page = site.post(f"{place(club, audited)}/resume").text
            assert "waiting for a free worker" in page
            job = club.jobs[f"audit {audited.number}"]
            page = site.post(f"{place(club, audited)}/cancel").text
            assert job.state == "canceled"
            assert "Canceled." in page
            for path in ("", "/state"):  # a reload, or an event, does not begin it again
                page = site.get(f"{place(club, audited)}{path}").text
                assert "Audit again" in page
                assert club.jobs[f"audit {audited.number}"] is job
            site.post(f"{place(club, audited)}/resume")
            again = club.jobs[f"audit {audited.number}"]
            assert (again is job, again.state) == (False, "waiting")
            site.call(site.workspace.jobs.cancel, again)
        site.finish(club)
    finally:
        audited.audited = kept


def test_an_error_is_told(site, club, audited):
    kept, audited.audited = audited.audited, None
    job = club.jobs[f"audit {audited.number}"]
    before = job.state, job.error
    try:
        job.state, job.error = "failed", "This needs more than <1 GB> of memory."
        page = site.get(place(club, audited)).text
        assert "more than &lt;1 GB&gt; of memory" in page
        assert "Audit again" in page
    finally:
        audited.audited, (job.state, job.error) = kept, before


def test_files_are_made_before_the_audit(site, club):
    one = next(one for one in list_made(club.rounds[0]) if not one.files)
    with site.hold():
        site.get(place(club, one))
        assert f"files {one.number}" in club.jobs
        assert f"audit {one.number}" not in club.jobs
        page = site.post(f"{place(club, one)}/cancel").text
        assert "Canceled." in page
    site.finish(club)
    del club.jobs[f"files {one.number}"]


def test_what_to_do_next_is_to_click_and_warnings_are_not_folded(site, club, audited):
    page = site.get(place(club, audited)).text
    clicks = re.search(r'<div class="clicks">(.*?)</div>', page)[1]
    assert f"/release/{audited.number}/publish" in clicks
    folded = re.findall(r'<details class="typed">(.*?)</details>', page)
    commands = [text for is_command, text in audited.audited.summary.steps if is_command]
    assert len(folded) == len(commands) > 0
    for is_command, text in audited.audited.summary.steps:
        assert is_command or text[:40] not in "".join(folded)
    assert "clicks" not in audited.audited.page
