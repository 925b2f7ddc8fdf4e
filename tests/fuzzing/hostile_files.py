"""The catalogue of hostile files: each has a name, the kinds of readers that get it, and how it is made.

A file is made from a valid one of the same reader, so that an encoding or a quote also meets the rest of that format.
`heavy` files are large: `make fuzz` makes them, the short run of the tests does not.
"""

import bz2
import functools
import gzip
import io
import json
import struct
import zipfile
from dataclasses import dataclass

import pyarrow as pa
from pyarrow import parquet

from hard_names import LINES, TRAPS
from hostile_text import HOSTILE as TEXTS
from mutations import LONG, NUMBERS
from workbooks import Raw, write_workbook

MEGA = 1_000_000
HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
PAIRS = ["é", "e\u0301", "ﬁ", "fi", "Å", "Å", "K", "K", "ß", "ss", "a", "\u0430", "a\u200b", "a\u00ad"]
"""Names that look alike or are equal after normalization."""
FORMULAS = ["=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://x.example","y")']
BIDI = ["\u202eabc", "\u2066abc\u2069", "\u200fabc", "a\u202db"]
ANSI = ["\x1b[31mred", "\x1b]0;title\x07", "\x9b2J", "a\rb", "a\x08b", "\x1b]8;;http://x.example\x1b\\x", "\x7f"]
MARKUP = [
    *TEXTS,
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "' onmouseover='alert(1)",
    '" autofocus onfocus="alert(1)',
    "</script><script>alert(1)</script>",
    "<svg/onload=alert(1)>",
    "<!--",
    "]]>",
    "&lt;b&gt;",
    "{% raw %}",
    "${7*7}",
    "<a href='javascript:alert(1)'>x</a>",
    "<iframe src=//x.example>",
    "`${alert(1)}`",
]
"""Names that a page must show as text; `alert(1)` must never be where a browser runs it."""
ODD = [
    "",
    " ",
    "\u00a0",
    ".",
    "..",
    "/",
    "a/b",
    "../x",
    "C:\\x",
    "$HOME",
    "`id`",
    "%s%n",
    "a" * 5_000,
    "NaN",
    "inf",
    LONG[:400],
]
NAMES = list(dict.fromkeys([*TRAPS, *LINES, *PAIRS, *FORMULAS, *BIDI, *ANSI, *MARKUP, *ODD, *NUMBERS[:-1]]))
"""All hard names."""


@dataclass(frozen=True)
class Hostile:
    """A file of the catalogue: `make(valid, draw)` returns its bytes, perhaps with the size that it unpacks to."""

    name: str
    make: object
    kinds: frozenset
    """It is made for readers of one of these kinds."""
    heavy: bool = False


CATALOGUE: list[Hostile] = []


def hostile(name, kinds, *, heavy=False):
    """Add a file to the catalogue; it is bytes, a text, or a function of a valid file and a seeded generator."""

    def add(made):
        CATALOGUE.append(Hostile(name, _as_maker(made), frozenset(kinds.split()), heavy))
        return made

    return add


def _as_maker(made):
    def make(*given):
        found = made(*given) if callable(made) else made
        return found.encode("utf-8", "surrogatepass") if isinstance(found, str) else found

    return make


def put(kinds, files, *, heavy=False):
    """Add files that do not depend on a valid one."""
    for name, made in files.items():
        hostile(name, kinds, heavy=heavy)(made)


# Bytes: for every reader.

put(
    "any",
    {
        "empty": b"",
        "one NUL": b"\0",
        "blanks": b" \t\r\n" * 50,
        "only NUL": b"\0" * 10_000,
        "only a mark of UTF-8": b"\xef\xbb\xbf",
        "only a mark of UTF-16": b"\xff\xfe",
        "only a mark of UTF-32": b"\x00\x00\xfe\xff",
        "invalid UTF-8": b"a,b\nb,\xff\xfe\xfa\n",
        "overlong UTF-8": b"a,b\n\xc0\xaf,c\n",
        "lone surrogate in UTF-8": b"a,b\n\xed\xa0\x80,c\n",
        "beyond Unicode": b"a,b\n\xf4\x90\x80\x80,c\n",
        "another kind of file: zip": b"PK\x03\x04" + bytes(100),
        "another kind of file: gzip": gzip.compress(b"a,b\n", mtime=0),
        "another kind of file: parquet": b"PAR1" + bytes(40) + b"PAR1",
        "another kind of file: sqlite": b"SQLite format 3\0" + bytes(500),
        "another kind of file: ELF": b"\x7fELF" + bytes(range(256)),
        "another kind of file: PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n",
        "line ends only": b"\n" * 10_000,
        "returns only": b"\r" * 10_000,
        "deep brackets": b"[" * 100_000,
        "deep braces": b'{"a":' * 100_000,
        "deep tags": b"<a>" * 100_000,
    },
)


@hostile("random bytes", "any")
def _(_, draw):
    return draw.randbytes(draw.choice([1, 10, 1_000, 60_000]))


