"""The readers: for each a valid set of files, the one that is changed, and the commands that read it.

A command is a list of words, run in a folder of its own that holds the files. A reader without a command of its own is
a function of the path of the file.
"""

import io
import json
import random
import zipfile
from dataclasses import dataclass

from hostile_files import CATALOGUE, make_workbook, pack, rezip, unpack
from uploads import upload_links, upload_people

from mutations import mutate, mutate_json

PACKED = (".gz", ".zst", ".bz2")
PAIRS = [("a1", "b1"), ("b1", "c1"), ("c1", "d1"), ("d1", "a1"), ("a1", "c1")]
COLUMNS = {"age": [30, 41, None, 30], "job": ["x", "é", "x", None], "w": [0.5, 1.5, 2.5, 3.5]}
PEOPLE = "name,age,job,zip\n" + "".join(
    f"{v}1,{age},{job},0{zip_}\n"
    for v, age, job, zip_ in zip("abcdef", [30, 41, 30, 41, 30, 55], "xyxyxz", [1, 1, 2, 2, 1, 2], strict=True)
)
LINKS = "source,target,kind\na1,b1,call\nb1,c1,mail\nc1,d1,call\nd1,a1,mail\na1,c1,call\n"
SCENARIO = """name = "school"
base = "agreement"
k = 2
allow = "10%"
decided_by = "Board a"

[[knows]]
spec = "degree"
sentence = "Classmates know who is popular."

[[knows]]
spec = "neighbors:1"
"""
KNOWN = (
    ("--knows", "degree", "-k", "2"),
    ("--knows", "neighbors:1", "--json", "--names"),
    ("--knows", "degree", "--multigraph", "--drop-loops"),
)


@dataclass(frozen=True)
class Reader:
    """One way to read one kind of file."""

    name: str
    target: str
    """The name of the file that is changed."""
    kinds: str
    """The kinds of files of the catalogue that it gets."""
    build: object
    """A function of a folder that writes the valid files into it."""
    commands: tuple = ()
    """Words of commands; one is drawn for each case."""
    call: object = None
    """Instead of a command: a function of the path, whose errors must be those of shoal."""
    light: bool = False
    """Whether it does more than read, so that heavy files would take time by right."""

    @property
    def packing(self):
        """The ending of its compression; empty if it has none."""
        return next((ending for ending in PACKED if self.target.endswith(ending)), "")

    def list_files(self):
        """Return the files of the catalogue that are made for it."""
        own = {"any", *self.kinds.split()} | ({self.packing[1:]} if self.packing else set())
        return [one for one in CATALOGUE if one.kinds & own and not (one.heavy and self.light)]


READERS: dict[str, Reader] = {}


def add(name, target, kinds, build, *commands, **more):
    READERS[name] = Reader(name, target, kinds, build, commands, **more)


def text(**files):
    """Return a builder that writes these texts; an underscore in a name stands for a dot."""

    def build(folder):
        for name, content in files.items():
            (folder / name.replace("_", ".")).write_text(content, encoding="utf-8", newline="")

    return build


def packed(build, name):
    """Return a builder that also packs the file of this name."""

    def build_packed(folder):
        build(folder)
        plain = name.rpartition(".")[0]
        (folder / name).write_bytes(pack((folder / plain).read_bytes(), f".{name.rpartition('.')[2]}"))
        (folder / plain).unlink()

    return build_packed


def written(name, attributed):
    """Return a builder that lets shoal write a network."""

    def build(folder):
        import shoal

        shoal.write(shoal.as_graph(PAIRS, attributes=COLUMNS if attributed else None), folder / name)

    return build


def _with(*before):
    """Return the commands that count in a file, after these words."""
    return tuple((*before, *words) for words in KNOWN)


# Networks.

add(
    "edge list, csv",
    "x.csv",
    "text lines",
    text(x_csv=LINKS),
    *_with("risk", "x.csv"),
    ("risk", "x.csv", "--kind", "kind", "--directed", "-k", "2"),
    ("levels", "x.csv", "-k", "2"),
    ("risk", "x.csv", "--ends", "0,1", "--no-header", "--comments", "", "-k", "2"),
)
add("edge list, tsv", "x.tsv", "text lines", text(x_tsv=LINKS.replace(",", "\t")), *_with("risk", "x.tsv"))
add(
    "edge list, text",
    "x.txt",
    "text lines",
    text(x_txt="# a comment\na1 b1\nb1 c1\nc1 a1\nd1 a1\n"),
    *_with("risk", "x.txt"),
)
add(
    "edge list in UTF-16",
    "x.csv",
    "text lines",
    lambda folder: (folder / "x.csv").write_text(LINKS, encoding="utf-16"),
    ("risk", "x.csv", "--encoding", "utf-16", "-k", "2"),
)
for _ending in PACKED:
    add(
        f"edge list, csv{_ending}",
        f"x.csv{_ending}",
        "text lines",
        packed(text(x_csv=LINKS), f"x.csv{_ending}"),
        *_with("risk", f"x.csv{_ending}"),
    )
