"""What may not be in a public file: original names, their order, seeds, and digests of the original.

Every method makes releases of random originals, and every format holds some of them. All public files, and the
temporary ones that they are made of, are searched as they are, unpacked and decoded.
"""

import base64
import hashlib
import math
import os
import random
import re
import sys
import warnings
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np

import shoal
from faults.copies import Run
from faults.judges import unpack
from faults.originals import LETTERS, draw_original
from hard_names import FORMATS, PACKED
from method_cases import CASES, search_briefly
from shoal.errors import Notice, ShoalError
from shoal.io.digest import digest_contents
from shoal.io.mapping import read_mapping, read_origin
from shoal.methods import find_method
from shoal.release.save import shuffle_data

BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{40,}={0,2}")
EQUAL = 7.0
"""Standard deviations beyond which an order is not drawn: less than once in 10^11."""
LEAST = 8
"""Letters of a name that is searched for: a shorter one may be anywhere by chance."""


class Telltales:
    """Texts that only somebody who knows the original or a seed can write."""

    def __init__(self, names, seeds=(), files=(), data=None, digests=()):
        self.texts = {}
        for name in map(str, names):
            self._add(name, "a name", also_digests=True)
        for seed in seeds:
            self._add(str(seed), "a seed", also_digests=True)
            self._add(f"{seed:x}", "a seed in hexadecimal", also_digests=True)
        for file in files:
            data_of_file = Path(file).read_bytes()
            for kind in ("sha256", "sha1", "md5"):
                self._add(hashlib.new(kind, data_of_file).hexdigest(), "a digest of the original file")
        if data is not None:
            for columns in (None, ()):
                for spell in (None, str):
                    with suppress(ShoalError, TypeError, ValueError):
                        self._add(digest_contents(data, columns, spell), "a digest of the original")
        for digest in digests:
            self._add(digest, "a salted digest of the original, or its salt")

    def _add(self, text, kind, *, also_digests=False):
        if len(text) < LEAST:
            raise ValueError(f"{text!r} is too short to be searched for.")
        raw = text.encode()
        self.texts[raw.lower()] = kind
        self.texts[text.encode("utf-16-le").lower()] = kind
        for made in (hashlib.sha256, hashlib.sha1, hashlib.md5) if also_digests else ():
            self.texts[made(raw).hexdigest().encode()] = f"a digest of {kind}"

    def find(self, data):
        """Return what kinds of telltales are in some bytes."""
        found = set()
        for piece in expand(data):
            lower = piece.lower()
            found |= {kind for text, kind in self.texts.items() if text in lower}
        return found


def expand(data):
    """Yield bytes, and what is in them as base64."""
    yield data
    for run in BASE64.findall(data):
        for start in range(4):
            part = run[start:].rstrip(b"=")
            with suppress(ValueError):
                yield base64.urlsafe_b64decode(
                    (part + b"=" * (-len(part) % 4)).translate(bytes.maketrans(b"+/", b"-_"))
                )


def search_file(path, telltales):
    """Yield what a file tells: its name, its bytes, and its bytes unpacked."""
    for data in (Path(path).name.encode(), *unpack(path)):
        for kind in sorted(telltales.find(data)):
            yield f"{Path(path).name} holds {kind}"


# Temporary files: looked at before each rename and removal.

_watch = None


def _look(event, arguments):
    if _watch is not None and event in ("os.rename", "os.remove", "shutil.rmtree"):
        _watch(arguments[0])


@contextmanager
def watch_temporary(folder, telltales, secret):
    """Yield a list of what public temporary files below a folder told; those of the file `secret` are private."""
    global _watch  # noqa: PLW0603 - audit hooks belong to the process and cannot be removed
    if "_hooked" not in globals():
        globals()["_hooked"] = sys.addaudithook(_look)
    found = []

    def look(path):
        path = os.fsdecode(path)
        if path.startswith(str(folder)) and os.path.isfile(path) and f".{secret}." not in path:
            found.extend(f"temporary {fault}" for fault in search_file(path, telltales))

    _watch = look
    try:
        yield found
    finally:
        _watch = None


# Order: released numbers must be drawn, so they agree with no order of the original but by chance.


class Orders:
    """How far released numbers agree with orders of the original, summed over cases."""

    def __init__(self):
        self.sums = {}

    def add(self, kind, order):
        """Add a case: `order[i]` is the place in the original of the released vertex i."""
        n = len(order)
        if n < 4:
            return
        places = np.argsort(np.argsort(order))
        z = np.corrcoef(places, np.arange(n))[0, 1] * math.sqrt(n - 1)
        near = sum(abs(int(a) - int(b)) == 1 for a, b in pairwise(places))
        for what, value, variance in (("rank", z, 1.0), ("neighbors", near - 2 * (n - 1) / n, 2.0)):
            total, spread = self.sums.get((kind, what), (0.0, 0.0))
            self.sums[kind, what] = total + value, spread + variance

    def judge(self):
        """Yield the orders that agree more than by chance."""
        for (kind, what), (total, spread) in self.sums.items():
            if abs(total) > EQUAL * math.sqrt(spread) + 3:
                yield f"{kind}: released numbers agree with it ({what}, {total / math.sqrt(spread):.1f} deviations)"


