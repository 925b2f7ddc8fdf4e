"""Choosing: what --method, --then and --protect of `shoal anonymize` stand for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal.adversaries import Adversary, parse
from shoal.anonymizers import method_called
from shoal.anonymizers.method import Method
from shoal.anonymizers.pipeline import Pipeline
from shoal.anonymizers.recommend import recommend
from shoal.cli.method_options import asked, build, fields_of, pair, typed, value
from shoal.cli.names import listed_names, vertices_called
from shoal.cli.progress import phase
from shoal.data.graph import Graph
from shoal.data.release import Release
from shoal.errors import BadParameter

Reader = Callable[[bool], Graph]
"""Reads the data, as a table if so told."""


def only(protect: tuple[str, ...]) -> str | None:
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
        seed, knows = given["seed"], None if protect is None else parse(protect)
        found = cls(method, knows, then, together, asked(method, given), seed)
        if knows is not None and "k" not in found.options:
            raise BadParameter("'--protect' needs -k: how many candidates must be left. Got none.")
        return found

    @property
    def redraws(self) -> bool:
        """Whether the method draws all links anew, from classes."""
        return self.method is not None and method_called(self.method).redraws

    @property
    def files(self) -> list[Path]:
        """The files that options name."""
        listed = self.options.get("sensitive")
        hierarchies = map(Path, self.options.get("hierarchies", {}).values())
        return [*hierarchies, *([listed] if isinstance(listed, Path) else [])]

    def made(self, read: Reader) -> tuple[Release, list[str]]:
        """Return the release, and why its method was chosen where it was."""
        if self.protect is not None:
            return self._recommended(read, self.protect)
        assert self.method is not None
        path = self.options.get("sensitive")
        texts = listed_names(path) if isinstance(path, Path) else None
        rho: Any = build(self.method, self.options if texts is None else self.options | {"sensitive": texts})
        later = [self._step(text) for text in self.then]
        data = read(method_called(self.method).works_on == "tables")
        if texts is not None:
            rho = replace(rho, sensitive=vertices_called(data, texts, path))
        with phase(self.method):
            release = (Pipeline((rho, *later), self.together) if later else rho)(data)
        return release, []

    def _step(self, text: str) -> Method:
        """Read NAME:OPTION=VALUE,... of --then; k and the seed are those of the first method unless given."""
        name, _, options = text.partition(":")
        method_called(name)
        given = {option: value(part) for option, part in (pair(o, "--then") for o in options.split(",") if o)}
        first = {o: self.options[o] for o in ("k", "seed") if o in self.options and o in fields_of(name)}
        return build(name, first | given)

    def _recommended(self, read: Reader, knows: Adversary) -> tuple[Release, list[str]]:
        k = self.options["k"]
        if not isinstance(k, int):
            raise BadParameter(f"'--protect' needs one number for -k. Got {k!r}.")
        others = [typed(option) for option in self.options if option not in ("k", "seed", "effort")]
        if others:
            raise BadParameter(
                f"'--protect' must come with -k, --seed and --effort alone. Got {', '.join(others)}, which may change "
                "what is promised: name the method (--method; see shoal methods --protect)."
            )
        settings = {name: self.options[name] for name in ("effort", "seed") if name in self.options}
        data = read(not knows.reads_links)
        with phase("choosing"):
            found = recommend(data, k, knows, **settings)
        with phase(found.method.shell):
            return found.release, [found.why]
