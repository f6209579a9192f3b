"""What is read is data: nothing of it is evaluated, imported or unpickled."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.imports import ROOT

FUNCTIONS = {"eval", "exec", "compile", "__import__", "execfile"}
MODULES = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib",
           "yaml", "jsonpickle", "code", "codeop"}  # fmt: skip
# By the names of modules of this package, or of a plugin that whoever runs it has named.
IMPORTING = {
    "ucbpe_core/__init__.py",
    "ucbpe_core/extras.py",
    "ucbpe_core/plugins.py",
    "app/ucbpe_app/main.py",
    "app/ucbpe_app/export/printing/__init__.py",
}
# Asks whether an object can be sent to another process.
PICKLING = {"ucbpe_core/evaluation.py"}
# Sends a study to processes that it starts itself, and they read it.
SENDING = {"ucbpe_core/study/engine.py"}
SOURCES = [*ROOT.glob("ucbpe_core/**/*.py"), *ROOT.glob("app/**/*.py")]


def findings(source: str) -> Iterator[str]:
    """Everything in a source that would run or unpickle what it is given."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name) if name in FUNCTIONS:
                yield name
            case ast.Import(names=names):
                yield from (one.name for one in names if one.name.split(".")[0] in MODULES)
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in MODULES:
                yield module
            case ast.keyword(arg="allow_pickle" | "shell") as keyword:
                yield str(keyword.arg)
            case ast.Attribute(attr="read_pickle" | "to_pickle" | "system" | "popen" as name):
                yield name
            case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="load"):
                yield "np.load"
            case ast.Name(id="import_module") | ast.Attribute(attr="exec_module"):
                yield "import_module"


def test_the_sources_are_there() -> None:
    assert len(SOURCES) > 300


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_is_run_or_unpickled(path: Path) -> None:
    found = set(findings(path.read_text(encoding="utf-8")))
    if path.relative_to(ROOT).as_posix() in IMPORTING:
        found.discard("import_module")
    if path.relative_to(ROOT).as_posix() in PICKLING:
        found.discard("pickle")
        assert "load" not in path.read_text(encoding="utf-8").replace("can load", "")
    if path.relative_to(ROOT).as_posix() in SENDING:
        found.discard("pickle")
        assert path.read_text(encoding="utf-8").count("load") == 1
    assert not found


@pytest.mark.parametrize(
    "source",
    [
        "eval(x)", "f = exec", "import pickle", "from yaml import load", "import dill.source",
        "np.load(x)", "np.loadtxt; numpy.load(x, allow_pickle=True)", "pd.read_pickle(x)",
        "os.system(x)", "run(x, shell=True)", "import_module(x)", "__import__(x)",
    ],
)  # fmt: skip
def test_what_would_run_it_is_found(source: str) -> None:
    assert list(findings(source))
