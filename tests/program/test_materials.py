"""The wheel says what it carries: a bill of materials, made of pyproject.toml and the files themselves."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import shoal

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
VENDOR = Path("src", "shoal", "web", "static", "vendor")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BUILD = "from setuptools import build_meta; print(build_meta.build_wheel('dist'))"


def copy_sources(folder):
    """Copy what a wheel without kernels needs: the metadata, the version and the JavaScript."""
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / VENDOR, folder / VENDOR)
    shutil.copy(ROOT / "src" / "shoal" / "__init__.py", folder / "src" / "shoal")
    (folder / VENDOR.parent.parent / "__init__.py").touch()
    return folder


def build(folder):
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BUILD],
        cwd=folder,
        env={**os.environ, "SHOAL_KERNELS": "keep"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return ended, [*Path(folder, "dist").glob("*.whl")]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    ended, [found] = build(copy_sources(tmp_path_factory.mktemp("sources")))
    assert ended.returncode == 0, ended.stderr
    return zipfile.ZipFile(found)


@pytest.fixture(scope="module")
def bill(wheel):
    return json.loads(wheel.read(f"shoal-{shoal.__version__}.dist-info/sboms/shoal.cdx.json"))


def test_the_bill_is_where_installers_put_it(wheel, bill):
    assert f"shoal-{shoal.__version__}.dist-info/sboms/shoal.cdx.json," in wheel.read(
        f"shoal-{shoal.__version__}.dist-info/RECORD"
    ).decode("utf-8")
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    own = bill["metadata"]["component"]
    assert (own["name"], own["version"]) == ("shoal", shoal.__version__)
    assert own["licenses"] == [{"expression": PROJECT["project"]["license"]}]


def test_all_javascript_of_others_is_listed_with_its_digest_and_license(wheel, bill):
    carried = {part["purl"]: part for part in bill["components"] if part["purl"].startswith("pkg:npm/")}
    assert {purl.split("/")[1].split("@")[0] for purl in carried} == {"graphology", "htmx.org", "sigma"}
    files = {}
    for part in carried.values():
        [file] = [one["value"] for one in part["properties"] if one["name"] == "shoal:file"]
        files[file] = part
        assert part["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(wheel.read(file)).hexdigest()}]
        [terms] = part["licenses"]
        assert terms["license"]["id"] in {"MIT", "0BSD"}
        assert terms["license"]["text"]["content"].encode() == wheel.read(file.replace(".min.js", ".LICENSE.txt"))
        assert part["purl"].endswith(f"@{part['version']}")
    assert set(files) == {name for name in wheel.namelist() if "/vendor/" in name and name.endswith(".js")}
    htmx = wheel.read("shoal/web/static/vendor/htmx.min.js").decode("utf-8")
    [version] = set(re.findall(r'version:"(\d+\.\d+\.\d+)"', htmx))
    assert f"pkg:npm/htmx.org@{version}" in carried


def test_every_declared_library_is_listed_and_referred_to(bill):
    scopes = {part["name"]: part["scope"] for part in bill["components"] if part["purl"].startswith("pkg:pypi/")}
    project = PROJECT["project"]
    needed = {re.split(r"[<>=\[]", line)[0] for line in project["dependencies"]}
    assert {name for name, scope in scopes.items() if scope == "required"} == needed
    extras = {re.split(r"[<>=\[]", line)[0] for lines in project["optional-dependencies"].values() for line in lines}
    assert extras - {"shoal"} <= set(scopes)
    refs = [part["bom-ref"] for part in bill["components"]]
    assert len(refs) == len(set(refs))
    first, *others = bill["dependencies"]
    assert first == {"ref": bill["metadata"]["component"]["bom-ref"], "dependsOn": refs}
    assert [one["ref"] for one in others] == refs


def test_the_same_sources_give_the_same_bill(wheel, tmp_path):
    ended, [again] = build(copy_sources(tmp_path))
    assert ended.returncode == 0
    name = f"shoal-{shoal.__version__}.dist-info/sboms/shoal.cdx.json"
    assert zipfile.ZipFile(again).read(name) == wheel.read(name)
    assert "timestamp" not in wheel.read(name).decode("utf-8")
    assert str(tmp_path) not in wheel.read(name).decode("utf-8")


def test_javascript_that_was_replaced_ends_the_build(tmp_path):
    with (copy_sources(tmp_path) / VENDOR / "sigma.min.js").open("a", encoding="utf-8") as file:
        file.write("//")
    ended, wheels = build(tmp_path)
    assert ended.returncode
    assert not wheels
    assert "tool.shoal.vendored.sigma" in ended.stderr
    assert "sha256" in ended.stderr
