"""Terminal output (text, JSON, usage errors, help, progress bars), and checks of output files."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any, TextIO

import click

from shoal.data.dataset import Dataset, describe_form
from shoal.errors import INVISIBLE, BadParameter, Notice, cut, hear_warnings, tame, tame_lines
from shoal.io import targets as target_files
from shoal.io.atomic import write_text
from shoal.io.delimited import render_csv
from shoal.progress import remember_inputs, track, watching

# Names come from files, and a file must not control the terminal.

ECHOED = 60
"""So many characters of a long argument are repeated in an error message."""


def print_text(text: str) -> None:
    """Print lines to stdout, after the notes and without the progress bar."""
    _notes.show()
    hide_bar()
    click.echo(tame_lines(text))


def print_json(data: Any, *, indent: int | None = 2, allow_nan: bool = True) -> None:
    """Print data as JSON to stdout; characters that a terminal would not show are escaped, so no name is lost."""
    _notes.show()
    hide_bar()
    click.echo(escape_json(json.dumps(data, indent=indent, ensure_ascii=False, allow_nan=allow_nan)))


def record_data(data: Dataset) -> dict[str, Any]:
    """Return the size and the form of data as plain data.

    >>> from shoal.data.graph import Graph
    >>> record_data(Graph.from_pairs("ab", [0], [1], directed=True))
    {'vertices': 2, 'edges': 1, 'multigraph': False, 'directed': True, 'kinds': []}
    """
    found = {data.noun[1]: data.n, "edges": data.m, "multigraph": data.is_multigraph}
    return found | describe_form(data)


def escape_json(text: str) -> str:
    r"""Escape unprintable characters in JSON: they occur only inside strings, where \uXXXX means the same.

    >>> escape_json('["a\u202eb", "\ud800"]')
    '["a\\u202eb", "\\ud800"]'
    """
    return "".join(
        c if c == "\n" or (c.isprintable() and not INVISIBLE.match(c)) else json.dumps(c)[1:-1] for c in text
    )


def show_usage(error: click.ClickException, arguments: Sequence[str]) -> None:
    """Show a usage error as click does, with long arguments cut and control characters escaped."""
    message = error.format_message()
    for argument in arguments:
        for part in (argument, argument.partition("=")[2], argument[2:]):
            if len(part) > ECHOED:
                message = message.replace(part, cut(part, ECHOED)).replace(repr(part)[1:-1], cut(part, ECHOED))
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is not None:
        hint = f"Try '{context.command_path} {context.help_option_names[-1]}' for help."
        click.echo(f"{context.get_usage()}\n{hint}\n", err=True)
    click.echo(f"Error: {tame(message)}", err=True)


# Progress of longer work on stderr: a bar on a terminal, else a line of a log every ten seconds.
#
# The text up to the first comma names a piece of work; what follows is its state. So "searching classes, 0.39 edits
# per edge" replaces "searching classes, 0.41 edits per edge".

PATIENCE = 0.7
"""Seconds before a bar appears."""


class Bar:
    """A progress bar: the current work, its progress and the remaining time."""

    line: Any = None
    since = 0.0

    def __init__(self) -> None:
        self.tasks: dict[str, Any] = {}

    def show(self, what: str, done: int, total: int) -> None:
        """Show that `done` of `total` is done, after a short delay; a total of 0 means unknown."""
        work = what.partition(",")[0]
        if work not in self.tasks:
            self._begin(work, what, total)
        if total and done >= total:
            self._end(work)
            return
        self.line.update(self.tasks[work], description=tame(what), completed=done, total=total or None)
        if not total or time.monotonic() - self.since > PATIENCE:
            self.line.start()

    def clear(self) -> None:
        """Hide the bar, so that the next output starts on an empty line."""
        if self.line is not None:
            self.line.stop()

    def forget(self) -> None:
        """Hide the bar and forget all work."""
        self.clear()
        self.line, self.tasks = None, {}

    def _begin(self, work: str, what: str, total: int) -> None:
        """Switch to other work. It is part of earlier work only if the length of that is unknown."""
        self.line = make_progress_line() if self.line is None else self.line
        if self.tasks and self.line.tasks[-1].total is not None:
            self.line.remove_task(self.tasks.popitem()[1])
        self.tasks[work], self.since = self.line.add_task(tame(what), total=total or None), time.monotonic()

    def _end(self, work: str) -> None:
        """End a piece of work and its parts."""
        names = list(self.tasks)
        for name in names[names.index(work) :]:
            self.line.remove_task(self.tasks.pop(name))
        if not self.tasks:
            self.clear()


def make_progress_line() -> Any:
    """Return a progress bar that shows the latest work, after a short delay."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, Task, TextColumn, TimeRemainingColumn

    class Latest(Progress):
        def get_renderables(self) -> Iterator[Any]:
            yield self.make_tasks_table([task for task in self.tasks if (task.elapsed or 0) > PATIENCE][-1:])

    class Percent(TextColumn):
        def render(self, task: Task) -> Any:
            return super().render(task) if task.total else ""

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), Percent("{task.percentage:>3.0f} %"))
    return Latest(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)