for _format, _kinds in {
    "graphml": "text graphml",
    "gexf": "text gexf",
    "gml": "text gml",
    "net": "text pajek",
    "mtx": "text mtx",
    "json": "text json node-link",
}.items():
    add(
        _format,
        f"x.{_format}",
        _kinds,
        written(f"x.{_format}", _format not in ("net", "mtx")),
        *_with("risk", f"x.{_format}"),
    )
add(
    "graphml.gz",
    "x.graphml.gz",
    "text graphml",
    packed(written("x.graphml", True), "x.graphml.gz"),
    *_with("risk", "x.graphml.gz"),
)
add(
    "json.zst",
    "x.json.zst",
    "text json node-link",
    packed(written("x.json", True), "x.json.zst"),
    *_with("risk", "x.json.zst"),
)


def _write_links(folder):
    import pyarrow as pa
    from pyarrow import parquet

    links = [line.split(",") for line in LINKS.split()[1:]]
    table = pa.table({"source": [a for a, _, _ in links], "target": [b for _, b, _ in links], "w": list(range(5))})
    parquet.write_table(table, folder / "x.parquet")


def _write_people(folder):
    import shoal

    shoal.write({"name": ["a1", "b1", "c1", "d1"], **COLUMNS}, folder / "x.parquet")


def _write_book(rows):
    return lambda folder: (folder / "x.xlsx").write_bytes(make_workbook(rows))


add(
    "parquet",
    "x.parquet",
    "parquet",
    _write_links,
    *_with("risk", "x.parquet"),
    ("risk", "x.parquet", "--kind", "w", "-k", "2"),
)
add("parquet.gz", "x.parquet.gz", "parquet", packed(_write_links, "x.parquet.gz"), *_with("risk", "x.parquet.gz"))
add(
    "parquet in DuckDB",
    "x.parquet",
    "parquet",
    _write_links,
    ("risk", "x.parquet", "--engine", "duckdb", "--knows", "degree"),
    light=True,
)
_rows = [line.split(",") for line in LINKS.split()]
add(
    "xlsx",
    "x.xlsx",
    "xlsx",
    _write_book(_rows),
    *_with("risk", "x.xlsx"),
    ("risk", "x.xlsx", "--sheet", "first", "-k", "2"),
)

# Tables.

TABLE = (("-k", "2"), ("--json",), ("--key", "name", "-k", "2"), ("--trim", "--missing", "x"))
add(
    "table, csv",
    "x.csv",
    "text lines",
    text(x_csv=PEOPLE),
    *(("risk", "x.csv", "--table", *words) for words in TABLE),
    ("minimal-uniques", "x.csv", "--max-size", "2"),
)
add(
    "table, text",
    "x.txt",
    "text lines",
    text(x_txt=PEOPLE.replace(",", " ")),
    *(("risk", "x.txt", "--table", *words) for words in TABLE),
)
add(
    "table, csv.zst",
    "x.csv.zst",
    "text lines",
    packed(text(x_csv=PEOPLE), "x.csv.zst"),
    ("risk", "x.csv.zst", "--table"),
)
add(
    "table, parquet",
    "x.parquet",
    "parquet",
    _write_people,
    *(("risk", "x.parquet", "--table", *words) for words in (*TABLE[:2], TABLE[3])),
)
add(
    "table, xlsx",
    "x.xlsx",
    "xlsx",
    _write_book([line.split(",") for line in PEOPLE.split()]),
    *(("risk", "x.xlsx", "--table", *words) for words in TABLE),
)
add(
    "attributes, csv",
    "x.csv",
    "text lines",
    text(l_csv=LINKS, x_csv=PEOPLE),
    ("risk", "l.csv", "--attributes", "x.csv", "--columns", "age", "-k", "2"),
    ("risk", "l.csv", "--attributes", "x.csv", "--knows", "degree", "--trim", "--json"),
)
add(
    "attributes, parquet",
    "x.parquet",
    "parquet",
    lambda folder: (text(l_csv=LINKS)(folder), _write_people(folder)),
    ("risk", "l.csv", "--attributes", "x.parquet", "--knows", "degree"),
)
add(
    "tables that are linked",
    "x.csv",
    "text lines",
    text(x_csv=PEOPLE, y_csv=PEOPLE.replace("55", "41")),
    ("confusion", "x.csv", "y.csv", "--method", "distance"),
    ("confusion", "y.csv", "x.csv", "--method", "exact", "--columns", "age"),
    light=True,
)