# Cases


def name_anew(data, rng):
    """Return data of a case in a drawn order, and under drawn names if it is a network."""
    if isinstance(data, dict):
        order = rng.sample(range(len(next(iter(data.values())))), len(next(iter(data.values()))))
        return {name: [column[v] for v in order] for name, column in data.items()}
    names = {v: "".join(rng.choices(LETTERS, k=12)) for v in data}
    found = nx.Graph()
    found.add_nodes_from((names[v], dict(data.nodes[v])) for v in rng.sample(sorted(data), len(data)))
    edges = [rng.sample((names[a], names[b]), 2) for a, b in data.edges]
    rng.shuffle(edges)
    found.add_edges_from(edges)
    return found


def list_cases(rng, many):
    """Yield (method, case, format): every case of every method, every format, and others drawn."""
    formats = [*FORMATS, *PACKED]
    every = [(name, i) for name, cases in CASES.items() for i in range(len(cases))]
    for at, (name, i) in enumerate(every):
        yield name, i, formats[at % len(formats)]
    for ending in formats:
        yield "equalize-rows", 0, ending
        yield "confuse", 0, ending
    for _ in range(many):
        yield *rng.choice(every), rng.choice(formats)


def search_releases(ground, tally, many=40):
    """Search the public files of releases in memory, for every method and every format."""
    rng, orders = random.Random(f"leaks {ground.seed}"), Orders()
    folder = ground.root / "leaks"
    with search_briefly(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case, (name, i, drawn) in enumerate(list_cases(rng, many)):
            options, make = CASES[name][i]
            data = name_anew(make(), rng)
            table = isinstance(data, dict) and drawn.split(".")[0] not in ("csv", "tsv", "parquet")
            ending = "csv" if table else drawn
            told = f"{name} {i}, .{ending}, case {case} of seed {ground.seed}"
            place = folder / str(case)
            place.mkdir(parents=True)
            tally.count("releases", told, _search_release(place, name, options, data, ending, rng, orders))
    tally.count("order of releases", "all of them", orders.judge())


def _search_release(place, name, options, data, ending, rng, orders):
    seeds = [rng.getrandbits(128) | 1 << 127 for _ in range(2)]
    method = find_method(name)
    takes = "seed" in method.__dataclass_fields__
    original = place / "original.csv"
    if not isinstance(data, dict):
        shoal.write(shoal.as_graph(data).without_attributes(), original)
    else:
        shoal.write(shoal.as_table(data), original)
    release = method(**options | ({"seed": seeds[0]} if takes else {}))(data)
    names = list(release.original.names) if not isinstance(data, dict) else []
    telltales = Telltales(names, seeds, [original], release.original)
    public, secret = place / "public", place / "private"
    public.mkdir()
    secret.mkdir(mode=0o700)
    more = {}
    if release.data.has_links and ending.split(".")[0] in ("csv", "tsv", "txt", "parquet", "net", "mtx"):
        more["attributes"] = public / "people.csv"
    if name == "generalize":
        more["classes"] = public / "classes.graphml"
    out = public / f"safe.{ending}"
    with watch_temporary(public, telltales, "secret.csv") as faults:
        release.save(out, secret / "secret.csv", readme=public / "safe.README.md", seed=seeds[1], **more)
    yield from faults
    origin = read_origin(secret / "secret.csv")
    telltales = Telltales(names, seeds, [original], release.original, origin or ())
    _write_external(release, out, more.get("attributes"), secret / "secret.csv", public)
    for file in sorted(public.iterdir()):
        yield from search_file(file, telltales)
    mapping = {int(new): old for old, new in read_mapping(secret / "secret.csv").items()}
    at = {str(one): v for v, one in enumerate(release.original.names)}
    order = [at[mapping[new]] for new in sorted(mapping)]
    orders.add("the order of the original", order)
    if names:
        spelled = sorted(at)
        orders.add("the alphabet", [spelled.index(mapping[new]) for new in sorted(mapping)])
    yield from judge_bytes(release.data, ending, place, rng)


def _write_external(release, out, attributes, mapping, public):
    """Write external reports about the written files."""
    for form in ("html", "json"):
        found = shoal.audit(
            release.original,
            release,
            external=True,
            k=2,
            knowledge=["degree"] if release.data.has_links else None,
            attacks=(),
            columns=() if release.data.has_links else tuple(release.data.columns)[:2],
            advice=0,
        )
        found.save(public / f"report.{form}")


def judge_bytes(data, ending, place, rng):
    """Yield whether the bytes of a file depend on the order of the data in memory.

    The same data are taken in two orders, and then brought into the same new order: both files must be equal.
    """
    n = data.n
    first, new = (np.array(rng.sample(range(n), n)) for _ in range(2))
    other = shuffle_data(data, first)
    back = np.argsort(first)
    written = []
    for number, one in enumerate((shuffle_data(data, new), shuffle_data(other, back[new]))):
        file = place / f"order-{number}.{ending}"
        shoal.write(one, file)
        written.append(file.read_bytes())
    if written[0] != written[1]:
        yield f"the bytes of .{ending} depend on the order of the original"


def search_engine_releases(ground, tally, times=6):
    """Search the public files of releases of an engine, and what the engine exports."""
    from shoal.relational import DuckDBEngine, thin
    from shoal.relational import suppress as leave_out

    rng, orders = random.Random(f"engine leaks {ground.seed}"), Orders()
    for case in range(times):
        original = draw_original(f"{ground.seed} {case}", 40)
        place = ground.root / f"engine-{case}"
        public, secret, temp = place / "public", place / "private", place / "temp"
        for folder in (public, secret, temp):
            folder.mkdir(parents=True)
        original.write(secret)
        seeds = [rng.getrandbits(128) | 1 << 127 for _ in range(2)]
        files = [secret / "friends.parquet", secret / "people.parquet"]
        source = {"vertices": files[1], "undirected": True, "key": "name"}
        engine = DuckDBEngine("300MB", temp, 1)
        telltales = Telltales(original.names, seeds, files)
        with warnings.catch_warnings(), watch_temporary(public, telltales, "secret.csv") as faults:
            warnings.simplefilter("ignore", Notice)
            if case % 2:
                made = thin(str(files[0]), None, 0.6, seed=seeds[0], engine=engine, **source)
            else:
                made = leave_out(str(files[0]), "degree", 2, keep_at_least=0, engine=engine, **source)
            with made as release:
                release.save(
                    public / "safe.parquet",
                    secret / "secret.csv",
                    attributes=public / "people.parquet",
                    readme=public / "README.md",
                    seed=seeds[1],
                )
        for file in sorted(public.iterdir()):
            faults.extend(search_file(file, telltales))
        mapping = {int(new): old for old, new in read_mapping(secret / "secret.csv").items()}
        for kind, names in (("the order of the people", original.names), ("the alphabet", sorted(original.names))):
            orders.add(kind, [names.index(mapping[new]) for new in sorted(mapping)])
        faults.extend(f"{entry.name} is left" for entry in temp.iterdir())
        tally.count("releases of an engine", f"{'thin' if case % 2 else 'suppress'}, case {case}", faults)
    tally.count("order of releases of an engine", "all of them", orders.judge())


def search_words(ground, tally):
    """Search what commands print, and their public files, with a log of progress and with all notes."""
    telltales = Telltales(ground.original.names, files=[ground.inputs / "friends.csv", ground.inputs / "people.csv"])
    for one in ground.writing:
        place = ground.clear()
        ended = ground.run(one, place, "--notes")
        faults = [f"it prints {kind}" for kind in sorted(telltales.find(ended.said.encode()))]
        for name in set(one.outputs) - set(one.private):
            faults.extend(search_file(place.folder / name, telltales))
        tally.count("what commands print and publish", one.title, faults)
    for words in READING:
        place = ground.clear()
        ended = Run(words.split(), place).end()
        faults = [f"it prints {kind}" for kind in sorted(telltales.find(ended.said.encode()))]
        if ended.code not in (0, 1):
            faults.append(f"it ended with {ended.code}: {ended.said.strip()[-200:]!r}")
        tally.count("what commands print and publish", words, faults)


BOTH = "../in/friends.csv ../in/safe.csv --mapping ../in/secret.csv"
READING = (
    "risk ../in/friends.csv --attributes ../in/people.csv",
    "risk ../in/safe.csv --original ../in/friends.csv --mapping ../in/secret.csv --knows degree",
    "check ../in/friends.csv --knows degree --at-least 2",
    f"compare {BOTH}",
    f"attack {BOTH} --knows degree --by cascade",
    "recommend ../in/friends.csv --scenario internal --attributes ../in/people.csv",
    "suppress ../in/friends.parquet --undirected --knows degree -k 2 --dry-run --temp ../temp",
)
"""Commands that only read, and print no names unless they are asked for."""
