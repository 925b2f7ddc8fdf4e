"""Build the kernels: typed Python files in `_kernels` folders, compiled to C by Cython.

Everything else about the package is in pyproject.toml. Set SHOAL_SANITIZE=1 for a build that checks memory, overflow
and bounds at run time (see `make sanitize`).
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

from Cython.Build import cythonize
from Cython.Compiler import Options
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path("src")
SANITIZE = os.environ.get("SHOAL_SANITIZE", "0") not in ("", "0")
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

SHARED = "shoal.core._kernels._shared"
"""What every module needs for its arrays is compiled once, into this one."""

DIRECTIVES = {
    "language_level": 3,
    "infer_types": True,
    "boundscheck": SANITIZE,
    "wraparound": False,
    "initializedcheck": SANITIZE,
    "cdivision": True,
    "cpow": True,
    "embedsignature": False,
    "auto_pickle": False,
}


def choose_flags() -> list[str]:
    """Return the flags of the C compiler; the baseline of x86-64 is that of the wheels."""
    if sys.platform == "win32":
        return ["/O2"]
    if SANITIZE:
        return [
            "-O1",
            "-g",
            "-fno-omit-frame-pointer",
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=undefined",
        ]
    return ["-O3", "-g0", "-ffp-contract=off", *(["-march=x86-64-v2"] if platform.machine() == "x86_64" else [])]


def list_kernels() -> list[Extension]:
    """Return one extension for each kernel file, the longest first, so that no core waits for it at the end."""
    flags = choose_flags()
    links = [flag for flag in flags if "sanitize" in flag]
    files = [path for path in SOURCE.glob("shoal/**/_kernels/*.py") if path.stem != "__init__"]
    files.sort(key=lambda path: (-path.stat().st_size, path))
    shared = Extension(SHARED, [], extra_compile_args=flags, extra_link_args=links)
    return [
        shared,
        *(
            Extension(
                ".".join(path.relative_to(SOURCE).with_suffix("").parts),
                [str(path)],
                extra_compile_args=flags,
                extra_link_args=links,
            )
            for path in files
        ),
    ]


class BuildKernels(build_ext):
    """Compile in parallel, say how long it took, and say in one sentence what is missing."""

    def finalize_options(self) -> None:
        """Translate the kernels to C, which names the sources to compile."""
        self.began = time.perf_counter()
        if sys.platform != "win32":
            check_tools()
        Options.warning_errors = True
        self.distribution.ext_modules = cythonize(
            self.distribution.ext_modules,
            compiler_directives=DIRECTIVES,
            include_path=[str(SOURCE)],
            build_dir="build/cython-sanitize" if SANITIZE else "build/cython",
            nthreads=CORES if CORES > 1 else 0,
            shared_utility_qualified_name=SHARED,
        )
        self.parallel = CORES
        super().finalize_options()

    def run(self) -> None:
        """Compile."""
        super().run()
        took = time.perf_counter() - self.began
        sys.stdout.write(f"shoal: {len(self.extensions)} compiled modules built in {took:.0f} s\n")


def check_tools() -> None:
    """Stop with one sentence where a compiler or the headers of Python are missing."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    if shutil.which(compiler[0]) is None:
        sys.exit(
            f"shoal needs a C compiler to be built, and there is no '{compiler[0]}'. "
            "Install gcc, set CC, or install a wheel of shoal."
        )
    folders = [f"-I{sysconfig.get_path(name)}" for name in ("include", "platinclude")]
    read = [*compiler, *folders, "-E", "-x", "c", "-"]
    tried = subprocess.run(read, input="#include <Python.h>\n", capture_output=True, text=True, check=False)
    if "Python.h" in tried.stderr and tried.returncode:
        sys.exit(
            "shoal needs the headers of Python to be built, and there is no Python.h. "
            "Install python3-dev, or install a wheel of shoal."
        )
    if tried.returncode:
        reason = (tried.stderr.strip() or f"exit status {tried.returncode}").splitlines()[-1]
        sys.exit(
            f"shoal needs a C compiler to be built, and '{compiler[0]}' cannot read C ({reason}). "
            "Install gcc with the headers of C, set CC, or install a wheel of shoal."
        )


# An editable install would compile again what `build_ext --inplace` has just built (see the Makefile).
KEEP = os.environ.get("SHOAL_KERNELS") == "keep"

setup(ext_modules=[] if KEEP else list_kernels(), cmdclass={"build_ext": BuildKernels})