# What shoal wrote about data: mappings, manifests, certificates, classes, audits, points, journals.


def _release(folder):
    import shoal

    text(l_csv=LINKS)(folder)
    shoal.methods.MatchDegrees(k=2, seed=1)(shoal.read_graph(folder / "l.csv")).save(
        folder / "s.csv", mapping=folder / "m.csv"
    )


def _certify(folder):
    import shoal

    found = shoal.levels(shoal.examples.florentine(), k=2)
    proofs = [found.certificate(v) for v in list(found.graph.names)[:4]]
    (folder / "x.json").write_text(json.dumps({"schema": 1, "certificates": proofs}))


def _classes(name):
    def build(folder):
        from shoal.data.generalized import Generalized

        Generalized.of(PAIRS, [0, 0, 1, 1]).save(folder / name)

    return build


def _audit(folder):
    import shoal

    shoal.audit(shoal.examples.florentine(), k=2, knowledge=["degree"], attacks=()).save(folder / "x.json")


def _points(folder):
    import shoal

    text(l_csv=LINKS)(folder)
    graph = shoal.read_graph(folder / "l.csv")
    shoal.frontier(graph, "degree", k=2, methods=["match-degrees"], jobs=1, folder=folder / "f.json.points")
    (folder / "f.json.points" / "points.jsonl").rename(folder / "points.jsonl")


READ_WITH = ("--original", "l.csv", "--mapping", "m.csv", "--knows", "degree")
add(
    "mapping",
    "m.csv",
    "text lines",
    _release,
    ("risk", "s.csv", *READ_WITH),
    ("compare", "l.csv", "s.csv", "--mapping", "m.csv"),
    ("why", "s.csv", "a1", *READ_WITH),
)
add("manifest", "s.csv.release.json", "text json", _release, ("compare", "l.csv", "s.csv", "--mapping", "m.csv"))
add(
    "manifest in an audit",
    "s.csv.release.json",
    "text json",
    _release,
    ("audit", "l.csv", "s.csv", "--mapping", "m.csv", "--no-attacks", "-k", "2", "-o", "r.html"),
    light=True,
)
add("certificate", "x.json", "text json", _certify, ("verify", "example:florentine", "x.json"))
add(
    "hierarchy of kinds",
    "x.csv",
    "text lines",
    text(l_csv=LINKS, x_csv="call;talk;*\nmail;text;*\n"),
    ("risk", "l.csv", "--kind", "kind", "--kind-hierarchy", "x.csv", "-k", "2"),
    ("risk", "l.csv", "--kind", "kind", "--kind-hierarchy", "x.csv:2", "--json"),
)
add(
    "hierarchy of a column",
    "x.csv",
    "text lines",
    text(p_csv=PEOPLE, x_csv="30;30-49;*\n41;30-49;*\n55;50-69;*\n"),
    (
        "anonymize",
        "p.csv",
        "--table",
        "--key",
        "name",
        "--columns",
        "age,job",
        "--method",
        "recode",
        "-k",
        "2",
        "--hierarchy",
        "age=x.csv",
        "-o",
        "out.csv",
    ),
)
add(
    "scenario",
    "x.toml",
    "text toml",
    text(l_csv=LINKS, x_toml=SCENARIO),
    ("scenarios", "x.toml"),
    ("check", "l.csv", "--scenario", "x.toml"),
    ("scenarios", "x.toml", "--json"),
)
add("classes, json", "x.json", "text json", _classes("x.json"), ("sample", "x.json", "-o", "out.csv"))
add("classes, graphml", "x.graphml", "text graphml", _classes("x.graphml"), ("sample", "x.graphml", "-o", "out.csv"))
add(
    "seed file",
    "x.seed",
    "text",
    text(l_csv=LINKS, x_seed="1234567\n"),
    (
        "anonymize",
        "l.csv",
        "--method",
        "perturb",
        "--delete",
        "1",
        "--seed-file",
        "x.seed",
        "-o",
        "out.csv",
        "--mapping",
        "m.csv",
    ),
    light=True,
)
add(
    "points of a frontier",
    "points.jsonl",
    "text json",
    _points,
    ("frontier", "l.csv", "--knows", "degree", "-k", "2", "--methods", "match-degrees", "--jobs", "1", "-o", "f.json"),
    light=True,
)


# Pages: reports with names, and the web app.