@hostile("first half", "any")
def _(valid, _):
    return valid[: len(valid) // 2]


@hostile("second half", "any")
def _(valid, _):
    return valid[len(valid) // 2 :]


@hostile("twice", "any")
def _(valid, _):
    return valid * 2


@hostile("NUL after it", "any")
def _(valid, _):
    return valid + b"\0"


@hostile("a mark of UTF-8 twice", "any")
def _(valid, _):
    return b"\xef\xbb\xbf" * 2 + valid


# Texts.


def _rewrite(change):
    """Return a maker that changes a valid text."""
    return lambda valid, _: change(valid.decode("utf-8", "replace"))


put(
    "text",
    {
        "UTF-16": _rewrite(lambda text: text.encode("utf-16")),
        "UTF-16 without a mark": _rewrite(lambda text: text.encode("utf-16-be")),
        "UTF-32": _rewrite(lambda text: text.encode("utf-32")),
        "cp1252": _rewrite(lambda text: text.replace("a", "é").encode("cp1252", "replace")),
        "EBCDIC": _rewrite(lambda text: text.encode("cp500", "replace")),
        "returns for line ends": _rewrite(lambda text: text.replace("\n", "\r").encode()),
        "mixed line ends": _rewrite(lambda text: text.replace("\n", "\r\n", 1).encode()),
        "line ends of Unicode": _rewrite(lambda text: text.replace("\n", "\u2028").encode()),
        "control character for each a": _rewrite(lambda text: text.replace("a", "\x01").encode()),
        "escape for each a": _rewrite(lambda text: text.replace("a", "\x1b[31m").encode()),
        "bidi for each a": _rewrite(lambda text: text.replace("a", "\u202e").encode()),
        "NUL for each a": _rewrite(lambda text: text.replace("a", "\0").encode()),
        "quotes doubled": _rewrite(lambda text: text.replace('"', '""').encode()),
        "quotes for each a": _rewrite(lambda text: text.replace("a", '"').encode()),
        "huge number for each 1": _rewrite(lambda text: text.replace("1", LONG).encode()),
        "NaN for each 1": _rewrite(lambda text: text.replace("1", "NaN").encode()),
        "negative for each 1": _rewrite(lambda text: text.replace("1", "-1").encode()),
        "beyond int64 for each 1": _rewrite(lambda text: text.replace("1", "9223372036854775808").encode()),
        "fraction for each 1": _rewrite(lambda text: text.replace("1", "1e400").encode()),
        "other digits for each 1": _rewrite(lambda text: text.replace("1", "\u0661").encode()),
        "markup for each a": _rewrite(lambda text: text.replace("a", "<script>alert(1)</script>").encode()),
    },
)
put(
    "text",
    {
        "line of 10 MB": lambda *_: b"a" * 10 * MEGA,
        "line of 10 MB with commas": lambda *_: b"a," * 5 * MEGA,
        "line of 10 MB with quotes": lambda *_: b'"' * 10 * MEGA,
        "line of 10 MB with blanks": lambda *_: b" " * 10 * MEGA + b"a",
        "line of 10 MB with digits": lambda *_: b"9" * 10 * MEGA,
        "line of 10 MB with escapes": lambda *_: b"\x1b" * 10 * MEGA,
        "line of 10 MB with semicolons": lambda *_: b"x;" * 5 * MEGA,
        "line ends of 2 MB": lambda *_: b"\n" * 2 * MEGA,
        "deep brackets of 5 MB": lambda *_: b"[" * 5 * MEGA,
    },
    heavy=True,
)


@hostile("10 MB in the middle", "text", heavy=True)
def _(valid, _):
    at = len(valid) // 2
    return valid[:at] + b"x" * 10 * MEGA + valid[at:]


# Lines with cells: edge lists, tables, mappings, hierarchies.


@functools.cache
def quote(name):
    return '"' + name.replace('"', '""') + '"'


def list_lines(names, head="source,target\n"):
    """Write a ring of names, each in quotes."""
    return head + "".join(f"{quote(a)},{quote(b)}\n" for a, b in zip(names, names[1:] + names[:1], strict=True))


put(
    "lines",
    {
        "hard names in quotes": list_lines(NAMES),
        "hard names as they are": "".join(f"{a},x{i}\n" for i, a in enumerate(NAMES)),
        "names that look alike": list_lines(PAIRS),
        "formulas": list_lines(FORMULAS),
        "markup": list_lines(MARKUP),
        "escapes": list_lines(ANSI),
        "right to left": list_lines(BIDI),
        "numbers": list_lines(NUMBERS),
        "hard names of columns": ",".join(map(quote, NAMES)) + "\n" + ",".join("1" for _ in NAMES) + "\n",
        "equal names of columns": "a,a,a\n1,2,3\n2,3,4\n",
        "empty names of columns": ",,\n1,2,3\n2,3,4\n",
        "names of columns only": "source,target\n",
        "equal names of ends": "source,source\na,b\nb,c\n",
        "one column": "a\nb\nc\n",
        "more cells in each line": "".join("x," * i + "y\n" for i in range(200)),
        "fewer cells in each line": "".join("x," * (200 - i) + "y\n" for i in range(200)),
        "an open quote": 'a,b\nb,"c\nc,d\n',
        "an open quote at the end": 'a,b\nb,c"',
        "a quote inside": 'a,b\nb,c"d\nc,"d"e\n',
        "a line end in quotes": 'a,"b\nc"\nb,"d\r\n\r\ne"\n',
        "separators only": ",,,,\n" * 100,
        "many kinds of separators": "a,b;c\td|e f\n" * 20,
        "comments only": "# a\n% b\n" * 50,
        "loops": "a,a\nb,b\n",
        "empty names": ',\n"",""\n,a\nb,\n',
        "one name on a line": "a,\nb,\nc,\n",
        "numbers of 5,000 digits": f"a,{LONG}\n{LONG},b\n",
        "star": "".join(f"a,b{i}\n" for i in range(20_000)),
        "a cell of 100 kB in a message": f"original,published\n{'x' * 100_000},1\n{'x' * 100_000},2\n",
    },
)
put(
    "lines",
    {
        "100,000 columns": lambda *_: ",".join(f"c{i}" for i in range(100_000)) + "\n" + ",".join("1" * 100_000) + "\n",
        "100,000 equal columns": lambda *_: "a," * 100_000 + "a\n" + "1," * 100_000 + "1\n",
        "100,000 columns without names": lambda *_: "," * 100_000 + "\n" + "," * 100_000 + "\n",
        "quotes of 10 MB": lambda *_: 'a,"' + 'x""' * 3 * MEGA + '"\n',
        "one quoted cell of 10 MB": lambda *_: 'a,"' + "x\n" * 5 * MEGA + '"\nb,c\n',
        "an open quote before 10 MB": lambda *_: 'a,"b\n' + "c,d\n" * 2_500_000,
        "500,000 names": lambda *_: "".join(f"a{i},b{i}\n" for i in range(500_000)),
        "a name of 5 MB twice": lambda *_: ("x" * 5 * MEGA + ",b\n") * 2,
    },
    heavy=True,
)


# XML: GraphML and GEXF.

GROWING = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
BOMB = f'<!DOCTYPE x [<!ENTITY a0 "aaaaaaaaaa">{GROWING}]>'
LONG_ENTITY = f'<!DOCTYPE x [<!ENTITY a "{"a" * 50_000}">]>'
NODES = '<node id="a"/><node id="b"/>'
LINK = '<edge source="a" target="b"/>'
ENCODED = '<?xml version="1.0" encoding="{}"?>'


def spell_xml(name):
    """Write a name inside an XML attribute; characters that XML forbids are written as references."""
    return "".join(c if c.isalnum() else f"&#{ord(c)};" for c in name)


def write_graphml(inside=NODES + LINK, head=HEAD, keys=""):
    root = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    return f'{head}{root}{keys}<graph edgedefault="undirected">{inside}</graph></graphml>'


def write_gexf(nodes=NODES, links=LINK, head=HEAD, keys=""):
    keys = f'<attributes class="node">{keys}</attributes>' if keys else ""
    return f'{head}<gexf version="1.3"><graph>{keys}<nodes>{nodes}</nodes><edges>{links}</edges></graph></gexf>'


def list_xml(write):
    """Return files in XML, given a function that writes one with these nodes and this head."""
    return {
        "entities that grow": write('<node id="&a11;"/>', head=HEAD + BOMB),
        "a long entity many times": write("".join(f'<node id="{i}&a;"/>' for i in range(500)), head=HEAD + LONG_ENTITY),
        "an entity of a file": write(
            '<node id="&x;"/>', head=f'{HEAD}<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        ),
        "a parameter entity": write(head=f'{HEAD}<!DOCTYPE x [<!ENTITY % x SYSTEM "http://x.example/x.dtd"> %x;]>'),
        "an entity of itself": write('<node id="&x;"/>', head=f'{HEAD}<!DOCTYPE x [<!ENTITY x "&x;">]>'),
        "a file included": write(f'<i:include xmlns:i="http://www.w3.org/2001/XInclude" href="/etc/passwd"/>{NODES}'),
        "a style sheet": write(head=f'{HEAD}<?xml-stylesheet href="http://x.example/x.xsl"?>'),
        **{
            f"encoding {name}": write(head=ENCODED.format(name))
            for name in ("klingon", "UTF-16", "UTF-7", "EUC-JP", "idna", "zlib", "", "a" * 5_000)
        },
        "XML 1.1": write(f"{NODES}<node id='&#1;'/>", head='<?xml version="1.1"?>'),
        "characters that XML forbids": write("<node id='&#0;'/><node id='&#x1b;'/><node id='&#xD800;'/>"),
        "escapes in references": write(NODES + "<node id='&#x9b;31m'/><node id='&#x202e;'/><node id='&#x7f;'/>"),
        "hard names": write(
            "".join(f'<node id="{i}{spell_xml(name)}"/>' for i, name in enumerate(NAMES) if name.isprintable())
        ),
        "hard names that XML forbids": write("".join(f'<node id="{spell_xml(name)}"/>' for name in NAMES)),
        "markup": write("".join(f'<node id="{spell_xml(name)}"/>' for name in MARKUP[10:])),
        "deep nodes": write("<node id='a'><graph>" * 20_000),
        "equal ids": write("<node id='a'/><node id='a'/>"),
        "no ids": write("<node/><node/><edge/>"),
        "an edge to nothing": write("<edge source='x' target='y'/>"),
        "an attribute twice": write("<node id='a' id='b'/>"),
        "namespaces": write("<x:node xmlns:x='y' x:id='a'/><node xmlns='' id='c'/>"),
        "names of elements with escapes": write("<node\x1b[31m id='a'/>"),
        "a name of 100 kB": write(f"<{'x' * 100_000}>"),
        "no root": HEAD,
        "another root": f"{HEAD}<html><script>alert(1)</script></html>",
        "a part of CDATA": write("<node id='a'><![CDATA[<script>]]></node>"),
        "an open comment": write("<!-- <node id='a'/>"),
    }


def list_large_xml(write):
    return {
        "a name of 10 MB": lambda *_: write(f"<node id='{'x' * 10 * MEGA}'/>"),
        "text of 10 MB": lambda *_: write(NODES + "x" * 10 * MEGA),
        "a comment of 10 MB": lambda *_: write(f"{NODES}<!--{'x' * 10 * MEGA}-->"),
        "an element with a name of 10 MB": lambda *_: write(f"<{'x' * 10 * MEGA}/>"),
        "100,000 attributes": lambda *_: write(
            f"<node id='a' {' '.join(f'a{i}={chr(39)}{chr(39)}' for i in range(100_000))}/>"
        ),
        "100,000 deep": lambda *_: write("<node id='a'><graph>" * 100_000 + "</graph></node>" * 100_000),
        "1,000,000 references": lambda *_: write(f"<node id='{'&#97;' * MEGA}'/>"),
    }


def list_values(write_node):
    """Write a node for each extreme number."""
    return "".join(write_node(i, spell_xml(value)) for i, value in enumerate(NUMBERS))


def _write_data(i, value):
    return f"<node id='n{i}'><data key='d'>{value}</data></node>"


def _write_value(i, value):
    return f"<node id='n{i}'><attvalues><attvalue for='d' value='{value}'/></attvalues></node>"


TYPES = ("int", "long", "float", "double", "boolean", "string", "klingon", "integer", "date", "liststring", "")
put(
    "graphml",
    list_xml(write_graphml)
    | {
        **{
            f"values of the type {name!r}": write_graphml(
                list_values(_write_data), keys=f'<key id="d" for="node" attr.name="d" attr.type="{name}"/>'
            )
            for name in TYPES
        },
        "hard names of attributes": write_graphml(
            keys="".join(
                f'<key id="d{i}" for="node" attr.name="{spell_xml(name)}"/>'
                for i, name in enumerate(NAMES)
                if name.isprintable()
            )
        ),
        "equal keys": write_graphml(keys='<key id="d" for="node" attr.name="x"/>' * 2),
        "hyperedges and ports": write_graphml(
            f"{NODES}<hyperedge><endpoint node='a'/></hyperedge><node id='p'><port name='q'/></node>"
        ),
        "two graphs": f"{HEAD}<graphml><graph>{NODES}</graph><graph>{NODES}</graph></graphml>",
        "an unknown direction": write_graphml(f"{NODES}<edge source='a' target='b' directed='perhaps'/>"),
    },
)
put("graphml", list_large_xml(write_graphml), heavy=True)
put(
    "gexf",
    list_xml(write_gexf)
    | {
        **{
            f"values of the type {name!r}": write_gexf(
                list_values(_write_value), "", keys=f'<attribute id="d" title="d" type="{name}"/>'
            )
            for name in TYPES
        },
        "hard names of attributes": write_gexf(
            keys="".join(
                f'<attribute id="d{i}" title="{spell_xml(name)}" type="string"/>'
                for i, name in enumerate(NAMES)
                if name.isprintable()
            )
        ),
        "equal attributes": write_gexf(keys='<attribute id="d" title="x" type="long"/>' * 2),
        "links with times": write_gexf(links="<edge source='a' target='b' start='1e999' end='NaN'/>"),
        "an unknown direction": write_gexf(links="<edge source='a' target='b' type='perhaps'/>"),
        "weights": write_gexf(links="".join(f"<edge source='a' target='b' weight='{value}'/>" for value in NUMBERS)),
    },
)
put("gexf", list_large_xml(write_gexf), heavy=True)


# GML, Pajek, Matrix Market, JSON: counts, ids and nesting.

put(
    "gml",
    {
        "hard names": "graph [\n" + "".join(f'node [ id {i} label "{name}" ]\n' for i, name in enumerate(NAMES)) + "]",
        "hard names with references": "graph [\n"
        + "".join(f'node [ id {i} label "{spell_xml(name)}" ]\n' for i, name in enumerate(NAMES))
        + "]",
        "ids": "graph [\n" + "".join(f"node [ id {value} ]\n" for value in NUMBERS[:-1]) + "]",
        "values": "graph [\n" + "".join(f"node [ id {i} x {value} ]\n" for i, value in enumerate(NUMBERS)) + "]",
        "deep": "graph [ node [ id 1 " + "a [ " * 50_000,
        "deep and closed": "graph [ node [ id 1 " + "a [ " * 5_000 + "]" * 5_002,
        "equal ids": "graph [ node [ id 1 ] node [ id 1 ] ]",
        "no ids": "graph [ node [ ] node [ ] edge [ ] ]",
        "an edge to nothing": "graph [ edge [ source 1 target 2 ] ]",
        "an open text": 'graph [ node [ id 1 label "abc',
        "two graphs": "graph [ ] graph [ ]",
        "equal keys": "graph [ node [ id 1 x 1 x 2 x [ ] ] ]",
        "keys with escapes": "graph [ node [ id 1 \x1b[31m 2 ] ]",
        "no brackets": "graph node id 1",
        "a key of 100 kB": f"graph [ {'x' * 100_000} 1 ]",
        "the word of networkx": 'graph [ node [ id 0 label "a" _networkx_list_start 1 ] ]',
        "an expression": 'graph [ node [ id 0 label "__import__(\'os\').abort()" x "(1,2)" ] ]',
    },
)
put(
    "gml",
    {
        "5 MB of blanks": lambda *_: "graph [" + " " * 5 * MEGA + "]",
        "100,000 keys": lambda *_: "graph [ node [ id 1 " + " ".join(f"k{i} 1" for i in range(100_000)) + " ] ]",
        "1,000,000 brackets": lambda *_: "graph [ " + "a [ ] " * MEGA + "]",
    },
    heavy=True,
)
COUNTS = ("1000000000000", "2147483648", "999999999999999999999", "-1", "1e12", "NaN", "", LONG)
put(
    "pajek",
    {
        **{f"{count[:20]!r} vertices": f"*Vertices {count}\n*Edges\n1 2\n" for count in COUNTS},
        **{f"vertex {count[:20]!r}": f'*Vertices 3\n{count} "a"\n*Edges\n1 2\n' for count in COUNTS},
        **{f"an end {count[:20]!r}": f"*Vertices 3\n*Edges\n1 {count}\n" for count in COUNTS},
        "hard names": f"*Vertices {len(NAMES)}\n"
        + "".join(f'{i} "{name}"\n' for i, name in enumerate(NAMES, 1))
        + "*Edges\n1 2\n",
        "weights": "*Vertices 3\n*Edges\n" + "".join(f"1 2 {value}\n" for value in NUMBERS),
        "equal vertices": '*Vertices 2\n1 "a"\n1 "b"\n',
        "equal names": '*Vertices 2\n1 "a"\n2 "a"\n',
        "two modes": "*Vertices 4 999999999999\n*Edges\n1 2\n",
        "a matrix": "*Vertices 1000000\n*Matrix\n0 1\n",
        "lists": "*Vertices 3\n*Arcslist\n1 2 3 4\n*Edgeslist\n-1\n",
        "unknown part": "*Vertices 2\n*Klingon\n1 2\n",
        "no vertices": "*Edges\n1 2\n",
        "vertices twice": "*Vertices 2\n*Vertices 3\n*Edges\n1 2\n",
        "an open name": '*Vertices 2\n1 "a\n2 "b"\n',
    },
)
MATRIX = "%%MatrixMarket matrix coordinate {}\n"
put(
    "mtx",
    {
        **{f"{count[:20]!r} rows": f"{MATRIX.format('pattern symmetric')}{count} {count} 1\n2 1\n" for count in COUNTS},
        **{f"{count[:20]!r} entries": f"{MATRIX.format('pattern symmetric')}3 3 {count}\n2 1\n" for count in COUNTS},
        **{f"an entry {count[:20]!r}": f"{MATRIX.format('pattern symmetric')}3 3 1\n{count} 1\n" for count in COUNTS},
        **{f"a value {count[:20]!r}": f"{MATRIX.format('real general')}3 3 1\n2 1 {count}\n" for count in NUMBERS},
        **{
            f"an integer {count[:20]!r}": f"{MATRIX.format('integer general')}3 3 1\n2 1 {count}\n" for count in NUMBERS
        },
        **{
            f"kind {kind}": f"{MATRIX.format(kind)}2 2 1\n2 1 1 0\n"
            for kind in ("complex hermitian", "real skew-symmetric", "pattern klingon", "unsigned-integer general", "")
        },
        "dense": "%%MatrixMarket matrix array real general\n100000 100000\n1\n",
        "a vector": "%%MatrixMarket vector coordinate real general\n3 1\n1 1\n",
        "not square": f"{MATRIX.format('pattern general')}2 1000000 1\n1 999999\n",
        "names": MATRIX.format("pattern symmetric")
        + "".join(
            f"%name {i} {value}\n" for i, value in enumerate(['"a"', '"a"', '"\\ud800"', "[]", '"\\u001b[31m"'], 1)
        )
        + "5 5 1\n2 1\n",
        "a name for no vertex": f'{MATRIX.format("pattern symmetric")}%name 999999999999 "a"\n2 2 1\n2 1\n',
        "comments of 1 MB": MATRIX.format("pattern symmetric") + f"%{'x' * MEGA}\n2 2 1\n2 1\n",
    },
)
put(
    "json",
    {
        "nested lists": '{"nodes": ' + "[" * 90_000,
        "nested lists, closed": "[" * 900 + "]" * 900,
        "nested objects": '{"a":' * 90_000,
        "a number of 5,000 digits": f'{{"schema": {LONG}, "nodes": [{{"id": {LONG}}}]}}',
        "NaN": '{"schema": NaN, "nodes": [{"id": NaN}], "edges": []}',
        "infinity": '{"schema": 1e999, "nodes": [{"id": -Infinity}], "edges": []}',
        "a lone surrogate": '{"schema": "\\ud800", "nodes": [{"id": "\\udfff"}], "edges": []}',
        "a key twice": '{"schema": 1, "schema": 1}',
        "a list": "[]",
        "a text": '"a"',
        "null": "null",
        "an object": "{}",
        "two values": "{} {}",
        "a comment": "{} // a",
        "escapes in a key": '{"\\u001b[31m": 1, "\\u202e": 2}',
        "a key of 100 kB": f'{{"{"x" * 100_000}": 1}}',
        "values of 100 kB": json.dumps(dict.fromkeys(["schema", "kind", "method"], "x" * 100_000)),
    },
)
put(
    "json",
    {
        "100,000 keys": lambda *_: "{" + ",".join(f'"k{i}": {i}' for i in range(100_000)) + "}",
        "a text of 10 MB": lambda *_: f'{{"schema": "{"x" * 10 * MEGA}"}}',
        "10 MB of blanks": lambda *_: " " * 10 * MEGA + "{}",
        "1,000,000 lists": lambda *_: f'{{"schema": 1, "nodes": [{",".join(["[]"] * MEGA)}]}}',
        "10 MB of references": lambda *_: '{"schema": "' + "\\u001b" * 1_700_000 + '"}',
    },
    heavy=True,
)
put(
    "node-link",
    {
        "hard names": json.dumps({"nodes": [{"id": name} for name in NAMES], "edges": []}),
        "ids of several types": json.dumps({"nodes": [{"id": i} for i in (1, "1", 1.0, True, None, [1])], "edges": []}),
        "equal ids": '{"nodes": [{"id": 1}, {"id": 1}], "edges": []}',
        "no ids": '{"nodes": [{}, {}], "edges": [{}]}',
        "an edge to nothing": '{"nodes": [], "edges": [{"source": 1, "target": 2}]}',
        "values": '{"nodes": ['
        + ",".join(
            f'{{"id": {i}, "x": {value}}}'
            for i, value in enumerate(["1e308", "1e309", "-0", "9223372036854775808", "{}", "[[1]]", '"\\ud83d"'])
        )
        + '], "edges": []}',
        "hard attributes": json.dumps({"nodes": [{"id": 1} | dict.fromkeys(NAMES, 1), {"id": 2}], "edges": []}),
        "directed of another type": '{"directed": "perhaps", "multigraph": [], "nodes": [{"id": 1}], "edges": []}',
        "links and edges": '{"nodes": [{"id": 1}], "edges": [], "links": [{"source": 1, "target": 1}]}',
    },
)

# TOML: scenarios.

put(
    "toml",
    {
        "nested lists": "k = " + "[" * 20_000,
        "nested tables": "[" + "a." * 20_000 + "a]\n",
        "nested keys": "a." * 20_000 + "a = 1\n",
        "a number of 5,000 digits": f"k = {LONG}\n",
        "a huge k": "k = 99999999999999999999\n",
        "NaN": "k = nan\nallow = inf\n",
        "a share that cannot be written out": 'k = 2\nallow = "1e-999999999"\n',
        "a threshold of nothing": 'threshold = "1/0"\n',
        "escapes": 'name = "\\u001b[31m\\u202e"\n[["\\u001b"]]\n',
        "a key twice": "k = 2\nk = 3\n",
        "dates": "k = 1979-05-27T07:32:00Z\n",
        "a bad date": "k = 9999-99-99\n",
        "a long spec": f'[[knows]]\nspec = "neighbors:{LONG}"\n',
        "a long name": f'name = "{"x" * 100_000}"\n[[knows]]\nspec = "{"x" * 100_000}"\n',
        "a base of itself": 'base = "x.toml"\n',
        "many kinds": '[[knows]]\nspec = "degree"\n' * 200,
        "a spec of many parts": f'[[knows]]\nspec = "{"+".join(["degree"] * 5_000)}"\n',
        "columns with hard names": '[[knows]]\nspec = "columns:\\u001b[31m,<script>alert(1)</script>"\n',
    },
)


# Parquet.


def write_parquet(table, **options):
    stream = io.BytesIO()
    parquet.write_table(table, stream, **options)
    return stream.getvalue(), max(stream.tell(), table.nbytes)


def _times(values, kind):
    return pa.array(values, type=pa.int64()).view(kind)


ARRAYS = {
    "lists": pa.array([[1], [], None, [2, 3]]),
    "lists of lists": pa.array([[[1]], [[]], None, [[2], [3]]]),
    "structs": pa.array([{"a": 1, "b": "x"}, {"a": None, "b": ""}, None, {"a": 2, "b": "y"}]),
    "maps": pa.array([[("a", 1)], [], None, [("b", 2)]], type=pa.map_(pa.string(), pa.int64())),
    "decimals": pa.array(["1.50", "-0.01", None, "99999999.99"]).cast(pa.decimal128(12, 2)),
    "wide decimals": pa.array(["1", "-1", None, "9" * 60]).cast(pa.decimal256(70, 0)),
    "negative scale": pa.array([1, 2, None, 3]).cast(pa.decimal128(38, 10)),
    "unsigned": pa.array([0, 2**64 - 1, None, 2**63], type=pa.uint64()),
    "halves": pa.array([1.5, float("nan"), None, float("inf")], type=pa.float16()),
    "floats": pa.array([0.1, float("nan"), None, -0.0], type=pa.float32()),
    "doubles": pa.array([1e308, float("-inf"), None, 5e-324]),
    "bytes": pa.array([b"\xff\x00", b"", None, b"\x1b[31m"]),
    "bytes of one length": pa.array([b"\xff\x00", b"ab", None, b"cd"], type=pa.binary(2)),
    "texts": pa.array(["\x1b[31m", "", None, "<script>alert(1)</script>"]),
    "large texts": pa.array(["a", "b", None, "\u202e"], type=pa.large_string()),
    "views of texts": pa.array(["a", "b", None, "c" * 100], type=pa.string_view()),
    "texts that are none": pa.array([b"\xff", b"a", b"\xed\xa0\x80", b"b"], type=pa.binary()).view(pa.string()),
    "dictionary": pa.array(["a", "b", None, "a"]).dictionary_encode(),
    "dictionary of numbers": pa.array([2**62, 1, None, 1]).dictionary_encode(),
    "nulls": pa.nulls(4),
    "booleans": pa.array([True, False, None, True]),
    "days": pa.array([0, -719162, None, 2932896], type=pa.int32()).view(pa.date32()),
    "far days": pa.array([2**31 - 1, -(2**31), None, 0], type=pa.int32()).view(pa.date32()),
    "times": _times([0, 1, None, 86_399_999_999], pa.time64("us")),
    "times beyond a day": _times([2**62, -1, None, 0], pa.time64("ns")),
    "moments": _times([0, -1, None, 10**15], pa.timestamp("us")),
    "moments beyond the calendar": _times([2**63 - 1, -(2**63), None, 0], pa.timestamp("ms")),
    "moments with a zone": _times([0, 1, None, 2], pa.timestamp("ns", "Europe/Madrid")),
    "moments in no zone": _times([0, 1, None, 2], pa.timestamp("us", "Nowhere/\x1b[31m")),
    "durations": _times([0, -1, None, 2**62], pa.duration("us")),
    "intervals": pa.array([None, None, None, None], type=pa.month_day_nano_interval()),
    "integers": pa.array([2**63 - 1, -(2**63), None, 0]),
}
"""Columns of four rows, of each type that parquet or arrow knows."""


def pair_columns(column):
    """Return a table of two columns, which is an edge list and a table."""
    others = pa.array(["a", "b", "c", "d"])
    return pa.table({"source": column, "target": others})


def _write_typed(name):
    def make(*_):
        try:
            return write_parquet(pair_columns(ARRAYS[name]))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # a type that parquet does not have: as a list of them
            return write_parquet(pair_columns(pa.array([[None]] * 4)))

    return make


for _name in ARRAYS:
    hostile(f"column of {_name}", "parquet")(_write_typed(_name))


def _columns(names, rows=2):
    return pa.table([pa.array(range(rows))] * len(names), names=names)


put(
    "parquet",
    {
        "no columns": lambda *_: write_parquet(pa.table({})),
        "no rows": lambda *_: write_parquet(pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.string())})),
        "equal names": lambda *_: write_parquet(_columns(["a", "a", "a"])),
        "empty names": lambda *_: write_parquet(_columns(["", "", " "])),
        "hard names of columns": lambda *_: write_parquet(_columns(NAMES)),
        "hard names": lambda *_: write_parquet(pa.table({"source": NAMES, "target": NAMES[1:] + NAMES[:1]})),
        "markup": lambda *_: write_parquet(pa.table({"source": MARKUP, "target": MARKUP[1:] + MARKUP[:1]})),
        "1,000,000 nulls": lambda *_: write_parquet(
            pa.table({"a": pa.nulls(MEGA, pa.string()), "b": pa.nulls(MEGA, pa.string())})
        ),
        "9,000,000 nulls": lambda *_: write_parquet(pa.table({"a": pa.nulls(9 * MEGA, pa.int8())})),
        "many pieces": lambda *_: write_parquet(_columns(["a", "b"], 500), row_group_size=1),
        "old version": lambda *_: write_parquet(_columns(["a", "b"]), version="1.0", compression="gzip"),
        "pages of the second version": lambda *_: write_parquet(
            _columns(["a", "b"]), data_page_version="2.0", compression="brotli"
        ),
        "another schema in the footer": lambda *_: write_parquet(
            pa.table({"a": [1], "b": [2]}).replace_schema_metadata({"pandas": "{" * 1_000, "ARROW:schema": "x" * 100})
        ),
        "a long footer": lambda *_: write_parquet(
            pa.table({"a": [1], "b": [2]}).replace_schema_metadata({"x": "y" * 5 * MEGA})
        ),
        "a footer of 4 GB": lambda valid, _: valid[:-8] + struct.pack("<I", 2**32 - 1) + b"PAR1",
        "a footer of nothing": lambda valid, _: valid[:-8] + struct.pack("<I", 0) + b"PAR1",
        "an encrypted footer": lambda valid, _: valid[:-4] + b"PARE",
        "only a footer": lambda valid, _: b"PAR1" + valid[-200:],
    },
)
put(
    "parquet",
    {
        "5,000 columns": lambda *_: write_parquet(_columns([f"c{i}" for i in range(5_000)])),
        "20,000 columns": lambda *_: write_parquet(_columns([f"c{i}" for i in range(20_000)], 1)),
        "a text of 10 MB": lambda *_: write_parquet(
            pa.table({"a": ["x" * 10 * MEGA, "y"], "b": ["x" * 10 * MEGA, "z"]})
        ),
        "a column of deep lists": lambda *_: write_parquet(
            pair_columns(pa.array([None] * 4, type=functools.reduce(lambda t, _: pa.list_(t), range(60), pa.int8())))
        ),
    },
    heavy=True,
)

