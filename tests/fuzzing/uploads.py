"""Uploads to the web app, through its ASGI app: a file is sent, read in a worker process, and its pages are asked for.

Each answer is written into the current folder as a page, so that it can be judged. What the app or a worker must never
answer raises `Broken`.
"""

import atexit
from pathlib import Path
from urllib.parse import quote

PAGES = ("open", "open/state", "risk", "risk/counts?k=2", "risk/list?k=2")
MOST = 12
"""Data sets that stay open; to close one stops its worker, which takes long to start."""
LARGEST = 64_000_000


class Broken(Exception):
    """An answer that is a defect."""


_sites = []


def get_site():
    """Return the site of this process, started on first use."""
    import web_site

    web_site.LIMIT = 3_600  # the watcher says what takes too long
    if not _sites:
        _sites.append(web_site.Site(largest=LARGEST, workers=1))
        atexit.register(_sites[0].close)
    site = _sites[0]
    if len(site.workspace.opened) >= MOST:
        for opened in list(site.workspace.opened.values()):
            site.call(site.workspace.forget, opened)
    return site


def upload_links(path):
    """Upload a network."""
    _judge(get_site(), path.name, path.read_bytes(), None)


def upload_people(path):
    """Upload a table about the people of a network."""
    _judge(get_site(), "l.csv", path.with_name("l.csv").read_bytes(), (path.name, path.read_bytes()))


def _judge(site, name, body, people):
    opened = _send(site, f"/upload?name={quote(name)}", body, 1)
    if people is not None and opened is not None:
        site.finish(opened)
        _send(site, f"/data/{opened.key}/open/people?name={quote(people[0])}", people[1], 2)
    if opened is None:
        return
    site.finish(opened)
    for number, page in enumerate(PAGES, 3):
        _keep(site.get(f"/data/{opened.key}/{page}"), number)
        site.finish(opened)
    for job in opened.jobs.values():
        if job.state == "failed" and (job.error.startswith(("This is a bug", "The process that did this ended"))):
            raise Broken(f"the job {job.name!r}: {job.error}")
    if opened.jobs["read"].state == "failed":
        from shoal.errors import BadFile

        raise BadFile(opened.jobs["read"].error)


def _send(site, place, body, number):
    answer = site.ask("POST", place, body=body)
    _keep(answer, number)
    return site.find(answer.json()["go"]) if answer.status_code == 200 else None


def _keep(answer, number):
    if answer.status_code >= 500:
        raise Broken(f"an answer with the status {answer.status_code}: {answer.text[:300]}")
    if "html" in answer.headers.get("content-type", ""):
        Path(f"page-{number}.html").write_bytes(answer.content)
