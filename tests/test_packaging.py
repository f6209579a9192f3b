"""What the wheel and the sdist contain, and whether the declared lower bounds are those tested."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PACKAGES = ("ucbpe_core", "app/ucbpe_app", "app/ucbpe")
IGNORED = re.compile(r"__pycache__/|\.ipynb_checkpoints/")
# What a packager would run: tests that read what an installed package does not have, and some of
# what is computed. Every other file of theirs is there, as the test of the sdist says.
PACKAGERS = (
    "tests/test_kept.py",
    "tests/core/test_extend.py",
    "tests/core/test_gp.py",
    "tests/core/test_posterior.py",
    "tests/core/test_simulation.py",
    "tests/core/records/test_sheets.py",
    "tests/app/lessons/test_files.py",
    "tests/app/run/test_replay.py",
    "tests/tools/reproduction/test_tables.py",
    "tests/tools/test_docs.py",
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (path,) = built.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def unpacked(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that unpacking the sdist makes."""
    (path,) = built.glob("*.tar.gz")
    folder = tmp_path_factory.mktemp("sdist")
    subprocess.run(["tar", "-xzf", path, "-C", folder], check=True)
    (root,) = folder.iterdir()
    return root


def files_of(*packages: str) -> set[str]:
    """All files of these folders but what .gitignore names."""
    paths = (path for package in packages for path in (ROOT / package).rglob("*"))
    names = {path.relative_to(ROOT).as_posix() for path in paths if path.is_file()}
    return {name for name in names if not IGNORED.search(name)}


def test_the_wheel_has_every_file_of_the_packages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == {name.removeprefix("app/") for name in files_of(*PACKAGES)}


def test_the_wheel_says_typed_and_marks_each_package_as_such(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        assert "Classifier: Typing :: Typed" in archive.read(metadata).decode()
        for package in PACKAGES:
            assert f"{package.removeprefix('app/')}/py.typed" in archive.namelist()


def test_the_sdist_has_what_tests_and_readers_need(unpacked: Path) -> None:
    files = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*")}
    documents = (
        *("README.md", "SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md"),
        *("CITATION.cff", "LICENSE", "LICENSE-docs.md", "PKG-INFO", "pyproject.toml"),
    )
    others = (
        "tools/packaging/hatch_build.py",
        "deploy/Containerfile",
        "Makefile",
        "tools/packaging/constraints.txt",
        "tools/packaging/constraints-lowest.txt",
        ".ci/run",
        "benchmarks",
    )
    assert files >= {*documents, *others}
    # What the README links to: pictures, chapters, tools.
    readme = (unpacked / "README.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\((?!https?://|#)([^)#]+)\)", readme):
        assert PurePosixPath(link).as_posix() in files
    assert files >= files_of("docs", "notebooks", "tests", "tools")


WHERE = """
from pathlib import Path
import ucbpe_app, ucbpe_core

def test_it_is_the_sdist_that_is_tested():
    root = Path(__file__).parents[1]
    assert Path(ucbpe_core.__file__) == root / "ucbpe_core" / "__init__.py"
    assert Path(ucbpe_app.__file__) == root / "app" / "ucbpe_app" / "__init__.py"
"""


@pytest.mark.slow
def test_tests_pass_from_the_unpacked_sdist(unpacked: Path) -> None:
    """Those that read documents, and some of all that is computed; without this checkout."""
    (unpacked / "tests" / "test_where.py").write_text(WHERE, encoding="utf-8")
    files = ["tests/test_where.py", *PACKAGERS]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "not slow", *files]
    without = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=unpacked, env=without, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_an_index_shows_the_readme_without_what_would_lead_nowhere(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        _, _, shown = archive.read(metadata).decode().partition("\n\n")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert shown.startswith(readme[:100])
    assert re.findall(r"!?\]\((?!https?://|#)[^)]*\)", shown) == []
    assert "![" not in shown
    outside = re.findall(r"\[[^\]]+\]\(https?://[^)]+\)", readme)
    assert outside
    assert all(link in shown for link in outside)
    assert "The first ten minutes" in shown  # the words of a link that is none
    assert re.findall(r"```python\n.*?```", shown, re.DOTALL) == re.findall(
        r"```python\n.*?```", readme, re.DOTALL
    )


def declared() -> dict[str, Version]:
    """The lower bound of each package that `ucbpe` depends on, with the extras of `test-lowest`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds = {}
    extras = project["optional-dependencies"]
    for text in [*project["dependencies"], *extras["study"], *extras["app"], *extras["excel"]]:
        one = Requirement(text)
        if one.name == project["name"]:
            continue
        (bound,) = (part.version for part in one.specifier if part.operator == ">=")
        bounds[one.name] = Version(bound)
    return bounds


def test_one_file_sets_the_addresses_of_the_project(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "README.md", "LICENSE", "LICENSE-docs.md"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "tools" / "packaging", tmp_path / "tools" / "packaging")
    file = tmp_path / "tools" / "packaging" / "urls.toml"
    home = "https://example.org/laboratory"
    text = file.read_text(encoding="utf-8").replace('Homepage = ""', f'Homepage = "{home}"')
    file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "hatchling", "metadata", "urls"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"Homepage": home}


def pinned(name: str) -> dict[str, Version]:
    text = (ROOT / "tools" / "packaging" / name).read_text(encoding="utf-8")
    pins = re.findall(r"(?m)^([A-Za-z0-9_.-]+)==(\S+)$", text)
    return {package.lower().replace("_", "-"): Version(version) for package, version in pins}


def test_the_lowest_versions_tested_are_the_lowest_declared() -> None:
    lowest, usual = pinned("constraints-lowest.txt"), pinned("constraints.txt")
    assert len(declared()) >= 13
    for name, bound in declared().items():
        assert lowest[name] == bound
        assert bound <= usual[name]