PERIOD = 10.0
"""Seconds between two lines; a shorter command prints none."""


class ProgressLog:
    """The state of long work. A thread prints it, so that a long call of a library does not delay a line."""

    def __init__(self, command: str, stream: TextIO | None = None) -> None:
        self.command, self.stream = command, sys.stderr if stream is None else stream
        self.start = time.monotonic()
        self._open: dict[str, str] = {}
        """What is under way, by the name of the work, outermost first."""
        self._ended = Event()

    def show(self, what: str, done: int, total: int) -> None:
        """Remember that `done` of `total` is done; a total of 0 means unknown."""
        work = what.partition(",")[0]
        names = list(self._open)
        if total and done >= total:
            inner = names[names.index(work) :] if work in names else []
        else:
            inner = names[names.index(work) + 1 :] if work in names else names[1:]
        kept = {name: self._open[name] for name in names if name not in inner}
        if not total or done < total:
            kept[work] = f"{what} ({done:,} of {total:,})" if total else what
        self._open = kept  # replaced as a whole: the printing thread reads it at any time

    def describe(self) -> str:
        """Return the line: the command, the outermost and the innermost work, and the seconds since the start.

        >>> log = ProgressLog("shoal audit")
        >>> log.show("risk before, degree", 2, 8)
        >>> log.show("comparing balls", 3, 128)
        >>> log.describe().rpartition(",")[0]
        'shoal audit: risk before, degree (2 of 8); comparing balls (3 of 128)'
        """
        states = list(self._open.values())
        told = "; ".join(dict.fromkeys(states[:1] + states[-1:])) or "working"
        return f"{self.command}: {tame(told)}, {time.monotonic() - self.start:.0f} s"

    def run(self) -> None:
        """Start to print."""
        Thread(target=self._print_lines, daemon=True).start()

    def end(self) -> None:
        """Print nothing more."""
        self._ended.set()

    def _print_lines(self) -> None:
        while not self._ended.wait(PERIOD):
            with suppress(OSError, ValueError):  # stderr was closed: the work goes on
                print(self.describe(), file=self.stream, flush=True)


_shown = Bar()
_log: ProgressLog | None = None


def end_log() -> None:
    """Print no more lines of progress: the command waits for requests, which is no work."""
    if _log is not None:
        _log.end()


def hide_bar() -> None:
    """Hide the bar before other output; it returns with the next step."""
    _shown.clear()


@contextmanager
def show_progress(command: str = "shoal") -> Iterator[None]:
    """Show the progress of the work inside the block: a bar on a terminal, else a line every ten seconds."""
    global _log  # noqa: PLW0603 - one command at a time
    log = _log = None if sys.stderr.isatty() else ProgressLog(command)
    show = _shown.show if log is None else log.show

    def watch(what: str, done: int, total: int) -> None:
        _notes.show(PATIENCE)
        show(what, done, total)

    try:
        if log is not None:
            log.run()
        with watching(watch):
            yield
    finally:
        if log is not None:
            log.end()
        _shown.forget()


@contextmanager
def show_phase(what: str) -> Iterator[None]:
    """Show an indeterminate progress bar."""
    track(what, 0, 0)
    try:
        yield
    finally:
        track(what, 1, 1)


# Notes on stderr. Notes about how data was read are held until the first output, long work or the end, so that
# many of them become one line. Every other note is shown at once.

FEW = 2
"""So many notes are shown in full; more are one line."""


