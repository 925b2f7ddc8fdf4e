"""Building the kernels: what is missing is said in one sentence, without a traceback."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="the compiler is found elsewhere")]

ROOT = Path(__file__).parents[2]


def build(folder, compiler):
    """Build in a copy of the sources with another compiler, and return what was said."""
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    kernels = Path("src", "shoal", "core", "_kernels")
    shutil.copytree(ROOT / kernels, folder / kernels, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    ended = subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_ext"],
        cwd=folder,
        env={**os.environ, "CC": str(compiler)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode
    assert "Traceback" not in ended.stderr
    assert not list(folder.rglob("*.so"))
    assert not (folder / "build").exists()
    return ended.stderr.strip().splitlines()[-1]


def write_compiler(folder, says):
    """Write a compiler that fails with some words."""
    compiler = folder / "cc"
    compiler.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit 1\n")
    compiler.chmod(0o755)
    return compiler


def test_no_compiler(tmp_path):
    said = build(tmp_path, tmp_path / "none")
    assert "needs a C compiler" in said
    assert str(tmp_path / "none") in said
    assert "wheel" in said


def test_no_headers_of_python(tmp_path):
    compiler = write_compiler(tmp_path, "<stdin>:1:10: fatal error: Python.h: No such file or directory")
    said = build(tmp_path, compiler)
    assert "needs the headers of Python" in said
    assert "python3-dev" in said


def test_a_compiler_that_does_not_work(tmp_path):
    compiler = write_compiler(tmp_path, "cannot execute cc1")
    said = build(tmp_path, compiler)
    assert "needs a C compiler" in said
    assert "cannot execute cc1" in said
