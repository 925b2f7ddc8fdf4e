"""Build the kernels: typed Python files in `_kernels` folders, compiled to C by Cython. List what the wheel carries.

The list is a software bill of materials in the form of CycloneDX: `.dist-info/sboms/shoal.cdx.json` (PEP 770).
Everything else about the package is in pyproject.toml. Set SHOAL_SANITIZE=1 for a build that checks memory, overflow
and bounds at run time (see `make sanitize`).
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
from pathlib import Path
from typing import Any

from Cython.Build import cythonize
from Cython.Compiler import Options
from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
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


class BuildWheel(bdist_wheel):
    """Write the bill of materials beside the metadata of the wheel; setuptools has no setting for it."""

    def egg2dist(self, egginfo_path: str, distinfo_path: str) -> None:
        """Make the folder of metadata, and add the bill."""
        super().egg2dist(egginfo_path, distinfo_path)
        bill = Path(distinfo_path, "sboms", "shoal.cdx.json")
        bill.parent.mkdir(exist_ok=True)
        bill.write_text(json.dumps(list_materials(self.distribution.get_version()), indent=2) + "\n", encoding="utf-8")


def list_materials(version: str) -> dict[str, Any]:
    """Return the bill of materials: shoal, the JavaScript that it carries, and the libraries that it requires.

    It has no date and no random number, so that the same sources give the same wheel.
    """
    settings = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    carried = [describe_carried(name, about) for name, about in settings["tool"]["shoal"]["vendored"].items()]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    needed = dict.fromkeys(project["dependencies"], "required")
    needed = dict.fromkeys(sorted(extras), "optional") | needed
    required = [describe_required(line, needed[line]) for line in needed if not line.startswith(f"{project['name']}[")]
    own = {
        "type": "library",
        "bom-ref": f"pkg:pypi/{project['name']}@{version}",
        "name": project["name"],
        "version": version,
        "description": project["description"],
        "licenses": [{"expression": project["license"]}],
        "purl": f"pkg:pypi/{project['name']}@{version}",
    }
    known = {part["bom-ref"]: part for part in (*carried, *required)}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"lifecycles": [{"phase": "build"}], "component": own},
        "components": list(known.values()),
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": list(known)}, *({"ref": ref} for ref in known)],
    }


def describe_carried(name: str, about: dict[str, Any]) -> dict[str, Any]:
    """Return a component that is in the wheel; its file must be the one whose version and license were looked up."""
    path = Path(about["file"])
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != about["sha256"]:
        sys.exit(f"tool.shoal.vendored.{name}: 'sha256' must be that of {path}, {digest}. Got {about['sha256']}.")
    terms = path.with_name(path.name.replace(".min.js", ".LICENSE.txt")).read_text(encoding="utf-8")
    purl = f"pkg:npm/{name}@{about['version']}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": about["version"],
        "scope": "required",
        "hashes": [{"alg": "SHA-256", "content": digest}],
        "licenses": [{"license": {"id": about["license"], "text": {"contentType": "text/plain", "content": terms}}}],
        "purl": purl,
        "components": [
            {
                "type": "library",
                "bom-ref": f"{purl}#{inner}",
                "name": inner,
                "purl": f"pkg:npm/{inner}",
                "properties": [{"name": "shoal:required-version", "value": asked}],
            }
            for inner, asked in about.get("bundles", {}).items()
        ],
        "properties": [{"name": "shoal:file", "value": path.relative_to(SOURCE).as_posix()}],
    }


def describe_required(line: str, scope: str) -> dict[str, Any]:
    """Return a component that the wheel needs but does not carry: a library that an installer fetches."""
    name = re.match(r"[\w.-]+", line)[0]
    purl = f"pkg:pypi/{re.sub(r'[-_.]+', '-', name).lower()}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "scope": scope,
        "purl": purl,
        "properties": [{"name": "shoal:required-version", "value": line[len(name) :] or "any"}],
    }


# An editable install would compile again what `build_ext --inplace` has just built (see the Makefile).
KEEP = os.environ.get("SHOAL_KERNELS") == "keep"

setup(ext_modules=[] if KEEP else list_kernels(), cmdclass={"build_ext": BuildKernels, "bdist_wheel": BuildWheel})
