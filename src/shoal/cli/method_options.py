"""Options of the methods of `shoal anonymize`, and how --method, --then and --protect choose a method."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, replace
from pathlib import Path
from typing import Any

import click

from shoal.cli.options import NAMES, NUMBERS, WHOLE, stack_options
from shoal.cli.output import make_section, show_phase
from shoal.data.dataset import Dataset
from shoal.errors import BadFile, BadParameter, UnknownVertex, did_you_mean, parse_whole, show_value
from shoal.knowledge import Adversary, parse_knowledge
from shoal.methods.base import Method
from shoal.methods.pipeline import Pipeline
from shoal.methods.recommend import recommend
from shoal.methods.registry import METHODS, find_method
from shoal.progress import note_input
from shoal.release.release import Release

# Options of the methods of `shoal anonymize`: an option is the field of the same name of the chosen method.

LINKS = make_section("Methods that change links")
TABLES = make_section("Methods that change tables")


class Effort(click.ParamType[int | str]):
    """Sweeps as a whole number, or seconds as 60s."""

    name = "effort"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Read whole numbers; the method judges the rest."""
        number = parse_whole(str(value))
        return str(value) if number is None else number


class MethodName(click.Choice[str]):
    """The shell name of a method, with a suggestion for one that is misspelled."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, or refuse it."""
        if value not in METHODS:
            self.fail(f"There is no method {value!r}.{did_you_mean(value, METHODS)} Try: shoal methods", param, ctx)
        return str(value)


class Amount(click.ParamType[int | float]):
    """A number of links as 100, or a share of them as 0.1."""

    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        """Read a number; the method judges which it takes."""
        number = parse_whole(str(value))
        try:
            return float(value) if number is None else number
        except ValueError:
            self.fail(f"must be a number as 100, or a share as 0.1. Got {show_value(value)}.", param, ctx)


def make_flag(name: str, text: str) -> Any:
    """Return an option that is not given at all unless it is typed."""
    return LINKS(name, is_flag=True, default=None, help=text)


method_options = stack_options(
    click.option("-k", type=NUMBERS, help="How many candidates must be left; -,1000,100 for one number per size."),
    click.option(
        "-l", type=WHOLE, metavar="L", help="How many neighbors, relations or columns may be known or shared."
    ),
    click.option("--seed", type=WHOLE, help="Repeat the same choices. A secret; left out, the file order is drawn."),
    click.option(
        "--set", "extra", multiple=True, metavar="NAME=VALUE", help="Any other option of the method. Repeat for more."
    ),
    LINKS(
        "--then",
        multiple=True,
        metavar="NAME[:OPTION=VALUE,...]",
        help="Another method on what the first one made, e.g. hide-neighbors:l=1. Repeat for more.",
    ),
    make_flag("--together", "Also promise k to whoever knows all that the methods joined by --then are about."),
    LINKS("--effort", type=Effort(), metavar="60s|SWEEPS", help="How long to search: seconds as 60s, sweeps as 400."),
    LINKS(
        "--similarity",
        metavar="jaccard|manhattan|2-path",
        help="By what vertices are alike (equalize-rows; raise-l has no jaccard).",
    ),
    LINKS(
        "--fill",
        metavar="majority|budget",
        help="What fills the blocks between classes: the fewest edits, or as many edges as before (equalize-rows).",
    ),
    LINKS("--closed", type=WHOLE, metavar="L", help="Classes of K + L may be cliques; L known neighbors are hidden."),
    LINKS(
        "--sensitive",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Protect only these, one name a line (equalize-rows). Others count as candidates.",
    ),
    make_flag("--require-edges", "Refuse where no edge can remain (equalize-rows)."),
    LINKS(
        "--edits",
        metavar="add|add-delete|add-vertices",
        help="What may change: links that come; that come and go; or new vertices (match-degrees).",
    ),
    LINKS(
        "--realize",
        metavar="supergraph|umga|...",
        help="An algorithm of the literature rather than the fewest edits (match-degrees).",
    ),
    LINKS("--labels", type=NAMES, help="Columns known of everybody in a neighborhood (match-neighborhoods)."),
    LINKS(
        "--variant",
        metavar="weak|strong",
        help="Which neighbors are shared: those in the release, or those in the original (share-neighbors).",
    ),
    LINKS("--add", type=Amount(), metavar="N|SHARE", help="Missing links that come, as 100 or 0.1 (perturb)."),
    LINKS("--delete", type=Amount(), metavar="N|SHARE", help="Links that go, as 100 or 0.1 (perturb)."),
    LINKS("--switch", type=Amount(), metavar="N|SHARE", help="Pairs of links that change ends (perturb)."),
    make_flag("--add-only", "Keep all links of the original (hide-neighbors, hide-relations)."),
    make_flag("--located", "Known vertices are no candidates (hide-relations)."),
    LINKS("--keep", metavar="vertices", help="Add copies, rather than delete vertices (raise-l)."),
    make_flag("--allow-empty", "A release without vertices may be handed over (raise-l)."),
    TABLES(
        "--hierarchy",
        "hierarchies",
        multiple=True,
        metavar="COLUMN=FILE",
        help="How values of a column generalize (semicolons, a row a value). Repeat for more.",
    ),
)  # fmt: skip
PLAIN = ("k", "l", "seed", "columns")
FLAGGED = (
    "edits", "realize", "labels", "variant", "add", "delete", "switch", "effort", "similarity", "fill", "closed",
    "sensitive", "require_edges", "add_only", "located", "keep", "allow_empty",
)  # fmt: skip
"""Fields of methods that are options of the command; any other goes through --set."""


