"""Small faults that a test should notice: one operator, constant, condition or statement of a source file is changed.

What is left as it is, since no test should depend on it: docstrings, types, `__all__`, the words of messages (all
text with blanks that is not SQL, and whatever is raised or passed to `must`), and reports of progress (`track`).
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from types import CodeType

Path = tuple[tuple[str, int | None], ...]
"""The way from a module to a node: names of fields, and places in lists."""

COMPARISONS: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
SIGNS = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.And: "and",
    ast.Or: "or",
}
OPPOSITES = {
    one: other
    for a, b in (
        ("min", "max"),
        ("any", "all"),
        ("minimum", "maximum"),
        ("argmin", "argmax"),
        ("floor", "ceil"),
        ("zeros", "ones"),
        ("logical_and", "logical_or"),
        ("append", "insert"),
    )
    for one, other in ((a, b), (b, a))
    if one != "insert"
}
"""Names of functions that are mistaken for each other."""

IS_SQL = re.compile(r"\b(SELECT|FROM|WHERE|JOIN|GROUP BY|UNION|ORDER BY|PARTITION|CASE WHEN)\b| (AND|OR) |\bcount\(")
SQL = [
    (re.compile(was), becomes)
    for was, becomes in (
        (r"<=", "<"),
        (r">=", ">"),
        (r"<>", "="),
        (r"(?<= )<(?= )", "<="),
        (r"(?<= )>(?= )", ">="),
        (r"(?<= )=(?= )", "<>"),
        (r"\bAND\b", "OR"),
        (r"\bOR\b", "AND"),
        (r"\bmin\(", "max("),
        (r"\bmax\(", "min("),
        (r"\bsum\(", "max("),
        (r"\bcount\(\*\)", "max(1)"),
        (r"\bDISTINCT ", ""),
        (r"\bLEFT JOIN\b", "JOIN"),
        (r"\bUNION ALL\b", "UNION"),
        (r"\bgreatest\(", "least("),
        (r"\bleast\(", "greatest("),
        (r"\bIS NULL\b", "IS NOT NULL"),
        (r"\bIS NOT NULL\b", "IS NULL"),
        (r"\bNOT (?!NULL|DISTINCT)", ""),
        (r"\bTRUE\b", "FALSE"),
        (r"\bFALSE\b", "TRUE"),
        (r" DESC\b", ""),
        (r"(?<= )\+(?= )", "-"),
        (r"(?<= )-(?= )", "+"),
        (r"(?<![\w.'])\d+(?![\w.'])", "1 + \\g<0>"),
    )
]
"""Faults of SQL, one for each place where the pattern fits."""

SILENT = {"track"}
"""Calls that only report progress."""
TALK = {"must": (0,), "check_k": (1, 2), "whole": (0, 3), "parse_share": (0,), "find_by_name": (1, 2)}
"""Calls with words of a message, and the places of their arguments that are none."""
COMMUTATIVE = {
    *("min", "max", "np.minimum", "np.maximum", "np.array_equal", "np.logical_and", "np.logical_or"),
    "is_one_of",
}
"""Calls whose arguments may be swapped."""
TYPES = {"Literal", "Callable", "tuple", "list", "dict", "TypeVar", "Union"}
SKIPPED_FIELDS = {"annotation", "returns", "decorator_list", "type_params", "ctx", "kind", "type_comment"}


@dataclass(frozen=True)
class Mutation:
    """One fault of a source file."""

    file: str
    """The path of the file below the folder of sources."""
    where: str
    """The function or class that holds it."""
    text: str
    """The source line, without blanks at its ends."""
    change: str
    """What is changed, e.g. "< becomes <="."""
    line: int
    lines: tuple[int, ...]
    """The lines of the statement, without the statements inside it."""
    path: Path = field(repr=False)
    becomes: ast.AST = field(repr=False, compare=False)
    """What stands in its place."""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What names the fault wherever its line moves."""
        return self.file, self.where, self.text, self.change


def list_mutations(source: str, file: str) -> list[Mutation]:
    """Return all faults of a source file, from its first line to its last; a few compile to the same code."""
    tree = ast.parse(source)
    texts = source.splitlines()
    found: list[Mutation] = []
    seen: Counter[tuple[str, str, str, str]] = Counter()
    for path, node, where, statement in _walk(tree, (), "", None):
        for change, becomes in _propose(node, tree):
            line = getattr(node, "lineno", 0) or (statement.lineno if statement else 1)
            text = texts[line - 1].strip()
            seen[key := (file, where, text, change)] += 1
            times = f" ({seen[key]})" if seen[key] > 1 else ""
            found.append(Mutation(file, where, text, change + times, line, _lines_of(statement, line), path, becomes))
    return found


