"""Options of commands that the fields of methods and attacks declare (:func:`shoal.parts.option`).

Below: how --method, --then and --protect of `shoal anonymize` choose a method.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, replace
from pathlib import Path
from typing import Any

import click

from shoal.cli.options import NAMES, NUMBERS, WHOLE, stack_options
from shoal.cli.output import make_section, show_phase
from shoal.data.dataset import Dataset
from shoal.errors import (
    DIGITS,
    BadFile,
    BadParameter,
    CannotPromise,
    UnknownVertex,
    did_you_mean,
    parse_whole,
    show_value,
    tame,
)
from shoal.io.files import find_file, open_file
from shoal.knowledge import Adversary, parse_knowledge
from shoal.methods.base import METHODS, Method, find_method
from shoal.methods.passing import recommend_for_scenario
from shoal.methods.pipeline import Pipeline
from shoal.methods.recommend import recommend
from shoal.methods.spelling import spell_method
from shoal.parts import Registry, split_words, unescape
from shoal.progress import note_input
from shoal.release.release import Release
from shoal.report.text.scenarios import describe_recommendation
from shoal.risk.scenario import Scenario, as_scenario


class PartName(click.ParamType[str]):
    """The shell name of a registered part. A misspelled name is refused with a suggestion."""

    def __init__(self, registry: Registry, hint: str = "") -> None:
        self.registry, self.hint, self.name = registry, hint, registry.noun

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return the registered names."""
        return f"[{'|'.join(self.registry)}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, or refuse it."""
        if value not in self.registry:
            there = self.hint or f"There are: {', '.join(self.registry)}."
            suggestion = did_you_mean(value, self.registry)
            self.fail(f"There is no {self.registry.noun} {value!r}.{suggestion} {there}", param, ctx)
        return str(value)


