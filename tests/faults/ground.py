"""The ground of all cases: inputs, what each command writes if nothing goes wrong, and the count of cases."""

import random
import re
import shutil
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from faults import copies, judges
from faults.copies import Place, Run
from faults.originals import draw_original
from faults.writing import WRITING

SECONDS = re.compile(rb'"seconds": [0-9.e-]+')
"""How long a point of a frontier took: the only thing in a file that a second run does not repeat."""
FIRST = (
    ("anonymize ../in/friends.csv --method equalize-rows -k 3 --effort 5 -o safe.csv --mapping secret.csv", "safe.csv"),
    ("classes ../in/safe.csv -o classes.json", None),
    (
        "anonymize ../in/people.csv --key name --columns age --leave-out town --method microaggregate -k 3 -o ages.csv",
        None,
    ),
)
"""Commands that make inputs of others."""


class Baseline(NamedTuple):
    """What a command does if nothing goes wrong."""

    files: dict
    """The contents of its outputs."""
    steps: tuple
    seconds: float
    processor: float
    staged: float


class Tally:
    """How many cases of each kind there were, and what was wrong."""

    def __init__(self, say=None):
        self.cases, self.failed, self.faults, self.say = Counter(), Counter(), [], say or write_line

    def count(self, kind, case, faults):
        """Count a case, and the faults that its judges found."""
        self.cases[kind] += 1
        found = list(dict.fromkeys(faults))
        if found:
            self.failed[kind] += 1
            self.faults.append((kind, case, found))
            self.say(f"FAIL {kind}: {case}: {'; '.join(found)}")

    def print_table(self):
        """Print the cases and failures of each kind."""
        wide = max(map(len, self.cases), default=4)
        self.say(f"\n{'kind':{wide}}  {'cases':>6}  {'failed':>6}")
        for kind, many in self.cases.items():
            self.say(f"{kind:{wide}}  {many:6,}  {self.failed[kind]:6,}")
        total, wrong = sum(self.cases.values()), sum(self.failed.values())
        self.say(f"{'all':{wide}}  {total:6,}  {wrong:6,}")