def take_method_options(method: str | None, given: dict[str, Any]) -> dict[str, Any]:
    """Take the options of a method out of those of the command, by the names of its fields; None for any method.

    A method that draws nothing is not asked for a seed: the order of the file is drawn from it all the same.
    """
    extra, hierarchies = given.pop("extra"), given.pop("hierarchies")
    options = {name: given[name] if name == "columns" else given.pop(name) for name in (*PLAIN, *FLAGGED)}
    options["hierarchies"] = dict(split_pair(text, "--hierarchy") for text in hierarchies) or None
    options = {name: came for name, came in options.items() if came is not None}
    if method is not None and "seed" not in list_fields(method):
        options.pop("seed", None)
    for name, text in (split_pair(text, "--set") for text in extra):
        if name in options:
            raise BadParameter(f"'{name}' must be given once. Got it again by --set {name}={text}.")
        options[name] = parse_value(text)
    return options


def build_method(name: str, options: Mapping[str, Any]) -> Method:
    """Return the method with its options, or say which it lacks or does not have."""
    known = list_fields(name)
    for option in options:
        if option not in known:
            takes, hint = ", ".join(map(spell_option, known)), did_you_mean(option, known)
            raise BadParameter(f"{name} has no option {spell_as_typed(option)}. It takes: {takes}.{hint}")
    for option, f in known.items():
        if f.default is MISSING and f.default_factory is MISSING and option not in options:
            raise BadParameter(f"{name} needs {spell_option(option)}. Got none.")
    return find_method(name)(**options)


def list_fields(name: str) -> dict[str, Field[Any]]:
    """Return the fields of a method by their names."""
    return {f.name: f for f in fields(find_method(name))}  # type: ignore[arg-type]


def spell_option(option: str) -> str:
    """Return how an option of a method is written in the shell.

    >>> spell_option("k"), spell_option("add_only"), spell_option("hierarchies"), spell_option("classes")
    ('-k', '--add-only', '--hierarchy', '--set classes=VALUE')
    """
    if option == "hierarchies":
        return "--hierarchy"
    if option in PLAIN + FLAGGED:
        return f"-{option}" if len(option) == 1 else f"--{option.replace('_', '-')}"
    return f"--set {option}=VALUE"


def spell_as_typed(option: str) -> str:
    """Return an option as it was typed: after --set it is a bare name.

    >>> spell_as_typed("fill"), spell_as_typed("represntative")
    ('--fill', "'represntative'")
    """
    written = spell_option(option)
    return repr(option) if written.startswith("--set") else written


def split_pair(text: str, option: str) -> tuple[str, str]:
    """Split NAME=VALUE."""
    name, sign, after = text.partition("=")
    if not sign or not name:
        raise BadParameter(f"'{option}' must be NAME=VALUE. Got {text!r}.")
    return name, after


def parse_value(text: str) -> Any:
    """Read a value as Python spells it, a method with options, or else a text.

    >>> parse_value("0.05"), parse_value("median"), parse_value("true")
    (0.05, 'median', True)
    >>> parse_value("swap-within:allow_unique=true")
    SwapWithin(classes=None, columns=None, seed=None, allow_unique=True)
    """
    name, _, options = text.partition(":")
    if name in METHODS and options:
        return build_method(
            name, {option: parse_value(part) for option, part in (split_pair(o, "--set") for o in options.split(","))}
        )
    try:
        found = literal_eval(text.capitalize() if text in ("true", "false") else text)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):  # MemoryError: nested too deep
        return text
    return found


# Choosing: what --method, --then and --protect of `shoal anonymize` stand for.

Reader = Callable[[bool], Dataset]
"""Reads the data, as a table if so told."""


def take_single_attacker(protect: tuple[str, ...]) -> str | None:
    """Return the one attacker to protect from, if any; a second one would be forgotten."""
    if len(protect) > 1:
        raise BadParameter(
            f"'--protect' must be given once. Got {', '.join(protect)}. For whoever knows them at once, join them: "
            f"--protect {'+'.join(protect)}. For a promise about each, name two methods: --method ... --then ..."
        )
    return protect[0] if protect else None


