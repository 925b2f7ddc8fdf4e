"""Reading: how the files of a data set are read, as a call of the library and as words of a command."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shoal.data.dataset import Dataset
from shoal.data.examples import PREFIX, load_example
from shoal.data.graph import Graph
from shoal.errors import parse_whole
from shoal.io.read import read_graph, read_table


@dataclass(frozen=True)
class Reading:
    """The choices on the page "Open". None and False mean what the library does by default."""

    file: str
    """The name of the file, or example:NAME."""
    people: str | None = None
    """The name of a table about the people, joined by name."""
    table: bool = False
    """Whether the file is a table with one row per person, and has no links."""
    ends: tuple[int, int] | None = None
    """The columns of the two ends of a link, by position from 0."""
    header: bool | None = None
    separator: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    directed: bool = False
    undirected: bool = False
    kind: str | None = None
    bins: str | None = None
    key: str | None = None
    """The column that names the people."""
    drop_loops: bool = False

    @property
    def is_example(self) -> bool:
        """Whether it is an example that comes with shoal."""
        return self.file.startswith(PREFIX)

    def load(self) -> Dataset:
        """Read the data."""
        if self.is_example:
            found = load_example(self.file)
            return found.to_undirected() if self.undirected and isinstance(found, Graph) and found.directed else found
        if self.table:
            return read_table(self.file, **self.list_arguments())
        return read_graph(self.file, **self.list_arguments())

    def list_arguments(self) -> dict[str, Any]:
        """Return the arguments of read_graph or read_table that are not the default ones."""
        shared = {"separator": self.separator, "encoding": self.encoding, "sheet": self.sheet, "key": self.key}
        if self.table:
            return _drop_defaults(shared)
        own = {
            "attributes": self.people,
            "columns": self.ends,
            "header": self.header,
            "directed": self.directed,
            "undirected": self.undirected,
            "kind": None if self.kind is None else _parse_column(self.kind),
            "bins": self.bins,
            "drop_loops": self.drop_loops,
        }
        return _drop_defaults(own | shared)

    def list_words(self) -> list[str]:
        """Return the file and the options of reading as words of a command."""
        options = {
            "--attributes": self.people,
            "--ends": None if self.ends is None else ",".join(map(str, self.ends)),
            "--separator": self.separator,
            "--encoding": self.encoding,
            "--sheet": self.sheet,
            "--kind": self.kind,
            "--bins": self.bins,
            "--key": self.key,
        }
        flags = {
            "--table": self.table,
            "--header": self.header is True,
            "--no-header": self.header is False,
            "--directed": self.directed,
            "--undirected": self.undirected,
            "--drop-loops": self.drop_loops,
        }
        words = [word for name, value in options.items() if value is not None for word in (name, value)]
        file = f"./{self.file}" if self.file.startswith("-") else self.file  # it is no option
        return [file, *words, *(name for name, given in flags.items() if given)]

    def write_python(self) -> str:
        """Return the call that reads the data, as Python code.

        >>> Reading("friends.csv", people="people.csv", directed=True).write_python()
        "shoal.read_graph('friends.csv', attributes='people.csv', directed=True)"
        """
        if self.is_example:
            return f"shoal.examples.{self.file.removeprefix(PREFIX)}(){'.to_undirected()' if self.undirected else ''}"
        told = [repr(self.file), *(f"{name}={value!r}" for name, value in self.list_arguments().items())]
        return f"shoal.{'read_table' if self.table else 'read_graph'}({', '.join(told)})"


def write_command(words: Sequence[str]) -> str:
    """Return the words of a command, quoted for the shell."""
    return " ".join(map(shlex.quote, words))


def _drop_defaults(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if value is not None and value is not False} | (
        {"header": False} if found.get("header") is False else {}
    )


def _parse_column(text: str) -> str | int:
    number = parse_whole(text)
    return text if number is None or number < 0 else number
