"""What the web app offers for download: nothing private is in the zip file, and what is private is named as secret."""

import random
import re
import warnings
from io import BytesIO
from urllib.parse import unquote
from zipfile import ZipFile

from faults.leaks import Orders, Telltales, search_file
from faults.originals import draw_original
from shoal.errors import Notice
from shoal.io.mapping import read_mapping, read_origin
from web_rounds import list_made, try_methods
from web_site import run_site

PRIVATE = ("mapping", "internal", "script.sh", "script.py")
"""The downloads that are not for the public."""
MARK = "secret"
"""What the names of private files hold: a browser puts all downloads into one folder."""


def search_downloads(ground, tally, times=4):
    """Protect random data in the web app, and search the downloads of two releases of each."""
    rng, orders = random.Random(f"downloads {ground.seed}"), Orders()
    with warnings.catch_warnings(), run_site() as site:
        warnings.simplefilter("ignore", Notice)
        for case in range(times):
            original = draw_original(f"{ground.seed} web {case}", 16)
            folder = ground.root / f"web-{case}"
            folder.mkdir(mode=0o700)
            original.write(folder)
            links, people = ((folder / name).read_bytes() for name in ("friends.csv", "people.csv"))
            opened = site.upload("friends.csv", links, people=("people.csv", people))
            made = list_made(try_methods(site, opened, rng, scenario="internal", edits=40, left_out=20))
            passing = [one for one in made if one.verdict == "pass"]
            for one in {*passing[:1], rng.choice(made)}:
                found = take_downloads(site, opened, one)
                told = f"{one.title}, case {case} of seed {ground.seed}"
                tally.count("downloads", told, _search(folder, original, opened, one, found, orders))
    tally.count("order of downloads", "all of them", orders.judge())


def take_downloads(site, opened, one):
    """Return the downloads of a release, by what is asked for: the name of the file, and its bytes.

    A release that fails is not audited, since its report tries other methods; so there is no internal report.
    """
    place = f"/data/{opened.key}/release/{one.number}/publish"
    site.get(place)
    site.finish(opened)
    if one.verdict == "pass":
        site.get(f"{place}/state")  # the files are made, so that the audit begins
        site.finish(opened)
    else:
        with site.hold():
            site.get(f"{place}/state")
            site.call(site.workspace.cancel_all, opened)
    for word in ("FAIL", "CANNOT TELL"):  # the app refuses a word that is not the verdict
        site.post(f"{place}/confirm", {"word": word})
    found = {}
    for wanted in ("zip", *PRIVATE):
        answer = site.get(f"{place}/download/{wanted}")
        if answer.status_code == 200:
            found[wanted] = (
                re.sub(".*filename[*]=UTF-8''", "", unquote(answer.headers["content-disposition"])),
                answer.content,
            )
    return found


def _search(folder, original, opened, one, found, orders):
    missing = {"zip", *PRIVATE} - set(found) - ({"internal"} if one.audited is None else set())
    if missing:
        yield f"{', '.join(sorted(missing))} cannot be downloaded"
        return
    place = folder / str(one.number)
    place.mkdir(mode=0o700)
    kept = place / "mapping.csv"
    kept.write_bytes(found["mapping"][1])
    files = [folder / "friends.csv", folder / "people.csv"]
    telltales = Telltales(original.names, [one.seed], files, opened.data, read_origin(kept) or ())
    yield from judge_downloads(found, telltales, place / "public")
    mapping = {int(new): old for old, new in read_mapping(kept).items()}
    for kind, names in (("the order of the people", original.names), ("the alphabet", sorted(original.names))):
        orders.add(kind, [names.index(mapping[new]) for new in sorted(mapping)])


def judge_downloads(found, telltales, folder):
    """Yield what the zip file tells, and the private files that are in it or are not named as secret."""
    name, packed = found["zip"]
    yield from (f"the name {name} holds {kind}" for kind in telltales.find(name.encode()))
    archive = ZipFile(BytesIO(packed))
    archive.extractall(folder)
    private = {other: body for wanted, (other, body) in found.items() if wanted != "zip"}
    if archive.comment or any(one.comment or one.extra for one in archive.infolist()):
        yield "the zip file holds a comment"
    if len({one.date_time for one in archive.infolist()}) > 1:
        yield "the zip file tells when its files were made"
    for one in archive.infolist():
        yield from search_file(folder / one.filename, telltales)
        if MARK in one.filename or archive.read(one) in private.values():
            yield f"{one.filename} is private, and in the zip file"
    yield from (f"{other} is private, and not named as {MARK}" for other in private if MARK not in other)
