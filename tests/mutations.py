"""Mutators: they change a valid file a little, as a broken disk, a bad program or an attacker does.

Each takes the bytes of a file, other bytes to borrow from, and a seeded `random.Random`. So a seed repeats a case.
"""

import json
import re

LONG = "9" * 5_000
"""More digits than Python reads."""

TOKENS = [
    LONG,
    "1" + "0" * 25,
    "-1",
    "1.0",
    "true",
    "null",
    "NaN",
    "1e999",
    "\\ud800",
    "[]",
    "{}",
    "[" * 200,
    '""',
    '"',
    ",",
    "\n",
    "\r",
    "\t",
    "\0",
    "&x;",
    "&#xD800;",
    "&#0;",
    "<!DOCTYPE x [<!ENTITY x 'y'>]>",
    "<",
    "*Vertices 99999999",
    "%",
    "#",
    "٣",
    "1_000",
    "99999999999",
    "2147483648",
    '{"a":1}',
    "graph [",
    "]",
    "}",
    ":",
    ";",
    ".",
]
"""What readers stumble over."""
BYTES = [b"\xff", b"\x00", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\x1b[31m"]
"""A byte that no text has, NUL, a lone surrogate, byte order marks, an overlong NUL, beyond Unicode, an escape."""
NUMBERS = [
    "0",
    "-1",
    "1",
    "2147483647",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "1e308",
    "1e309",
    "-0",
    "0.1",
    "inf",
    "-inf",
    "nan",
    "1000000000000",
    LONG,
]
VALUES = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    10**25,
    0.5,
    "",
    "x",
    "a\x1b[31mb",
    "\u202ea",
    [],
    {},
    [[]],
    ["a", "a"],
    {"": 1},
]
"""Values that plain data may have in a wrong place."""


def mutate_words(data, draw, _=b""):
    """Change a file in one to three places: pieces go, come twice, or become something else."""
    found = bytearray(data)
    for _ in range(draw.randint(1, 3)):
        words = list(re.finditer(rb'"[^"]*"|\w+|-?[0-9.]+', bytes(found))) or [re.match(b"", found)]
        word = draw.choice(words)
        start = draw.choice([word.start(), draw.randrange(len(found) + 1)])
        end = draw.choice([word.end(), start, start + draw.randint(1, 30)])
        some = draw.choice([b"", draw.choice(TOKENS).encode(), draw.choice(words)[0], bytes([draw.randrange(256)])])
        found[start : max(start, end)] = some if draw.random() < 0.9 else bytes(found[start:end]) * 40
    return bytes(found[: draw.randrange(len(found) + 1)] if draw.random() < 0.1 else found)


def flip_bits(data, draw, _):
    found = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 5, 50]) if found else 0):
        found[draw.randrange(len(found))] ^= 1 << draw.randrange(8)
    return bytes(found)


def truncate(data, draw, _):
    at = draw.randrange(len(data) + 1)
    return data[:at] if draw.random() < 0.7 else data[at:]


def splice(data, draw, other):
    """Join a piece of the file and a piece of another one."""
    a, b = draw.randrange(len(data) + 1), draw.randrange(len(other) + 1)
    c = min(len(other), b + draw.choice([10, 100, 1_000, len(other)]))
    return data[:a] + other[b:c] + data[draw.choice([a, draw.randrange(len(data) + 1)]) :]


def insert_bytes(data, draw, _):
    """Put bytes that are no text, or half of a mark, in one to three places."""
    for _ in range(draw.randint(1, 3)):
        at = draw.choice([0, len(data), draw.randrange(len(data) + 1)])
        data = data[:at] + draw.choice(BYTES) * draw.choice([1, 1, 3]) + data[at:]
    return data


def repeat_piece(data, draw, _):
    a = draw.randrange(len(data) + 1)
    b = min(len(data), a + draw.choice([1, 5, 50, 500]))
    return data[:a] + data[a:b] * draw.choice([2, 40, 1_000]) + data[b:]


def shuffle_lines(data, draw, _):
    """Exchange, drop and repeat lines."""
    lines = data.splitlines(keepends=True) or [b""]
    for _ in range(draw.randint(1, 4)):
        a, b = draw.randrange(len(lines)), draw.randrange(len(lines))
        lines[a], lines[b] = draw.choice([(lines[b], lines[a]), (lines[b], lines[b]), (lines[a] + lines[b], lines[b])])
    return b"".join(lines)


def change_number(data, draw, _):
    """Put an extreme number in the place of one."""
    places = list(re.finditer(rb"-?[0-9]+(?:\.[0-9]+)?", data))
    if not places:
        return data + draw.choice(NUMBERS).encode()
    place = draw.choice(places)
    return data[: place.start()] + draw.choice(NUMBERS).encode() + data[place.end() :]


def recode_text(data, draw, _):
    """Write a text in another encoding, or with other line ends."""
    text = data.decode("utf-8", "replace")
    match draw.randrange(4):
        case 0:
            return text.encode(draw.choice(["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "utf-7"]), "replace")
        case 1:
            return text.encode("latin-1", "replace") + b"\xe9"
        case 2:
            return text.replace("\n", "\r").encode()
        case _:
            return text.replace("\n", draw.choice(["\r\n", "\n\n", "\x85", "\u2028", "\x0b", "\x0c"])).encode()


MUTATORS = (
    mutate_words,
    flip_bits,
    truncate,
    splice,
    insert_bytes,
    repeat_piece,
    shuffle_lines,
    change_number,
    recode_text,
)


def mutate(data, draw, other=b""):
    """Apply one to three mutators."""
    for _ in range(draw.choice([1, 1, 2, 3])):
        data = draw.choice(MUTATORS)(data, draw, other)
    return data


def mutate_plain(found, draw):
    """Return plain data with one node changed: another value, a key less, a key more, or a value twice."""
    places = list(_walk(found))
    holder, key = draw.choice(places) if places else ([found], 0)
    action = draw.randrange(5)
    if action == 0:
        del holder[key]
    elif action == 1 and isinstance(holder, dict):
        holder[draw.choice(["more", "", "schema", "\x1b[31m"])] = draw.choice(VALUES)
    elif action == 2 and isinstance(holder, list):
        holder.insert(draw.randrange(len(holder) + 1), holder[key])
    elif action == 3 and type(holder[key]) in (int, float):
        holder[key] = draw.choice([-holder[key], holder[key] + 1, holder[key] * 10**12, str(holder[key]), 0])
    else:
        holder[key] = draw.choice([*VALUES, draw.choice(places)[0] if places else 0])
    return found


def _walk(found):
    """Yield each place of plain data: what holds it, and its key there."""
    keys = list(found) if isinstance(found, dict) else range(len(found)) if isinstance(found, list) else ()
    for key in keys:
        yield found, key
        yield from _walk(found[key])


def mutate_json(data, draw, other=b""):
    """Change a JSON file as plain data; one that is no JSON any more, as text."""
    try:
        found = json.loads(data)
        for _ in range(draw.choice([1, 1, 2])):
            found = mutate_plain(found, draw)
        return json.dumps(found).encode()
    except (ValueError, RecursionError):  # a node may hold itself
        return mutate(data, draw, other)