class Effort(click.ParamType[int | str]):
    """Sweeps as a whole number, or seconds as 60s."""

    name = "effort"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Read whole numbers; the method checks the rest."""
        number = parse_whole(str(value))
        return str(value) if number is None else number


class Amount(click.ParamType[int | float]):
    """A number as 100, or a share as 0.1."""

    name = "N|SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        """Read a number; the method or attack checks its range."""
        number = parse_whole(str(value))
        try:
            return float(value) if number is None else number
        except ValueError:
            self.fail(f"must be a number as 100, or a share as 0.1. Got {show_value(value)}.", param, ctx)


class Share(click.ParamType[int | float | str]):
    """A number as 100, or a share as 0.1 or 10%."""

    name = "N|SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float | str:
        """Read numbers; the method checks the rest."""
        number = parse_whole(str(value))
        try:
            return float(value) if number is None else number
        except ValueError:
            return str(value)


TYPES: dict[str, Any] = {
    "int": WHOLE,
    "int | None": WHOLE,
    "float": click.FLOAT,
    "int | float": Amount(),
    "int | float | str | None": Effort(),
    "int | float | str": Share(),
    "tuple[str, ...]": NAMES,
    "tuple[Hashable, ...] | None": click.Path(path_type=Path),
}
"""How a value is read, by the annotation of its field; texts and choices as they are."""

REPEATED = ("tuple[Adversary, ...]",)
"""Annotations of fields whose option may be given several times."""


@dataclass(frozen=True)
class PartOption:
    """An option of a command that sets a field of one or several parts."""

    field: Field[Any]
    parts: tuple[str, ...]
    """The shell names of the parts that have the field."""
    words: tuple[str, ...] = ()
    """How its value is written: the choices of all parts."""

    @property
    def flag(self) -> str:
        """The option as it is typed."""
        return f"--{self.field.metadata['option'] or self.field.name.replace('_', '-')}"

    def decorate(self, section: Callable[..., Callable[[Any], Any]]) -> Callable[[Any], Any]:
        """Return the click option under a heading of the help."""
        text = f"{self.field.metadata['help'].removesuffix('.')} ({', '.join(self.parts)})."
        annotation = str(self.field.type)
        if annotation == "bool":  # None unless typed, so that the default is the part's own
            return section(self.flag, self.field.name, is_flag=True, default=None, help=text)
        metavar = "|".join(self.words) or None
        if annotation in REPEATED:  # None unless typed, too
            many = {"multiple": True, "default": None, "callback": lambda _context, _option, came: came or None}
            return section(self.flag, self.field.name, metavar=metavar, help=text, **many)
        return section(self.flag, self.field.name, type=TYPES.get(annotation), metavar=metavar, help=text)


def collect_options(registry: Mapping[str, Any]) -> dict[str, PartOption]:
    """Return the options that the fields of parts declare, by the names of the fields.

    >>> from shoal.methods import METHODS
    >>> collect_options(METHODS)["similarity"].parts
    ('equalize-rows', 'raise-l')
    """
    having: dict[str, list[str]] = {}
    declared: dict[str, Field[Any]] = {}
    words: dict[str, dict[str, None]] = {}
    for name, kind in registry.items():
        for each in fields(kind):
            having.setdefault(each.name, []).append(name)
            if "option" in each.metadata:
                declared.setdefault(each.name, each)
                words.setdefault(each.name, {}).update(dict.fromkeys(list_value_words(each)))
    return {name: PartOption(each, tuple(having[name]), tuple(words[name])) for name, each in declared.items()}


def list_value_words(declared: Field[Any]) -> list[str]:
    """Return how the value of a field is written, as declared or as its type lists the choices."""
    written = declared.metadata["metavar"]
    return written.split("|") if written else re.findall(r"['\"]([\w-]+)['\"]", str(declared.type))


# Methods: each field that a method declares as an option is one; any other field is set by --set.

OPTIONS = collect_options(METHODS)
"""The options that methods declare, by the names of the fields."""
LINKS = make_section("Methods that change links")
TABLES = make_section("Methods that change tables")

METHOD_NAME = PartName(METHODS, hint="Try: shoal methods")

method_options = stack_options(
    click.option("-k", type=NUMBERS, help="Least number of candidates; one per set size as -,1000,100 (hide-columns)."),
    click.option("-l", type=WHOLE, metavar="L", help="Number of known or shared neighbors, relations or columns."),
    click.option("--seed", type=WHOLE, help="Random seed. Keep it private; random by default."),
    click.option(
        "--seed-file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="File with the random seed, so that no shell history or list of processes shows it.",
    ),
    click.option("--set", "extra", multiple=True, metavar="NAME=VALUE", help="Other option of the method. Repeatable."),
    LINKS(
        "--then",
        multiple=True,
        metavar="NAME[:OPTION=VALUE,...]",
        help="Apply another method to the result, e.g. hide-neighbors:l=1. Repeatable. A backslash protects a comma.",
    ),
    LINKS(
        "--together",
        is_flag=True,
        default=None,
        help="Also guarantee k against an attacker with the knowledge of all methods joined by --then.",
    ),
    *(each.decorate(TABLES if METHODS[each.parts[0]].works_on == "tables" else LINKS) for each in OPTIONS.values()),
    TABLES(
        "--hierarchy",
        "hierarchies",
        multiple=True,
        metavar="COLUMN=FILE",
        help="How the values of a column generalize (semicolons, one value per row). Repeatable.",
    ),
)  # fmt: skip
PLAIN = ("k", "l", "seed", "columns")
"""Fields that are options of the command for every method."""


def take_method_options(method: str | None, given: dict[str, Any]) -> dict[str, Any]:
    """Take the options of a method out of those of the command, by the names of its fields; None for any method.

    A method without a seed does not get one; the order of the output file still depends on it. A method without columns
    does not get them; they are still the quasi-identifiers of the scenario.
    """
    extra, hierarchies = given.pop("extra"), given.pop("hierarchies")
    options = {name: given[name] if name == "columns" else given.pop(name) for name in (*PLAIN, *OPTIONS)}
    options["hierarchies"] = dict(split_pair(text, "--hierarchy") for text in hierarchies) or None
    options = {name: came for name, came in options.items() if came is not None}
    known = OPTIONS if method is None else list_fields(method)
    for name in ("seed", "columns"):
        if method is not None and name not in known:
            options.pop(name, None)
    for name, text in (split_pair(text, "--set") for text in extra):
        if name in options:
            raise BadParameter(f"'{name}' must be given once. Got it again by --set {name}={text}.")
        options[name] = parse_value(text)
    return options


def build_method(name: str, options: Mapping[str, Any]) -> Method:
    """Return the method with its options, or refuse an option that is missing or unknown."""
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
    if option in PLAIN:
        return f"-{option}" if len(option) == 1 else f"--{option}"
    return OPTIONS[option].flag if option in OPTIONS else f"--set {option}=VALUE"


def spell_as_typed(option: str) -> str:
    """Return an option as it was typed: a bare name after --set.

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
    """Read a Python literal, a method with options, or else a text.

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


# The choice of a method by --method, --then and --protect of `shoal anonymize`.

Reader = Callable[[bool], Dataset]
"""Reads the data; with True, as a table."""


def take_single_attacker(protect: tuple[str, ...]) -> str | None:
    """Return the one attacker model to protect against, if any; refuse a second one."""
    if len(protect) > 1:
        raise BadParameter(
            f"'--protect' must be given once. Got {', '.join(protect)}. For an attacker with all this knowledge, join "
            f"it: --protect {'+'.join(protect)}. For one guarantee each, name two methods: --method ... --then ..."
        )
    return protect[0] if protect else None


def build_steps(
    method: str, options: dict[str, Any], then: tuple[str, ...], seed: int | None = None
) -> tuple[Method, ...]:
    """Build the method and those of --then; a file of names is read. A first method without a seed passes it on."""
    path = options.get("sensitive")
    first = build_method(method, options | ({"sensitive": read_names(path)} if isinstance(path, Path) else {}))
    shared = options | ({} if seed is None else {"seed": seed})
    return (first, *(_parse_step(text, shared) for text in then))


def _parse_step(text: str, before: dict[str, Any]) -> Method:
    """Read NAME:OPTION=VALUE,... of --then; k and the seed are those of the first method unless given."""
    name, _, options = text.partition(":")
    find_method(name)
    given = _read_step_options(name, options)
    first = {o: before[o] for o in ("k", "seed") if o in before and o in list_fields(name)}
    return build_method(name, first | given)


def _read_step_options(name: str, text: str) -> dict[str, Any]:
    r"""Read OPTION=VALUE,... of a step; a backslash protects a comma, and knowledge may be given several times.

    >>> _read_step_options("reduce-risk", "knows=degree,knows=degree+columns:age\\,sex,k=3")
    {'knowledge': ('degree', 'degree+columns:age,sex'), 'k': 3}
    """
    called = {field.metadata.get("option") or field.name: field for field in list_fields(name).values()}
    found: dict[str, Any] = {}
    for word in split_words(text, ",") if text else ():
        option, value = split_pair(unescape(word), "--then")
        field = called.get(option)
        if field is not None and str(field.type) in REPEATED:
            found[field.name] = (*found.get(field.name, ()), value)
        else:
            found[option if field is None else field.name] = parse_value(value)
    return found


@dataclass(frozen=True)
class Choice:
    """A method, or an attacker model to protect against, with the given options."""

    method: str | None
    protect: Adversary | None
    steps: tuple[Method, ...]
    """The method and those of --then; names of vertices from a file are still texts."""
    together: bool
    options: dict[str, Any]
    seed: int | None
    scenario: Scenario
    columns: tuple[str, ...] = ()
    """The quasi-identifiers."""

    @classmethod
    def of(
        cls,
        method: str | None,
        protect: str | None,
        then: tuple[str, ...],
        together: bool,
        given: Any,
        scenario: Scenario | None,
    ) -> Choice:
        """Return the choice, or refuse contradictory options before any data are read."""
        if (method is not None) + (protect is not None) != 1 and (method or protect or scenario is None):
            came = "both" if method else "neither"
            raise BadParameter(
                f"'--method', '--protect' or '--scenario' must say how to make the release. Got {came}. "
                "Try: shoal methods"
            )
        if protect is not None and (then or together):
            raise BadParameter("'--then' and '--together' must follow '--method'. Got them with '--protect'.")
        if together and not then:
            raise BadParameter("'--together' must come with '--then': it joins the guarantees of several methods.")
        seed = given["seed"] = take_seed(given.pop("seed_file"), given["seed"])
        knows, columns = None if protect is None else parse_knowledge(protect), given["columns"]
        typed_k = given["k"]
        options = take_method_options(method, given)
        if scenario is not None and "k" not in options and (method is None or "k" in list_fields(method)):
            options["k"] = scenario.k
        chosen = as_scenario(scenario)
        if scenario is not None and isinstance(typed_k, int):
            chosen = scenario.with_k(typed_k)
        if knows is not None and "k" not in options:
            raise BadParameter("'--protect' needs -k, the least number of candidates. Got none.")
        steps = () if method is None else build_steps(method, options, then, seed)
        return cls(method, knows, steps, together, options, seed, chosen, columns or ())

    @property
    def redraws(self) -> bool:
        """Whether the method draws all links anew from classes."""
        return self.method is not None and find_method(self.method).redraws

    @property
    def files(self) -> list[Path]:
        """The files named by options."""
        listed = self.options.get("sensitive")
        hierarchies = map(Path, self.options.get("hierarchies", {}).values())
        return [*hierarchies, *([listed] if isinstance(listed, Path) else [])]

    def make_release(self, read: Reader) -> tuple[Release, list[str]]:
        """Return the release, and why its method was chosen, if --protect chose it."""
        if self.protect is not None:
            return self._recommend_method(read, self.protect)
        if self.method is None:
            return self._pass_scenario(read)
        rho: Any = self.steps[0]
        data = read(all(step.works_on == "tables" for step in self.steps))
        path = self.options.get("sensitive")
        if isinstance(path, Path):
            rho = replace(rho, sensitive=find_vertices(data, rho.sensitive, path))
        with show_phase(rho.shell):
            release = (Pipeline((rho, *self.steps[1:]), self.together) if len(self.steps) > 1 else rho)(data)
        return release, []

    def _pass_scenario(self, read: Reader) -> tuple[Release, list[str]]:
        """Return the cheapest release that passes the scenario."""
        self._refuse_others("--scenario", ("k", "seed", "columns"))
        data = read(False)
        found = recommend_for_scenario(data, self.scenario, columns=self.columns, seed=self.seed)
        if not found.passing:
            raise CannotPromise(f"anonymize: no release that passes was found. {tame(describe_recommendation(found))}")
        first = found.passing[0]
        assert first.release is not None
        return first.release, [
            f"Chosen: {spell_method(first.method)}, the cheapest of {len(found.passing):,} that pass."
        ]

    def _refuse_others(self, option: str, known: Sequence[str]) -> None:
        """Refuse options that may change the guarantee where the method is chosen."""
        others = [spell_as_typed(one) for one in self.options if one not in known]
        if others:
            raise BadParameter(
                f"'{option}' must come with no options but {', '.join(map(spell_option, known))}. Got "
                f"{', '.join(others)}, which may change the guarantee: name the method (--method; see shoal methods)."
            )

    def _recommend_method(self, read: Reader, knows: Adversary) -> tuple[Release, list[str]]:
        k = self.options["k"]
        if not isinstance(k, int):
            raise BadParameter(f"'--protect' needs one number for -k. Got {k!r}.")
        self._refuse_others("--protect", ("k", "seed", "effort"))
        settings = {name: self.options[name] for name in ("effort", "seed") if name in self.options}
        data = read(not knows.reads_links)
        with show_phase("choosing"):
            found = recommend(data, knows, k, **settings)
        with show_phase(found.method.shell):
            return found.release, [found.why]


# The seed in a file, which is secret: no message shows what the file holds.

LONGEST = DIGITS + 100
"""The most bytes of a file with a seed."""


def take_seed(path: Path | None, seed: int | None) -> int | None:
    """Return the seed of --seed-file or of --seed, which must not come together."""
    if path is None:
        return seed
    if seed is not None:
        raise BadParameter("'--seed-file' and '--seed' must not come together: there is one seed. Leave one out.")
    return read_seed(path)


def read_seed(path: Path) -> int:
    """Read a seed: a whole number of 0 or more, perhaps with blanks around it and a line end."""
    place = find_file(path)
    with open_file(place, "") as stream:
        text = stream.read(LONGEST + 1)
    spelled = re.fullmatch(rb"[ \t]*([0-9]+)[ \t]*(\r?\n)?", text) if len(text) <= LONGEST else None
    seed = None if spelled is None else parse_whole(spelled[1].decode())
    if seed is None:
        came = "something else, which is not shown" if text.strip() else "no number"
        raise BadFile(
            f"{place}: must hold the seed, a whole number of 0 or more, on one line. Got {came}. Write it anew."
        )
    return seed


# Names of vertices in a file, one per line.

SHOWN = 3
"""The number of unknown names that a message lists."""


def read_names(path: Path) -> tuple[str, ...]:
    """Read names, one per line; blank lines and spaces around a name are ignored, as in an edge list."""
    try:
        note_input(path)
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadFile(f"{path}: must be a file with one name per line. It cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadFile(f"{path}: must be text in UTF-8. Got a byte that is not, at {error.start:,}.") from error
    names = tuple(dict.fromkeys(name for line in text.split("\n") if (name := line.strip(" \t\r"))))
    if not names:
        raise BadFile(
            f"{path}: must contain at least one name, one per line. Got none. Omit it to protect all vertices."
        )
    return names


def find_vertices(graph: Dataset, texts: Sequence[str], path: object) -> tuple[Hashable, ...]:
    """Return the vertices whose names are written like `texts`; all must exist."""
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
    """Return a message that lists the unknown names and suggests a similar one."""
    which = ", ".join(map(repr, unknown[:SHOWN])) + (", ..." if len(unknown) > SHOWN else "")
    many = f"{len(unknown):,} of {len(texts):,} {'is' if len(unknown) == 1 else 'are'} not"
    hint = did_you_mean(unknown[0], graph.names)
    return f"{path}: every name must be one of the {graph.n:,} vertices. {many}: {which}.{hint}"
