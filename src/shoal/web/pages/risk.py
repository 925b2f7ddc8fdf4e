"""The page "Risk": people at risk under each kind of knowledge, the network drawn, and one person explained."""

from __future__ import annotations

from typing import Any

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shoal.auditing.network_drawing import find_buckets
from shoal.auditing.panel import build_panel_row
from shoal.data.arrays import Ints
from shoal.errors import BadParameter, format_count, join_names, parse_whole, tame
from shoal.report.html.blocks import PanelLine, PanelTable
from shoal.report.html.charts.audit import draw_candidates
from shoal.report.html.sections.evidence import BUCKET_LEGEND, describe_heads, list_cells
from shoal.report.text.phrases import label_knowledge, title_knowledge
from shoal.report.text.risk import describe_known_ties
from shoal.report.text.scenarios import describe_judgment
from shoal.risk.panel import PanelRisk
from shoal.risk.scenario import PRESETS
from shoal.web.page import (
    describe_progress,
    find_opened,
    find_read,
    find_workspace,
    go,
    publish_choice,
    read_form,
    show,
)
from shoal.web.pages.protect import AUDIENCES
from shoal.web.tasks import DRAWN, ExplainPerson
from shoal.web.workspace import Opened

LARGEST_K = 30
"""The end of the slider."""
ROWS = 25
"""People on one page of the list."""
FOUND = 12
"""The most people that a search offers."""
QUICK = 0.06
"""Seconds that an explanation may take before the page shows that it is being made."""
HEAD = ("", "k", "unique", "below {k}", "average risk", "people by number of candidates")


async def show_risk(request: Request) -> Response:
    """Show the page, and begin to count and draw what is not yet counted and drawn."""
    (opened, data), workspace = find_read(request), find_workspace(request)
    error = _begin(opened, workspace)
    if data.has_links:
        workspace.draw(opened)
    values = (
        {"error": error, "judged_by": describe_choices(opened)}
        if error
        else describe_counts(opened) | describe_list(opened, {})
    )
    return show(
        request,
        "risk.html",
        opened=opened,
        step="risk",
        scenarios=PRESETS,
        audiences=AUDIENCES,
        largest_k=min(LARGEST_K, data.n),
        drawn=describe_drawing(opened),
        **({"error": ""} | values),
    )


def _begin(opened: Opened, workspace: Any) -> str:
    """Begin to count; return why the scenario cannot be counted, or nothing."""
    try:
        workspace.count(opened)
    except BadParameter as error:
        return str(error)
    return ""


# The table of kinds of knowledge.


async def show_counts(request: Request) -> Response:
    """Show the table and the verdict, for the k of the slider."""
    opened, data = find_read(request)
    k = parse_whole(request.query_params.get("k", ""))
    if k is not None and (chosen := min(max(2, k), max(2, data.n))) != opened.policy.scenario.k:
        opened.k = chosen
        publish_choice(request, opened)
    return show(request, "risk_counts.html", opened=opened, **describe_counts(opened))


def describe_counts(opened: Opened) -> dict[str, Any]:
    """Return the verdict, the table of the kinds that were counted, and the progress of the others."""
    assert opened.data is not None
    k, kinds = opened.policy.scenario.k, []
    waiting = []
    for kind in opened.list_kinds():
        if kind.spec in opened.risks:
            row = build_panel_row(opened.risks[kind.spec], k, in_scenario=True)
            cells = list_cells(row)[: len(HEAD) - 2]
            kinds.append((label_knowledge(kind.spec), [PanelLine("", cells, draw_candidates(row))]))
        else:
            job = opened.jobs.get(f"count {kind.spec}")
            error = "" if job is None else job.error or ("Canceled." if job.state == "canceled" else "")
            progress = "" if job is None or job.ended else describe_progress(job)
            waiting.append({"title": title_knowledge(kind.spec), "progress": progress, "error": error})
    found = opened.judge()
    return {
        "k": k,
        "judged_by": describe_choices(opened),
        "judgment": "" if found is None else describe_judgment(found.judgment, titles=True),
        "codes": "" if found is None else join_names(found.judgment.kinds),
        "verdict": "" if found is None else found.judgment.verdict,
        "below": None if found is None else found.judgment.below,
        "table": PanelTable("", [title.format(k=k) for title in HEAD], kinds),
        "heads": describe_heads(k, searched=False),
        "ties": describe_known_ties(opened.data, opened.list_kinds()),
        "legend": BUCKET_LEGEND,
        "waiting": waiting,
        "busy": any(one["progress"] for one in waiting),
    }


def describe_choices(opened: Opened) -> str:
    """Return the choices that a page about the risk was made for, to compare; k is not one of them."""
    policy = opened.policy
    return "|".join([opened.scenario.name, *policy.columns, "", *policy.sensitive])