class Ground:
    """Folders for runs, one after the other, on inputs drawn with a seed."""

    def __init__(self, root, seed, writing=WRITING, first=FIRST):
        self.root, self.seed, self.writing = Path(root), seed, writing
        self.rng = random.Random(f"faults {seed}")
        self.original = draw_original(seed)
        self.secrets = [name.encode() for name in self.original.names]
        self.inputs = self.root / "in"
        self.inputs.mkdir(mode=0o700)
        self.original.write(self.inputs)
        copies.prepare()
        for words, mapped in first:
            self._make_input(words.split(), mapped)
        self.baselines = {}

    def _make_input(self, arguments, mapped):
        place = self.clear()
        ended = Run(arguments, place).end()
        if ended.code:
            raise RuntimeError(f"{' '.join(arguments)} ended with {ended.code}: {ended.said}")
        for one in place.folder.iterdir():
            if mapped or one.suffix != ".md":
                shutil.copy(one, self.inputs)

    def clear(self, old=()):
        """Return an empty place, with older files under these names."""
        place = Place(self.root)
        for folder in (place.folder, place.temp):
            with suppress(FileNotFoundError):
                shutil.rmtree(folder)
            folder.mkdir()
        for name in old:
            (place.folder / name).write_bytes(spell_old(name))
        return place

    def measure(self, one, seed=1):
        """Return what a command does if nothing goes wrong."""
        if (one.title, seed) not in self.baselines:
            place = self.clear()
            ended = Run(one.arguments, place, seed=seed).end()
            files = self.see(place)
            if ended.code or set(files) != {*one.outputs, *one.keeps}:
                raise RuntimeError(f"{one.title} ended with {ended.code} and wrote {sorted(files)}: {ended.said}")
            found = {name: files[name] for name in one.outputs}
            times = ended.seconds, ended.processor, ended.staged
            self.baselines[one.title, seed] = Baseline(found, ended.steps, *times)
        return self.baselines[one.title, seed]

    def see(self, place):
        """Return the contents of the folder of a run, without what no two runs have in common."""
        return {
            name: data if data is None else SECONDS.sub(b'"seconds": 0', data)
            for name, data in judges.look(place.folder).items()
        }

    def run(self, one, place, *more, **how):
        """Run a command to its end."""
        return Run([*one.arguments, *more], place, **how).end()

    def judge(self, one, place, old, *, new=None, swept=True):
        """Yield what is wrong after a run: outputs, modes, what names people, and (if it was to be swept) leftovers."""
        found, new = self.see(place), self.baselines[one.title, 1].files if new is None else new
        before = {name: spell_old(name) for name in old}
        yield from judges.judge_outputs(found, new, before)
        if swept:
            yield from judges.judge_leftovers(found, new, before, one.keeps)
            yield from (f"{entry.name} is left in the temporary folder" for entry in place.temp.iterdir())
        yield from self.judge_secrets(one, place, old)

    def judge_secrets(self, one, place, old=()):
        """Yield files that others can open and that name people."""
        yield from judges.judge_modes(place.folder, [name for name in one.private if name not in old])
        for folder in (place.folder, place.temp):
            yield from judges.find_exposed(folder, self.secrets)
            yield from judges.judge_temporary(folder, self.secrets)

    def settle(self, one, place, old, ended):
        """Yield what is wrong after a kill: a journal must be named and lead to a whole, and a next run must sweep."""
        found = self.see(place)
        before = {name: spell_old(name) for name in old}
        journals = [name for name in found if name.endswith(".shoal-journal")]
        if journals:
            yield from self._settle_journal(one, place, before)
            return
        yield from judges.judge_outputs(found, self.baselines[one.title, 1].files, before)
        if set(found) - {*one.outputs, *before, *one.keeps} or any(place.temp.iterdir()):
            again = self.run(one, place, "--force")
            yield from (f"next run: {fault}" for fault in judges.judge_words(again))
            if again.code:
                yield f"the next run ended with {again.code}: {again.said.strip()[-200:]!r}"
            yield from (f"next run: {fault}" for fault in self.judge(one, place, ()))

    def _settle_journal(self, one, place, before):
        new = self.baselines[one.title, 1].files
        for name, data in self.see(place).items():
            if name in new and data not in (new[name], before.get(name)):
                yield f"{name} is neither new nor old"
        again = self.run(one, place, "--force")
        if again.code != 2 or "shoal recover" not in again.said:
            yield f"the journal is not named: {again.said.strip()[-200:]!r}"
        kept = self.root / "kept"
        shutil.copytree(place.folder, kept, symlinks=True)
        for back in ("", "--roll-back"):
            ended = Run(["recover", one.outputs[0], *back.split()], place).end()
            found = self.see(place)
            if ended.code:
                yield f"shoal recover {back} ended with {ended.code}: {ended.said.strip()[-200:]!r}"
            yield from (f"recover {back}: {fault}" for fault in judges.judge_outputs(found, new, before))
            yield from (f"recover {back}: {fault}" for fault in judges.judge_leftovers(found, new, before, one.keeps))
            if back and any(found.get(name) != data for name, data in before.items()):
                yield "a rollback did not restore the old files"
            yield from self.judge_secrets(one, place, before)
            shutil.rmtree(place.folder)
            if back:
                shutil.rmtree(kept)
                place.folder.mkdir()
            else:
                shutil.copytree(kept, place.folder, symlinks=True)


def spell_old(name):
    """Return the content of an older file."""
    return f"old {name}\n".encode()


def write_line(text, stream=None):
    """Write a line at once."""
    stream = stream or sys.stdout
    stream.write(f"{text}\n")
    stream.flush()
