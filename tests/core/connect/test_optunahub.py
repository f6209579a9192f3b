"""The folder for OptunaHub: its layout, and its example with the Optuna that is installed."""

from __future__ import annotations

import importlib.util
import inspect
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

optuna = pytest.importorskip("optuna", reason="optuna, of the extra optuna, is not installed")

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deploy" / "optunahub" / "package" / "samplers" / "ucbpe"


def load_module(package: str) -> ModuleType:
    """The package as `optunahub.load_module` imports it: by its path, under a name of its own."""
    folder = FOLDER.parents[1] / package
    spec = importlib.util.spec_from_file_location("loaded_package", folder / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_registry_finds_what_it_asks_for() -> None:
    """Files and front matter as in its template; a sampler has that tag."""
    assert {path.name for path in FOLDER.iterdir() if path.is_file()} == {
        "LICENSE", "README.md", "__init__.py", "example.py", "requirements.txt",
    }  # fmt: skip
    _, front, text = (FOLDER / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in front.splitlines())
    assert set(fields) == {
        "author", "title", "description", "tags", "optuna_versions", "license",
    }  # fmt: skip
    assert fields["tags"].startswith("[sampler,")
    assert fields["license"] == "MIT License"
    assert (FOLDER / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")
    pinned = (ROOT / "tools" / "packaging" / "constraints.txt").read_text(encoding="utf-8")
    version = re.search(r"^optuna==(\S+)$", pinned, re.MULTILINE)
    assert version is not None
    assert version[1] in fields["optuna_versions"]
    for section in ("Abstract", "Class or Function Names", "Installation", "Example"):
        assert f"## {section}\n" in text
    names = inspect.signature(load_module("samplers/ucbpe").GPUCBPESampler).parameters
    assert [name for name in names if f"`{name}`" not in text] == []


def test_its_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    hub = SimpleNamespace(load_module=load_module)
    monkeypatch.setitem(sys.modules, "optunahub", hub)  # type: ignore[arg-type]
    runpy.run_path(str(FOLDER / "example.py"), run_name="__main__")
    value = float(capsys.readouterr().out.split()[0])
    assert value < 0.01