def compile_mutation(source: str, mutation: Mutation, file: str) -> CodeType | None:
    """Return the code of a source file with the fault in it; None if Python makes the same code of it, or none."""
    tree = ast.parse(source)
    try:
        code = compile(apply(tree, mutation), file, "exec")
    except (SyntaxError, ValueError, TypeError):
        return None
    return None if code == compile(tree, file, "exec") else code


def apply(tree: ast.Module, mutation: Mutation) -> ast.Module:
    """Return a copy of a module with the fault in it."""
    tree = deepcopy(tree)
    node: ast.AST = tree
    for name, place in mutation.path[:-1]:
        inner = getattr(node, name)
        node = inner if place is None else inner[place]
    name, place = mutation.path[-1]
    becomes = deepcopy(mutation.becomes)
    if place is None:
        old = getattr(node, name)
        setattr(node, name, becomes)
    else:
        held = getattr(node, name)
        old = held[place]
        held[place] = becomes
    if hasattr(old, "lineno"):
        ast.copy_location(becomes, old)
    return ast.fix_missing_locations(tree)


def find_functions(code: CodeType) -> tuple[object, dict[tuple[str, int], CodeType]]:
    """Return what a module runs when it is imported, and the functions that it makes, by name and first line."""
    functions: dict[tuple[str, int], CodeType] = {}

    def look(code: CodeType) -> object:
        consts: list[object] = []
        for const in code.co_consts:
            if not isinstance(const, CodeType):
                consts.append((type(const), const))
            elif const.co_flags & 1:  # CO_OPTIMIZED: a function, not the body of a class
                functions[const.co_qualname, const.co_firstlineno] = const
                consts.append((const.co_qualname, const.co_firstlineno, const.co_freevars))
            else:
                consts.append(look(const))
        return code.co_name, code.co_code, code.co_names, code.co_exceptiontable, consts

    return look(code), functions


def _walk(
    node: ast.AST, path: Path, where: str, statement: ast.stmt | None
) -> Iterator[tuple[Path, ast.AST, str, ast.stmt | None]]:
    """Yield each node that may be changed, with its path, the function around it and its statement."""
    if isinstance(node, ast.stmt):
        statement = node
    if path:
        yield path, node, where, statement
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        where = f"{where}.{node.name}" if where else node.name
    for name, value in ast.iter_fields(node):
        if name in SKIPPED_FIELDS:
            continue
        if isinstance(value, list):
            for place, inner in enumerate(value):
                if isinstance(inner, ast.AST) and not _is_left(node, name, place, inner, where):
                    yield from _walk(inner, (*path, (name, place)), where, statement)
        elif isinstance(value, ast.AST) and not _is_left(node, name, None, value, where):
            yield from _walk(value, (*path, (name, None)), where, statement)


def _is_left(node: ast.AST, name: str, place: int | None, inner: ast.AST, where: str) -> bool:
    """Return whether a part of a node is left as it is."""
    match node:
        case ast.Module() | ast.ClassDef() | ast.FunctionDef() if _is_words(inner):
            return True
        case ast.Raise():
            return name in {"exc", "cause"}
        case ast.Call(func=ast.Name(id=called)) if called in SILENT:
            return True
        case ast.Call(func=ast.Name(id=called)) if called in TALK:
            return name == "args" and place not in TALK[called]
        case ast.Call(func=ast.Name(id="cast")):
            return place == 0
        case ast.FormattedValue():
            return name == "format_spec"
    match inner:
        case ast.Expr(value=ast.Call(func=ast.Name(id=called))) if called in SILENT:
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Import() | ast.ImportFrom() | ast.Assert() | ast.pattern():
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.Assign(value=ast.Subscript(value=ast.Name(id=kind))) if kind in TYPES and not where:
            return True
        case ast.Assign(value=ast.BinOp(op=ast.BitOr())) if not where:
            return True
    return False


def _is_words(node: ast.AST) -> bool:
    """Return whether a statement is only text: a docstring, or the description of an attribute."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _lines_of(statement: ast.stmt | None, line: int) -> tuple[int, ...]:
    """Return the lines of a statement; of one with statements inside, those of its head."""
    if statement is None:
        return (line,)
    last = statement.end_lineno or statement.lineno
    if isinstance(body := getattr(statement, "body", None), list) and body:
        last = max(statement.lineno, body[0].lineno - 1)
    return tuple(range(statement.lineno, last + 1))


def _propose(node: ast.AST, tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Yield what may stand in the place of a node, and how that is called."""
    yield from _change_operator(node)
    yield from _change_part(node)
    if isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(node.test, ast.Constant | ast.Compare):
        yield f"{ast.unparse(node.test)} is negated", _with(node, "test", None, _negate(node.test))
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield "returns None", ast.Return(ast.Constant(None))
    if isinstance(node, ast.stmt) and _may_go(node, tree):
        yield "the statement is removed", ast.Pass()


