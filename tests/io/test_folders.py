"""Private temporary folders: what killed runs left is removed at the next run, and nothing else is."""

import errno
import os
import subprocess
import sys
from contextlib import nullcontext

import pytest

import shoal.io.atomic
from shoal.errors import BadFile
from shoal.io.atomic import write_text, write_together
from shoal.io.folders import lock_folder
from shoal.io.journal import sweep_leftovers

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no modes")
LEFT = ".rows.csv.0123abcd.part"


def leave(folder, name=LEFT, mode=0o700):
    left = folder / name
    left.mkdir()
    (left / "rows.csv").write_text("Ridolfi")
    left.chmod(mode)
    return left


def test_the_next_run_removes_what_a_killed_one_left(tmp_path):
    left = leave(tmp_path)
    write_text(tmp_path / "rows.csv", "new", force=False)
    assert not left.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


def test_nothing_else_is_removed(tmp_path):
    kept = [
        leave(tmp_path, ".other.csv.0123abcd.part"),
        leave(tmp_path, ".rows.csv.0123abc.part"),
        leave(tmp_path, ".rows.csv.abcd0123.part", 0o755),
        leave(tmp_path, "rows.csv.0123abcd.part"),
    ]
    (tmp_path / ".rows.csv.abcdabcd.part").symlink_to(kept[0])
    write_text(tmp_path / "rows.csv", "new", force=False)
    assert all((folder / "rows.csv").read_text() == "Ridolfi" for folder in kept)
    assert (tmp_path / ".rows.csv.abcdabcd.part").is_symlink()


def test_the_folder_of_a_running_process_stays(tmp_path):
    left = leave(tmp_path)
    lock = lock_folder(left)
    write_text(tmp_path / "rows.csv", "new", force=False)
    assert (left / "rows.csv").exists()
    os.close(lock)
    write_text(tmp_path / "rows.csv", "newer", force=True)
    assert not left.exists()


def test_a_folder_that_a_journal_needs_stays(tmp_path):
    left = leave(tmp_path)
    journal = tmp_path / ".safe.csv.shoal-journal"
    journal.write_text("{}")
    (left / "rows.csv.pointer").write_text(str(journal))
    with pytest.raises(BadFile):
        write_text(tmp_path / "rows.csv", "new", force=False)
    assert sweep_leftovers(tmp_path / "rows.csv") == []
    assert left.exists()
    journal.unlink()
    write_text(tmp_path / "rows.csv", "new", force=False)
    assert not left.exists()


def test_temporary_files_are_of_mode_600(tmp_path):
    places, modes = [tmp_path / "public.csv", tmp_path / "secret.csv"], set()
    old = os.umask(0o022)
    try:
        with write_together(places, force=False, private=places[1:]) as parts:
            for part in parts:
                write_text(part, "text", force=False)
                modes |= {path.stat().st_mode & 0o777 for path in part.parent.rglob("*") if path.is_file()}
    finally:
        os.umask(old)
    assert modes == {0o600}
    assert [place.stat().st_mode & 0o777 for place in places] == [0o644, 0o600]


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_at_the_last_moment_is_not_overwritten(links, tmp_path, monkeypatch):
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    last = shoal.io.atomic._move

    def move(one, force):
        if links:
            first.write_text("of another program")
        last(one, force)

    def refuse(*_):
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr("shoal.io.atomic._move", move)
    if not links:
        monkeypatch.setattr(os, "link", refuse)
    with (
        pytest.raises(BadFile, match="None of the files") if links else nullcontext(),
        write_together([first, second], force=False) as parts,
    ):
        for part in parts:
            part.write_text("new")
    found = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert found == ({"first.csv": "of another program"} if links else {"first.csv": "new", "second.csv": "new"})


@pytest.mark.slow
def test_a_command_lets_libraries_write_private_files_and_publishes_with_the_mode_of_the_user(tmp_path):
    code = (
        "import os, pathlib; from shoal.io.atomic import keep_files_private, write_text\n"
        "os.umask(0o027); keep_files_private(); keep_files_private()\n"
        "pathlib.Path('spill').write_text('Ridolfi')\n"
        "write_text(pathlib.Path('public'), 'text', force=False)\n"
        "write_text(pathlib.Path('secret'), 'text', force=False, private=True)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == {"spill": 0o600, "public": 0o640, "secret": 0o600}
