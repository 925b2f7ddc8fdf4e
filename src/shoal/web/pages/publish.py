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
from shoal.web.pages.audit import was_stopped
from shoal.web.pages.protect import describe_cost, describe_loss
from shoal.web.pages.release import take_trial
from shoal.web.pages.take_away import send_bytes, send_file
from shoal.web.release_script import write_release_python, write_release_shell
from shoal.web.trials import Trial, name_files, start_audit
from shoal.web.workspace import Opened

WHEN = (1980, 1, 1, 0, 0, 0)
"""The time of files in a zip file: the first that the format knows. The true time may tell something."""


async def show_publish(request: Request) -> Response:
    """Show the page, and begin to make the files and to audit them: the verdict decides about the download."""
    opened, trial = take_trial(request)
    if not was_stopped(opened, trial):
        start_audit(find_workspace(request), opened, trial)
    return show(request, "publish.html", opened=opened, step="take-away", **describe(opened, trial))


async def show_state(request: Request) -> Response:
    """Show the part that changes while the files are made and audited."""
    opened, trial = take_trial(request)
    if not was_stopped(opened, trial):
        start_audit(find_workspace(request), opened, trial)
    return show(request, "publish_state.html", opened=opened, **describe(opened, trial))


def describe(opened: Opened, trial: Trial) -> dict[str, Any]:
    """Return what the page shows."""
    jobs = [job for name in ("files", "audit") if (job := opened.jobs.get(f"{name} {trial.number}")) is not None]
    busy = next((job for job in jobs if not job.ended), None)
    names = name_files(opened, trial)
    return {
        "trial": trial,
        "word": name_verdict(opened, trial),
        "beyond": "" if trial.is_accepted else describe_loss(trial),
        "uncovered": () if trial.audited is None else trial.audited.summary.open_points,
        "below": describe_cost(trial)["below"] if trial.at_risk else "",
        "attack": "" if trial.audited is None else trial.audited.summary.attack,
        "left_out": trial.policy.left_out,
        "open": may_download(opened, trial),
        "names": names,
        "ready": bool(trial.files),
        "files": [(name, len(trial.files[name])) for name in names.public] if trial.files else [],
        "progress": "" if busy is None else describe_progress(busy),
        "error": next((job.error for job in jobs if job.error), ""),
        "shell": write_release_shell(opened, trial),
        "python": write_release_python(opened, trial),
    }


def name_verdict(opened: Opened, trial: Trial) -> str:
    """Return the verdict of the audit; CANNOT TELL if it was stopped, and nothing while it runs.

    A release that fails on the page "Protect" fails here too: its count also knows columns as they are released.
    """
    if trial.audited is not None:
        fails = trial.audited_verdict == "pass" and trial.verdict == "fail"
        return WORDS["fail" if fails else trial.audited.summary.verdict]  # type: ignore[index]
    return WORDS["cannot tell"] if was_stopped(opened, trial) else ""


def may_download(opened: Opened, trial: Trial) -> bool:
    """Return whether the files may be downloaded: the audit says PASS, or a person has confirmed its verdict."""
    word = name_verdict(opened, trial)
    return bool(word) and word in (WORDS["pass"], trial.confirmed)


async def confirm(request: Request) -> Response:
    """Take the confirmation of a verdict that is not PASS: its word."""
    opened, trial = take_trial(request)
    word, typed = name_verdict(opened, trial), (await read_form(request)).get("word", "")
    if not word or " ".join(typed.split()).casefold() != word.casefold():
        raise BadParameter(f"The confirmation must be the verdict, {word or 'once it is known'}. Got {typed[:40]!r}.")
    trial.confirmed = word
    return go(request, f"/data/{opened.key}/release/{trial.number}/publish")


async def download(request: Request) -> Response:
    """Send the zip file, or one of the private files."""
    opened, trial = take_trial(request)
    names, wanted = name_files(opened, trial), request.path_params["name"]
    if not may_download(opened, trial):
        raise HTTPException(403, "Confirm the verdict first.")
    stem = names.release.removesuffix(".csv")
    if wanted == "script.sh":
        return send_file(f"{stem}.secret-script.sh", write_release_shell(opened, trial))
    if wanted == "script.py":
        return send_file(f"{stem}.secret-script.py", write_release_python(opened, trial))
    if wanted == "internal" and trial.audited is not None:
        return send_file(names.internal, trial.audited.page)
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