async def choose_scenario(request: Request) -> Response:
    """Change the scenario; what was counted for another one is kept."""
    form, opened = await read_form(request), find_opened(request)
    if form.get("scenario", "") not in PRESETS:
        raise BadParameter(f"The scenario must be one of {', '.join(PRESETS)}. Got {form.get('scenario')!r}.")
    opened.scenario, opened.k = PRESETS[form["scenario"]], 0
    publish_choice(request, opened)
    return go(request, f"/data/{opened.key}/risk")


async def cancel_counts(request: Request) -> Response:
    """Stop counting."""
    (opened, _), workspace = find_read(request), find_workspace(request)
    for name, job in list(opened.jobs.items()):
        if name.startswith("count "):
            workspace.jobs.cancel(job)
    return show(request, "risk_counts.html", opened=opened, **describe_counts(opened))


async def resume_counts(request: Request) -> Response:
    """Count what was canceled or failed."""
    opened, _ = find_read(request)
    _begin(opened, find_workspace(request))
    return show(request, "risk_counts.html", opened=opened, **describe_counts(opened))


# The list of people.


async def show_list(request: Request) -> Response:
    """Show one page of the list of people."""
    opened, _ = find_read(request)
    values = await run_in_threadpool(describe_list, opened, dict(request.query_params))
    return show(request, "risk_list.html", opened=opened, **values)