def _change_operator(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Compare():
            for i, op in enumerate(node.ops):
                other = COMPARISONS[type(op)]
                yield f"{SIGNS[type(op)]} becomes {SIGNS[other]}", _with(node, "ops", i, other())
        case ast.BinOp() | ast.AugAssign() if type(node.op) in ARITHMETIC:
            other = ARITHMETIC[type(node.op)]
            yield f"{SIGNS[type(node.op)]} becomes {SIGNS[other]}", _with(node, "op", None, other())
        case ast.BoolOp():
            other = ast.Or if isinstance(node.op, ast.And) else ast.And
            yield f"{SIGNS[type(node.op)]} becomes {SIGNS[other]}", _with(node, "op", None, other())
        case ast.UnaryOp() if not isinstance(node.operand, ast.Constant):
            yield f"{ast.unparse(node)} loses its sign", node.operand


def _change_part(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Constant():
            yield from _change_constant(node)
        case ast.Name(id=name, ctx=ast.Load()) if name in OPPOSITES:
            yield f"{name} becomes {OPPOSITES[name]}", ast.Name(OPPOSITES[name], ast.Load())
        case ast.Attribute(attr=name) if name in OPPOSITES:
            yield f"{name} becomes {OPPOSITES[name]}", _with(node, "attr", None, OPPOSITES[name])
        case ast.Call():
            yield from _change_call(node)
        case ast.Slice():
            for name in ("lower", "upper"):
                bound = getattr(node, name)
                if bound is not None and not isinstance(bound, ast.Constant):
                    yield f"{ast.unparse(bound)} becomes 1 more", _with(node, name, None, _one_more(bound))
        case ast.comprehension():
            for i, condition in enumerate(node.ifs):
                yield f"if {ast.unparse(condition)} is negated", _with(node, "ifs", i, _negate(condition))


def _change_constant(node: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    value = node.value
    if isinstance(value, bool):
        yield f"{value} becomes {not value}", ast.Constant(not value)
    elif isinstance(value, int | float):
        yield f"{value} becomes {value + 1}", ast.Constant(value + 1)
    elif isinstance(value, str) and IS_SQL.search(value):
        for was, becomes in SQL:
            for found in was.finditer(value):
                put = found.expand(becomes)
                text = value[: found.start()] + put + value[found.end() :]
                around = " ".join(value[max(0, found.start() - 20) : found.end() + 20].split())
                yield f"SQL {found[0].strip()!r} becomes {put.strip()!r} in {around!r}", ast.Constant(text)
    elif isinstance(value, str) and not re.search(r"\s", value):
        yield f"{value!r} becomes {value + 'XX'!r}", ast.Constant(value + "XX")


def _change_call(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    called = ast.unparse(node.func)
    pairs = () if called in COMMUTATIVE or called in TALK else zip(node.args, node.args[1:], strict=False)
    for i, (one, other) in enumerate(pairs):
        if isinstance(one, ast.Starred) or isinstance(other, ast.Starred) or ast.dump(one) == ast.dump(other):
            continue
        swapped = deepcopy(node)
        swapped.args[i : i + 2] = [deepcopy(other), deepcopy(one)]
        yield f"arguments {i + 1} and {i + 2} of {called} are swapped", swapped
    for i, keyword in enumerate(node.keywords):
        if keyword.arg not in {None, "strict"}:
            without = deepcopy(node)
            del without.keywords[i]
            yield f"{called} loses {keyword.arg}", without
    if isinstance(node.func, ast.Name) and node.func.id == "range":
        last = len(node.args) - 1 if len(node.args) < 3 else 1
        if not isinstance(node.args[last], ast.Constant):
            yield "the range is 1 longer", _with(node, "args", last, _one_more(node.args[last]))


def _may_go(node: ast.stmt, tree: ast.Module) -> bool:
    """Return whether a statement may be removed; the only assignment of a name would be an error at once."""
    match node:
        case ast.Expr():
            return True
        case ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break() | ast.Delete():
            return True
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            around = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and node in ast.walk(one)]
            return (
                bool(around)
                and sum(
                    (isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store))
                    or (isinstance(one, ast.arg) and one.arg == name)
                    for one in ast.walk(around[-1])
                )
                > 1
            )
    return False


def _with(node: ast.AST, name: str, place: int | None, value: object) -> ast.AST:
    """Return a copy of a node with another part."""
    changed = deepcopy(node)
    if place is None:
        setattr(changed, name, value)
    else:
        getattr(changed, name)[place] = value
    return changed


def _negate(node: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), deepcopy(node))


def _one_more(node: ast.expr) -> ast.expr:
    return ast.BinOp(deepcopy(node), ast.Add(), ast.Constant(1))