# Workbooks.

CELLS = [
    Raw("|<f>1+1</f><v>2</v>"),
    Raw('t="str"|<f>HYPERLINK("http://x.example")</f><v>x</v>'),
    Raw("|<f>A1</f>"),
    Raw('t="e"|<v>#N/A</v>'),
    Raw('t="e"|<v>\x07</v>'),
    Raw('t="s"|<v>0</v>'),
    Raw('t="s"|<v>999999999999</v>'),
    Raw('t="s"|<v>-1</v>'),
    Raw('t="b"|<v>7</v>'),
    Raw('t="klingon"|<v>1</v>'),
    Raw('t="d"|<v>9999-99-99</v>'),
    Raw('s="999999"|<v>1</v>'),
    Raw('s="1"|<v>1e300</v>'),
    Raw('s="1"|<v>-1</v>'),
    Raw('s="2"|<v>2958466</v>'),
    Raw("|<v>NaN</v>"),
    Raw("|<v>1e999</v>"),
    Raw(f"|<v>{LONG}</v>"),
    Raw("|<v></v>"),
    Raw("|<v>9007199254740993</v>"),
    Raw("|<v>0x10</v>"),
    Raw('t="inlineStr"|<is><r><t>a</t></r><r><t>b</t></r></is>'),
    Raw('t="inlineStr"|<is><t>&#x1b;[31m</t></is>'),
    Raw('t="inlineStr"|<is><t>_x001B_[31m</t></is>'),
    Raw('t="inlineStr"|<is><t>&amp;lt;script></t></is>'),
    Raw('t="inlineStr"|<is/>'),
    Raw('t="inlineStr"|'),
]
"""Cells as XML: formulas, errors, texts and dates that do not exist, numbers beyond reach."""
SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData>{}</worksheet>'