class Notes:
    """The notes of one command; no note is shown twice."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all notes, before the next command."""
        self.in_full = False
        """Whether all notes are shown in full."""
        self.shown: set[str] = set()
        self.held: dict[str, list[str]] = {}
        """For each note that is not shown yet, its brief text, once per time that it came."""
        self.since = 0.0
        """When the first of these notes came."""

    def hear(self, message: Warning | str) -> None:
        """Hold a note, or show it at once if it has no brief text; a warning of another library is cut."""
        line = f"note: {tame(message)}" if isinstance(message, Notice) else f"warning: {cut(message)}"
        brief = message.brief if isinstance(message, Notice) else ""
        if line in self.shown:
            return
        if brief:
            self.since = self.since if self.held else time.monotonic()
            self.held.setdefault(line, []).append(brief)
        else:
            self._print(line)

    def show(self, after: float = 0) -> None:
        """Show the notes that are held: in full if they are few, or else in one line with what each one counts.

        Nothing is shown while all of them are younger than `after` seconds.
        """
        if not self.held or time.monotonic() - self.since < after:
            return
        held, self.held = self.held, {}
        if self.in_full or len(held) <= FEW:
            for line, briefs in held.items():
                self._print(line, len(briefs))
            return
        counts = Counter(brief for briefs in held.values() for brief in briefs)
        counted = "; ".join(_count_times(tame(brief), times) for brief, times in counts.items())
        self.shown.update(held)
        self._print(f"note: {len(held)} notes; --notes shows them. In short: {counted}.")

    def _print(self, line: str, times: int = 1) -> None:
        self.shown.add(line)
        hide_bar()
        click.echo(_count_times(line, times), err=True)


def _count_times(text: str, times: int) -> str:
    return text if times == 1 else f"{text} ({times:,} times)"


_notes = Notes()


@contextmanager
def show_notes() -> Iterator[None]:
    """Show the warnings of the command inside the block as notes."""
    _notes.reset()
    with hear_warnings(_notes.hear):
        try:
            yield
        finally:
            _notes.show()


def _show_in_full(_: click.Context, __: click.Parameter, value: bool) -> None:
    _notes.in_full = value


notes_option = click.Option(
    ["--notes"],
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_in_full,
    help=f"Show every note in full. Otherwise more than {FEW} notes about how data was read are one line.",
)
"""An option of every command."""


# Help under several headings: an option names its heading.

HEADING = "Options"


class SectionedOption(click.Option):
    """An option that is listed under its own heading."""

    def __init__(self, *args: Any, section: str = HEADING, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section


def make_section(section: str) -> Callable[..., Callable[[Any], Any]]:
    """Return a variant of `click.option` that lists options under a heading."""

    def option(*args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        return click.option(*args, cls=SectionedOption, section=section, **kwargs)

    return option


class SectionedCommand(click.Command):
    """A command whose help lists options under their headings; options without one come first."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Format the options, heading by heading."""
        sections: dict[str, list[tuple[str, str]]] = {HEADING: []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                sections.setdefault(getattr(param, "section", HEADING), []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


# Output files are checked before the work begins; no input file is overwritten.


class Target(click.Path):
    """The path of an output file; every other path is an input."""


TARGET = Target(path_type=Path)
SCENARIO_FILES = "shoal.scenario_files"
"""Where the context of a command keeps the files of its scenarios."""
force_option = click.option("--force", is_flag=True, help="Overwrite existing files.")


def check_targets(targets: Iterable[Path | None], force: bool, inputs: Iterable[Any] = ()) -> None:
    """Check output files before the work begins.

    A target must be a new file, or `--force` must be given. Two targets must be different files. No target may be a
    file that the command reads, under any name: the files of all other options, and `inputs`.
    """
    with remember_inputs(*_list_paths_read(), *inputs):
        target_files.check_targets([target for target in targets if target is not None], force)


def _list_paths_read() -> Iterator[str]:
    """Yield every text and path among the arguments of the running command, except its targets."""
    context = click.get_current_context(silent=True)
    if context is None:
        return
    yield from context.meta.get(SCENARIO_FILES, ())
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        for one in value if isinstance(value, tuple | list) else (value,):
            if isinstance(one, str | Path) and not isinstance(parameter.type, Target):
                yield os.fspath(one)


def save_private_rows(path: Path, force: bool, head: Sequence[str], cells: Iterable[Sequence[object]]) -> None:
    """Write a csv file with a row per person, readable only by its owner."""
    text = render_csv(head, cells)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        at = text[max(0, error.start - 20) : error.end]
        raise BadParameter(f"{path}: a text must be Unicode. Got {at!r} in a name. Change it.") from error
    write_text(path, text, force=force, private=True)
