"""The page "Publish": the files of a release as a zip file; the mapping, the internal report and the script apart."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import BadParameter
from shoal.report.text.scenarios import WORDS
from shoal.web.page import describe_progress, find_workspace, go, read_form, show
from shoal.web.pages.release import take_trial
from shoal.web.pages.take_away import send_bytes
from shoal.web.release_script import write_release_python, write_release_shell
from shoal.web.trials import Trial, name_files, start_files
from shoal.web.workspace import Opened

WHEN = (1980, 1, 1, 0, 0, 0)
"""The time of files in a zip file: the first that the format knows. The true time may tell something."""


async def show_publish(request: Request) -> Response:
    """Show the page, and begin to make the files."""
    opened, trial = take_trial(request)
    start_files(find_workspace(request), opened, trial)
    return show(request, "publish.html", opened=opened, step="take-away", **describe(opened, trial))


async def show_state(request: Request) -> Response:
    """Show the part that changes while the files are made."""
    opened, trial = take_trial(request)
    return show(request, "publish_state.html", opened=opened, **describe(opened, trial))


def describe(opened: Opened, trial: Trial) -> dict[str, Any]:
    """Return what the page shows."""
    assert trial.tried is not None
    job, audit = opened.jobs.get(f"files {trial.number}"), opened.jobs.get(f"audit {trial.number}")
    names = name_files(opened, trial)
    return {
        "trial": trial,
        "word": WORDS[trial.tried.attempt.verdict],
        "open": may_download(trial),
        "names": names,
        "ready": bool(trial.files),
        "files": [(name, len(trial.files[name])) for name in names.public] if trial.files else [],
        "progress": "" if job is None or job.ended else describe_progress(job),
        "error": "" if job is None else job.error,
        "auditing": "" if audit is None or audit.ended else describe_progress(audit),
        "shell": write_release_shell(opened, trial),
        "python": write_release_python(opened, trial),
    }


def may_download(trial: Trial) -> bool:
    """Return whether the files may be downloaded: the verdict is PASS, or a person has confirmed it in words."""
    return trial.verdict == "pass" or trial.confirmed


async def confirm(request: Request) -> Response:
    """Take the confirmation of a verdict that is not PASS: its word."""
    opened, trial = take_trial(request)
    assert trial.tried is not None
    word, typed = WORDS[trial.tried.attempt.verdict], (await read_form(request)).get("word", "")
    if " ".join(typed.split()).casefold() != word.casefold():
        raise BadParameter(f"The confirmation must be the verdict, {word}. Got {typed[:40]!r}. Type it again.")
    trial.confirmed = True
    return go(request, f"/data/{opened.key}/release/{trial.number}/publish")


async def download(request: Request) -> Response:
    """Send the zip file, or one of the private files."""
    opened, trial = take_trial(request)
    names, wanted = name_files(opened, trial), request.path_params["name"]
    if not may_download(trial):
        raise HTTPException(403, "Confirm the verdict first.")
    stem = names.release.removesuffix(".csv")
    if wanted == "script.sh":
        return send_bytes(f"{stem}.secret-script.sh", write_release_shell(opened, trial).encode())
    if wanted == "script.py":
        return send_bytes(f"{stem}.secret-script.py", write_release_python(opened, trial).encode())
    if wanted == "internal" and trial.audited is not None:
        return send_bytes(names.internal, trial.audited.page.encode())
    if not trial.files or wanted not in ("zip", "mapping"):
        raise HTTPException(404, "This file has not been made.")
    if wanted == "mapping":
        return send_bytes(names.mapping, trial.files[names.mapping])
    return send_bytes(f"{stem}.zip", pack_files({name: trial.files[name] for name in names.public}))


def pack_files(files: dict[str, bytes]) -> bytes:
    """Return files as a zip file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as into:
        for name, body in files.items():
            into.writestr(zipfile.ZipInfo(name, WHEN), body, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


ROUTES = [
    Route("/data/{key}/release/{number}/publish", show_publish),
    Route("/data/{key}/release/{number}/publish/state", show_state),
    Route("/data/{key}/release/{number}/publish/confirm", confirm, methods=["POST"]),
    Route("/data/{key}/release/{number}/publish/download/{name}", download),
]