HARD = "source,target\n" + "".join(f'"{a}","{a}x"\n' for a in ("a1", "b<1", "c&1", "d'1"))
add(
    "report",
    "x.csv",
    "text lines",
    text(x_csv=HARD),
    ("audit", "x.csv", "--no-attacks", "--names", "-k", "2", "--knows", "degree", "-o", "r.html"),
    light=True,
)
add(
    "report of a table",
    "x.csv",
    "text lines",
    text(x_csv=PEOPLE),
    ("audit", "x.csv", "--table", "--key", "name", "--no-attacks", "--names", "-k", "2", "-o", "r.html"),
    light=True,
)


def _read_audit(path):
    import shoal

    shoal.read_audit(path).save("r.html")


def _preview(path):
    from shoal.io.preview import preview

    preview(path)


def _preview_table(path):
    from shoal.io.preview import preview

    preview(path, table=True)


add("audit", "x.json", "text json", _audit, call=_read_audit)
add("preview of links", "x.csv", "text lines", text(x_csv=LINKS), call=_preview)
add("preview of a table", "x.csv", "text lines", text(x_csv=PEOPLE), call=_preview_table)
add("preview of a workbook", "x.xlsx", "xlsx", _write_book(_rows), call=_preview)
add("preview of parquet", "x.parquet", "parquet", _write_links, call=_preview)
add("upload of links", "x.csv", "text lines", text(x_csv=LINKS), call=upload_links, light=True)
add("upload of graphml", "x.graphml", "text graphml", written("x.graphml", True), call=upload_links, light=True)
add("upload of xlsx", "x.xlsx", "xlsx", _write_book(_rows), call=upload_links, light=True)
add("upload of people", "x.csv", "text lines", text(l_csv=LINKS, x_csv=PEOPLE), call=upload_people, light=True)


# Cases.

EVERY = 20
"""One of so many cases is a heavy file of the catalogue."""


def make_case(reader, valid, number, seed, file=None):
    """Return the bytes of case `number` of a reader, the size that they unpack to, a title, and the words to run.

    The first cases are the files of the catalogue, dealt alternately with changed files; every 20th is a heavy file.
    `valid` is the bytes of the valid file. The cases -1, -2 ... are the valid file itself, with each of the commands.
    `file` is the number of a file in the catalogue that is made in any case.
    """
    draw = random.Random(f"{seed} {reader.name} {number}")
    if number < 0:
        words = reader.commands[-1 - number] if reader.commands else ()
        return valid, len(valid), "valid", words
    words = draw.choice(reader.commands) if reader.commands else ()
    if file is not None:
        return *_make_listed(reader, CATALOGUE[file], valid, draw), words
    heavy = number % EVERY == EVERY // 2
    listed = [one for one in reader.list_files() if one.heavy == heavy]
    random.Random(f"{seed} {reader.name}").shuffle(listed)
    at = number // EVERY if heavy else number // 2
    if (heavy or number % 2 == 1) and at < len(listed):
        return *_make_listed(reader, listed[at], valid, draw), words
    return *_change(reader, valid, draw), words


def _make_listed(reader, one, valid, draw):
    ending = reader.packing
    inner = bool(ending) and not one.kinds & {ending[1:]} and ("any" not in one.kinds or draw.random() < 0.5)
    found = one.make(unpack(valid, ending) if inner else valid, draw)
    data, size = found if isinstance(found, tuple) else (found, len(found))
    return pack(data, ending) if inner else data, max(size, len(data)), one.name


def _change(reader, valid, draw):
    ending, kinds = reader.packing, reader.kinds.split()
    other = draw.choice(SPLICED)
    if ending and draw.random() < 0.7:
        data = mutate(unpack(valid, ending), draw, other)
        return pack(data, ending), len(data), "changed before it is packed"
    if "xlsx" in kinds and draw.random() < 0.7:
        book = zipfile.ZipFile(io.BytesIO(valid))
        name = draw.choice(book.namelist())
        return *rezip(valid, {name: mutate(book.read(name), draw, other)}), f"changed in {name}"
    if "parquet" in kinds and draw.random() < 0.5:
        at = len(valid) * 2 // 3  # the footer is where the types and the sizes are
        data = valid[:at] + mutate(valid[at:], draw, other)
        return data, len(data), "changed in the footer"
    if "json" in kinds and draw.random() < 0.6:
        data = mutate_json(valid, draw, other)
        return data, len(data), "changed as plain data"
    data = mutate(valid, draw, other)
    return data, len(data), "changed"


SPLICED = [
    one.make(b"a,b\n", random.Random(0))
    for one in CATALOGUE
    if not one.heavy and one.kinds & {"lines", "gml", "pajek", "mtx", "json", "toml", "graphml"}
]
SPLICED = [one for one in SPLICED if len(one) < 20_000]
"""What is spliced into other files."""