def describe_list(opened: Opened, asked: dict[str, str]) -> dict[str, Any]:
    """Return a page of the list of people below k, sorted and filtered as asked."""
    assert opened.data is not None
    risks = opened.list_counted()
    sort, filtered = asked.get("sort", ""), asked.get("filter", "").strip()
    head = [("fewest", "fewest"), *((risk.adversary.spec, title_knowledge(risk.adversary.spec)) for risk in risks)]
    values = {"head": head, "sort": sort, "filter": filtered, "people": [], "found": 0, "page": 0, "pages": 0}
    if not risks:
        return values
    panel, k = PanelRisk(opened.policy.scenario, tuple(risks), len(risks)), opened.policy.scenario.k
    order = sort_people(panel, sort)
    order = order[panel.fewest[order] < k]
    names = opened.data.names
    if filtered:
        wanted = filtered.casefold()
        order = np.array([v for v in order.tolist() if wanted in str(names[v]).casefold()], dtype=np.int64)
    pages = max(1, -(-len(order) // ROWS))
    page = min(max(0, parse_whole(asked.get("page", "0")) or 0), pages - 1)
    rows = []
    for v in order[page * ROWS : (page + 1) * ROWS].tolist():
        sizes = [(int(risk.sizes[v]), bool(risk.exact_sizes[v])) for risk in risks]
        exact = all(sure for size, sure in sizes if size == panel.fewest[v])
        cells = [f"{'' if sure else '<= '}{size:,}" for size, sure in [(int(panel.fewest[v]), exact), *sizes]]
        rows.append((v, tame(names[v]), cells))
    return values | {"people": rows, "found": len(order), "page": page, "pages": pages}


def sort_people(panel: PanelRisk, by: str) -> Ints:
    """Return the people, those with the fewest candidates first: under one kind, or under all; or by name."""
    if by == "name":
        names = panel.risks[0].names
        return np.array(sorted(range(len(names)), key=lambda v: str(names[v]).casefold()), dtype=np.int64)
    risk = next((risk for risk in panel.risks if risk.adversary.spec == by), None)
    return panel.order if risk is None else panel.order[np.argsort(risk.sizes[panel.order], kind="stable")]


# One person.


async def search(request: Request) -> Response:
    """Offer people whose name holds a text: those of this name first, then those that begin with it."""
    opened, _ = find_read(request)
    found = await run_in_threadpool(find_people, opened, request.query_params.get("name", ""))
    return show(request, "risk_found.html", opened=opened, found=found)


def find_people(opened: Opened, text: str) -> list[tuple[int, str]]:
    """Return some people whose name holds a text."""
    wanted = text.strip().casefold()
    if not wanted or opened.data is None:
        return []
    ranked: tuple[list[tuple[int, str]], ...] = ([], [], [])
    for v, name in enumerate(map(str, opened.data.names)):
        folded = name.casefold()
        if wanted in folded:
            found = ranked[0 if folded == wanted else 1 if folded.startswith(wanted) else 2]
            if len(found) < FOUND:
                found.append((v, tame(name)))
    return [one for found in ranked for one in found][:FOUND]


async def explain(request: Request) -> Response:
    """Say which facts about a person leave which candidates."""
    (opened, data), workspace = find_read(request), find_workspace(request)
    who = parse_whole(request.path_params["who"])
    if who is None or not 0 <= who < data.n:
        raise HTTPException(404, "There is no such person.")
    specs = tuple(risk.adversary.spec for risk in opened.list_counted())
    name, call = f"explain {who}", ExplainPerson(who, specs)
    job = opened.jobs.get(name)
    if job is None or job.state in ("failed", "canceled") or job.call != call:
        for other in [one for one in opened.jobs if one.startswith("explain ")]:
            workspace.jobs.withdraw(opened.jobs[other])  # the person who asked looks at another one now
            if opened.jobs[other].ended:
                del opened.jobs[other]
        job = workspace.submit(opened, name, "explain", call, urgent=True)
    await workspace.wait(job, QUICK)
    return show(
        request,
        "risk_person.html",
        opened=opened,
        who=who,
        person=tame(data.names[who]),
        job=job,
        told=[(title_knowledge(one.spec), one) for one in job.result or ()],
        drawn=list_drawn_places(opened, job.result[0].candidates) if job.result else [],
        own=list_drawn_places(opened, (who,)),
    )


# The drawing.


def describe_drawing(opened: Opened) -> dict[str, Any]:
    """Return the state of the drawing."""
    assert opened.data is not None
    job, found = opened.jobs.get("draw"), opened.drawing
    told = ""
    if found is not None and found.sampled:
        told = f"A random sample: {len(found.chosen):,} of {format_count(opened.data.n, 'person', 'people')}, and the "
        told += "links among them."
    return {
        "ready": found is not None,
        "has_links": opened.data.has_links,
        "progress": "" if job is None or job.ended else describe_progress(job),
        "error": "" if job is None else job.error,
        "sampled": told,
        "large": opened.data.n > DRAWN,
    }


async def show_drawing(request: Request) -> Response:
    """Show the frame of the drawing, or how far it is."""
    opened, _ = find_read(request)
    return show(request, "risk_drawing.html", opened=opened, drawn=describe_drawing(opened), **_list_lenses(opened))


def _list_lenses(opened: Opened) -> dict[str, Any]:
    return {
        "lenses": [(risk.adversary.spec, title_knowledge(risk.adversary.spec)) for risk in opened.list_counted()],
        "legend": BUCKET_LEGEND,
    }


async def send_drawing(request: Request) -> Response:
    """Send positions, links and names of the drawn people as plain data."""
    opened = find_opened(request)
    if opened.drawing is None or opened.data is None:
        raise HTTPException(404, "The network has not been drawn.")
    return JSONResponse(await run_in_threadpool(pack_drawing, opened))


def pack_drawing(opened: Opened) -> dict[str, Any]:
    """Return a drawing as plain data."""
    assert opened.drawing is not None
    assert opened.data is not None
    found, names = opened.drawing, opened.data.names
    return {
        "ids": found.chosen.tolist(),
        "names": [tame(names[int(v)]) for v in found.chosen],
        "x": np.round(found.at[:, 0], 2).tolist(),
        "y": np.round(found.at[:, 1], 2).tolist(),
        "links": found.links.ravel().tolist(),
        "directed": bool(getattr(opened.data, "directed", False)),
    }


async def send_colors(request: Request) -> Response:
    """Send the bucket of each drawn person: by one kind of knowledge, or by the fewest candidates of all."""
    opened = find_opened(request)
    risks = [] if opened.drawing is None else opened.list_counted()
    if opened.drawing is None or not risks:
        return JSONResponse({"buckets": ""})
    spec = request.query_params.get("knows", "")
    one = next((risk.sizes for risk in risks if risk.adversary.spec == spec), None)
    sizes = PanelRisk(opened.policy.scenario, tuple(risks), len(risks)).fewest if one is None else one
    return JSONResponse({"buckets": "".join(map(str, find_buckets(sizes[opened.drawing.chosen]).tolist()))})


def list_drawn_places(opened: Opened, people: tuple[int, ...]) -> list[int]:
    """Return the places of these people in the drawing; those that are not drawn are left out."""
    if opened.drawing is None:
        return []
    chosen, asked = opened.drawing.chosen, np.asarray(people, dtype=np.int64)
    at = np.searchsorted(chosen, asked)
    inside = at < len(chosen)
    return [int(p) for p, v in zip(at[inside], asked[inside], strict=True) if chosen[p] == v]


ROUTES = [
    Route("/data/{key}/risk", show_risk),
    Route("/data/{key}/risk/counts", show_counts),
    Route("/data/{key}/risk/scenario", choose_scenario, methods=["POST"]),
    Route("/data/{key}/risk/cancel", cancel_counts, methods=["POST"]),
    Route("/data/{key}/risk/resume", resume_counts, methods=["POST"]),
    Route("/data/{key}/risk/list", show_list),
    Route("/data/{key}/risk/search", search),
    Route("/data/{key}/risk/person/{who}", explain),
    Route("/data/{key}/risk/drawing", show_drawing),
    Route("/data/{key}/risk/drawing.json", send_drawing),
    Route("/data/{key}/risk/colors", send_colors),
]