def make_workbook(rows=(("a", "b"), (1, 2)), **more):
    stream = io.BytesIO()
    write_workbook(stream, rows, **more)
    return stream.getvalue()


def rezip(book, changes, keep=lambda _: True):
    """Return a zip file with other parts; the size is that of all parts."""
    source, stream, size = zipfile.ZipFile(io.BytesIO(book)), io.BytesIO(), 0
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for name in source.namelist():
            part = changes.get(name, source.read(name))
            size += len(part)
            if keep(name):
                made.writestr(name, part)
        for name in changes.keys() - set(source.namelist()):
            made.writestr(name, changes[name])
    return stream.getvalue(), max(size, stream.tell())


PART = "xl/worksheets/sheet1.xml"


def grow_sheet(megabytes):
    """Return a workbook whose sheet is so many megabytes of blanks, made piece by piece."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(make_workbook())) as source,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for name in source.namelist():
            if name != PART:
                made.writestr(name, source.read(name))
        before, after = SHEET.format("|", "").encode().split(b"|")
        with made.open(PART, "w") as part:
            for piece in (before, *[b" " * MEGA] * megabytes, after):
                part.write(piece)
    return stream.getvalue(), megabytes * MEGA


def _with_cell(cell):
    return lambda *_: make_workbook([["a", "b"], ["x", cell], [cell, "y"]])


def _without(part):
    return lambda *_: rezip(make_workbook(), {}, lambda name: name != part)


def _with_empty(part):
    return lambda *_: rezip(make_workbook(), {part: ""})


def _with_sheet(inside):
    """Return a maker of a workbook whose sheet holds this text, or what this function returns."""
    return lambda *_: rezip(make_workbook(), {PART: SHEET.format(inside() if callable(inside) else inside, "")})


put(
    "xlsx",
    {
        **{f"cell {i}": _with_cell(cell) for i, cell in enumerate(CELLS)},
        "hard names": lambda *_: make_workbook(
            [["source", "target"], *([name, "x"] for name in NAMES if _is_xml(name))]
        ),
        "markup": lambda *_: make_workbook(
            [["source", "target"], *([name, name + "x"] for name in MARKUP if _is_xml(name))]
        ),
        "formulas as texts": lambda *_: make_workbook([["a", "b"], *([name, 1] for name in FORMULAS if _is_xml(name))]),
        "equal names of columns": lambda *_: make_workbook([["a", "a"], [1, 2]]),
        "empty names of columns": lambda *_: make_workbook([["", None], [1, 2]]),
        "no rows": lambda *_: make_workbook([]),
        "no cells": lambda *_: make_workbook([[], [], []]),
        "a cell at the end": _with_sheet(
            '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
        ),
        "two cells far apart in a column": _with_sheet(
            '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="B1048576"><v>1</v></c></row>'
        ),
        "a cell beyond the end": _with_sheet('<row r="9999999"><c r="ZZZZ9999999"><v>1</v></c></row>'),
        "a cell in row 2,147,483,647": _with_sheet('<row r="1"><c r="C2147483647"><v>1</v></c></row>'),
        "a row 2,147,483,647": _with_sheet('<row r="2147483647"><c><v>1</v></c></row>'),
        "a place behind a quoted bracket": _with_sheet('<row r="1"><c x=">" r="C2147483647"><v>1</v></c></row>'),
        "a place with a reference": _with_sheet('<row r="1"><c r="&#67;2147483647"><v>1</v></c></row>'),
        "a place with blanks": _with_sheet('<row r="1"><c  r = "C2147483647" ><v>1</v></c></row>'),
        "another encoding": lambda *_: rezip(make_workbook(), {PART: SHEET.format("<row/>", "").encode("utf-16")}),
        "many shared texts that are not there": lambda *_: rezip(
            make_workbook(), {"xl/sharedStrings.xml": '<sst count="4000000000" uniqueCount="4000000000"/>'}
        ),
        "a cell without a place": _with_sheet("<row><c><v>1</v></c><c><v>2</v></c></row>"),
        "places that do not exist": _with_sheet(
            '<row r="0"><c r="0A"><v>1</v></c><c r=""><v>2</v></c><c r="A0"><v>3</v></c></row>'
        ),
        "a size that it does not have": lambda *_: rezip(
            make_workbook(),
            {
                PART: SHEET.format('<row r="1"><c r="A1"><v>1</v></c></row>', "").replace(
                    "<sheetData>", '<dimension ref="A1:XFD1048576"/><sheetData>'
                )
            },
        ),
        "rows in another order": _with_sheet(
            '<row r="9"><c r="B9"><v>1</v></c></row><row r="1"><c r="A1"><v>2</v></c></row>'
        ),
        "all cells merged": lambda *_: make_workbook(merged=["A1:XFD1048576"]),
        "merged cells that overlap": lambda *_: make_workbook(merged=["A1:B2", "A2:C3", "", "A1"]),
        "an entity that grows": lambda *_: rezip(
            make_workbook(),
            {PART: BOMB + SHEET.format('<row r="1"><c r="A1" t="inlineStr"><is><t>&a11;</t></is></c></row>', "")},
        ),
        "an entity of a file": lambda *_: rezip(
            make_workbook(),
            {
                PART: '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
                + SHEET.format('<row r="1"><c r="A1" t="inlineStr"><is><t>&x;</t></is></c></row>', "")
            },
        ),
        "shared texts": lambda *_: rezip(
            make_workbook([["a", Raw('t="s"|<v>5</v>')]]), {"xl/sharedStrings.xml": "<sst><si><t>a</t></si></sst>"}
        ),
        "a path out of the folder": lambda *_: rezip(make_workbook(), {"../../evil.xml": "<a/>", "/etc/passwd": "x"}),
        "a sheet elsewhere": lambda *_: rezip(
            make_workbook(), {"xl/_rels/workbook.xml.rels": _relate_sheet("../../../../etc/passwd")}
        ),
        "a sheet on the web": lambda *_: rezip(
            make_workbook(), {"xl/_rels/workbook.xml.rels": _relate_sheet("http://x.example/a.xml")}
        ),
        "hard names of sheets": lambda *_: make_workbook(**{"&#x1b;[31m": [["a"]], "&lt;script>": [["a", "b"]]}),
        "deep XML": lambda *_: rezip(make_workbook(), {PART: SHEET.format("<row>" * 50_000, "")}),
        **{
            f"without {name}": _without(name)
            for name in ("[Content_Types].xml", "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/styles.xml", PART)
        },
        **{
            f"{name} that is empty": _with_empty(name)
            for name in ("[Content_Types].xml", "xl/workbook.xml", "xl/styles.xml", PART)
        },
        "no parts": lambda *_: rezip(make_workbook(), {}, lambda _: False),
        "an old workbook": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4_000),
        "another size in the directory": lambda valid, _: valid.replace(b"PK\x01\x02", b"PK\x01\x03"),
    },
)
put(
    "xlsx",
    {
        "50 MB of blanks": lambda *_: rezip(make_workbook(), {PART: SHEET.format(" " * 50 * MEGA, "")}),
        "a text of 50 MB": lambda *_: rezip(
            make_workbook(),
            {
                PART: SHEET.format(
                    '<row r="1"><c r="A1" t="inlineStr"><is><t>' + "x" * 50 * MEGA + "</t></is></c></row>", ""
                )
            },
        ),
        "shared texts of 50 MB": lambda *_: rezip(
            make_workbook(), {"xl/sharedStrings.xml": "<sst>" + "<si><t>aaaaaaaaaaaaaaa</t></si>" * 2 * MEGA + "</sst>"}
        ),
        "1,200 MB of blanks": lambda *_: grow_sheet(1_200),
        "200,000 rows far apart": _with_sheet(
            lambda: "".join(f'<row r="{i}"><c r="A{i}"><v>1</v></c></row>' for i in range(1, 1_000_000, 5))
        ),
        "open cells of 10 MB": _with_sheet(lambda: "<c " * 3_300_000),
        "16,384 columns": _with_sheet(
            lambda: "".join("<row>" + "<c><v>1</v></c>" * 16_384 + "</row>" for _ in range(3))
        ),
        "10 MB of columns": _with_sheet(lambda: "<row>" + "<c><v>1</v></c>" * 600_000 + "</row>"),
    },
    heavy=True,
)


def _is_xml(name):
    return all(c.isprintable() or c in "\t\n" for c in name)


def _relate_sheet(target):
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}"><Relationship Id="r1" Type="{kind}" Target="{target}"/></Relationships>'


# Compressed files: what a reader gets whose file is packed. Their valid files are packed, too.


def pack(data, ending):
    """Compress bytes as a file with this ending."""
    if ending == ".gz":
        return gzip.compress(data, mtime=0)
    return bz2.compress(data) if ending == ".bz2" else pa.compress(data, codec="zstd", asbytes=True)


def unpack(data, ending):
    """Return the bytes of a compressed file that is valid; `ending` may be empty."""
    if ending == ".zst":
        return pa.input_stream(io.BytesIO(data), compression="zstd").read()
    return gzip.decompress(data) if ending == ".gz" else bz2.decompress(data) if ending == ".bz2" else data


def _zeros(ending, size, text=b"\0"):
    """Return a small file that grows, made without holding what it grows to."""
    piece = text * (MEGA // len(text))
    return (pack(piece, ending) * (size // MEGA), size)


put(
    "gz zst bz2",
    {
        "cut off": lambda valid, _: valid[: len(valid) - 5],
        "without its end": lambda valid, _: valid[:-8],
        "more after it": lambda valid, _: valid + b"a,b\n",
        "two of them": lambda valid, _: valid + valid,
        "twice packed": lambda valid, _: gzip.compress(valid),
        "not packed": b"a,b\nb,c\n",
    },
)
put(
    "gz",
    {
        "another check sum": lambda valid, _: valid[:-8] + bytes(4) + valid[-4:],
        "another size": lambda valid, _: valid[:-4] + b"\xff" * 4,
        "an unknown way": b"\x1f\x8b\x09" + bytes(50),
        "all flags": b"\x1f\x8b\x08\xff" + bytes(50),
        "a long name in it": b"\x1f\x8b\x08\x08" + bytes(6) + b"x" * 100_000,
    },
)
put(
    "zst",
    {
        "a window of 2 GB": b"\x28\xb5\x2f\xfd\x00" + b"\xa8" + b"\x01\x00\x00",
        "a window of 4 TB": b"\x28\xb5\x2f\xfd\x00" + b"\xff" + b"\x01\x00\x00",
        "a size of 16 EB": b"\x28\xb5\x2f\xfd\xe0" + b"\xff" * 8 + b"\x01\x00\x00",
        "a part to be skipped": b"\x50\x2a\x4d\x18\xff\xff\xff\xff",
        "a dictionary": b"\x28\xb5\x2f\xfd\x23\x01\x02\x03\x04" + bytes(10),
        "a long run": b"\x28\xb5\x2f\xfd\x00\x58" + struct.pack("<I", (1 << 17 << 3) | 3)[:3] + b"a",
    },
)
for _ending in (".gz", ".zst", ".bz2"):
    put(
        _ending[1:],
        {
            "20 MB of zeros": functools.partial(lambda e, *_: _zeros(e, 20 * MEGA), _ending),
            "50 MB of one letter": functools.partial(lambda e, *_: _zeros(e, 50 * MEGA, b"a"), _ending),
            "50 MB of lines": functools.partial(lambda e, *_: _zeros(e, 20 * MEGA, b"a,b\n"), _ending),
            "1,200 MB of blanks": functools.partial(lambda e, *_: _zeros(e, 1_200 * MEGA, b" "), _ending),
        },
        heavy=True,
    )