@dataclass(frozen=True)
class Choice:
    """A method, or an attacker to protect from, with the options that were given."""

    method: str | None
    protect: Adversary | None
    then: tuple[str, ...]
    together: bool
    options: dict[str, Any]
    seed: int | None

    @classmethod
    def of(cls, method: str | None, protect: str | None, then: tuple[str, ...], together: bool, given: Any) -> Choice:
        """Return the choice, or refuse what cannot be meant before anything is read."""
        if (method is None) == (protect is None):
            came = "both" if method else "neither"
            raise BadParameter(f"'--method' or '--protect' must be given, one of them. Got {came}. Try: shoal methods")
        if protect is not None and (then or together):
            raise BadParameter("'--then' and '--together' must follow '--method'. Got them with '--protect'.")
        if together and not then:
            raise BadParameter("'--together' must come with '--then': one method makes its promises by itself.")
        seed, knows = given["seed"], None if protect is None else parse_knowledge(protect)
        found = cls(method, knows, then, together, take_method_options(method, given), seed)
        if knows is not None and "k" not in found.options:
            raise BadParameter("'--protect' needs -k: how many candidates must be left. Got none.")
        return found

    @property
    def redraws(self) -> bool:
        """Whether the method draws all links anew, from classes."""
        return self.method is not None and find_method(self.method).redraws

    @property
    def files(self) -> list[Path]:
        """The files that options name."""
        listed = self.options.get("sensitive")
        hierarchies = map(Path, self.options.get("hierarchies", {}).values())
        return [*hierarchies, *([listed] if isinstance(listed, Path) else [])]

    def make_release(self, read: Reader) -> tuple[Release, list[str]]:
        """Return the release, and why its method was chosen where it was."""
        if self.protect is not None:
            return self._recommend_method(read, self.protect)
        assert self.method is not None
        path = self.options.get("sensitive")
        texts = read_names(path) if isinstance(path, Path) else None
        rho: Any = build_method(self.method, self.options if texts is None else self.options | {"sensitive": texts})
        later = [self._parse_step(text) for text in self.then]
        data = read(find_method(self.method).works_on == "tables")
        if texts is not None:
            rho = replace(rho, sensitive=find_vertices(data, texts, path))
        with show_phase(self.method):
            release = (Pipeline((rho, *later), self.together) if later else rho)(data)
        return release, []

    def _parse_step(self, text: str) -> Method:
        """Read NAME:OPTION=VALUE,... of --then; k and the seed are those of the first method unless given."""
        name, _, options = text.partition(":")
        find_method(name)
        given = {
            option: parse_value(part) for option, part in (split_pair(o, "--then") for o in options.split(",") if o)
        }
        first = {o: self.options[o] for o in ("k", "seed") if o in self.options and o in list_fields(name)}
        return build_method(name, first | given)

    def _recommend_method(self, read: Reader, knows: Adversary) -> tuple[Release, list[str]]:
        k = self.options["k"]
        if not isinstance(k, int):
            raise BadParameter(f"'--protect' needs one number for -k. Got {k!r}.")
        others = [spell_as_typed(option) for option in self.options if option not in ("k", "seed", "effort")]
        if others:
            raise BadParameter(
                f"'--protect' must come with -k, --seed and --effort alone. Got {', '.join(others)}, which may change "
                "what is promised: name the method (--method; see shoal methods --protect)."
            )
        settings = {name: self.options[name] for name in ("effort", "seed") if name in self.options}
        data = read(not knows.reads_links)
        with show_phase("choosing"):
            found = recommend(data, knows, k, **settings)
        with show_phase(found.method.shell):
            return found.release, [found.why]


# Names of vertices in a file of their own, one a line.

SHOWN = 3
"""So many unknown names are listed."""


def read_names(path: Path) -> tuple[str, ...]:
    """Read names, one a line; blank lines and spaces around a name do not count, as in an edge list."""
    try:
        note_input(path)
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadFile(f"{path}: must be a file with one name a line. It cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadFile(f"{path}: must be text in UTF-8. Got a byte that is not, at {error.start:,}.") from error
    names = tuple(dict.fromkeys(name for line in text.split("\n") if (name := line.strip(" \t\r"))))
    if not names:
        raise BadFile(f"{path}: must hold at least one name, one a line. Got none. Leave it out to protect everybody.")
    return names


def find_vertices(graph: Dataset, texts: Sequence[str], path: object) -> tuple[Hashable, ...]:
    """Return the names of the vertices that are written like `texts`; all must be there."""
    found = [graph.names.spelled(text) for text in texts]
    lost = [i for i, at in enumerate(graph.names.find(found)) if at < 0]
    if lost:
        written = {str(name): name for name in reversed(graph.names)}  # the first of two that are written alike
        unknown = [texts[i] for i in lost if texts[i] not in written]
        if unknown:
            raise UnknownVertex(describe_missing(path, unknown, texts, graph))
        for i in lost:
            found[i] = written[texts[i]]
    return tuple(found)


def describe_missing(path: object, unknown: Sequence[str], texts: Sequence[str], graph: Dataset) -> str:
    """Say which names no vertex bears, and who might have been meant."""
    which = ", ".join(map(repr, unknown[:SHOWN])) + (", ..." if len(unknown) > SHOWN else "")
    many = f"{len(unknown):,} of {len(texts):,} {'is' if len(unknown) == 1 else 'are'} not"
    hint = did_you_mean(unknown[0], graph.names)
    return f"{path}: every name must be one of the {graph.n:,} vertices. {many}: {which}.{hint}"
