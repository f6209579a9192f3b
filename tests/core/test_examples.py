"""Every public name has an example in its docstring, and every example of the core runs."""

from __future__ import annotations

import ast
import doctest
import inspect
import io
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import ucbpe_core
from ucbpe_core.problems.abalone import DATA_DIR

from .runs import abalone_file

ROOT = Path(ucbpe_core.__file__).parent
# Each is installed by an extra, and an example that needs it is skipped without it.
EXTRAS = re.compile(r"No module named '(pandas|optuna)")


def documented() -> dict[str, str]:
    """The docstrings of all modules, classes and functions, by module and name.

    From the source, so that those of a module whose extra is missing are among them.
    """
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = ("ucbpe_core", *path.relative_to(ROOT).with_suffix("").parts)
        module = ".".join(part for part in parts if part != "__init__")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found.update({f"{module}:{name}": text for name, text in docstrings(tree)})
    return found


def docstrings(node: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Module):
        yield "", ast.get_docstring(node) or ""
    for one in node.body:
        if isinstance(one, ast.ClassDef | ast.FunctionDef):
            yield prefix + one.name, ast.get_docstring(one) or ""
        if isinstance(one, ast.ClassDef):
            yield from docstrings(one, f"{prefix}{one.name}.")


DOCSTRINGS = documented()
EXAMPLES = [name for name, text in DOCSTRINGS.items() if ">>> " in text]


def public_modules() -> Iterator[ModuleType]:
    """The package, the modules among its names, and its packages that announce names."""
    yield ucbpe_core
    announced = [getattr(ucbpe_core, name) for name in ucbpe_core.__all__]
    yield from (one for one in announced if inspect.ismodule(one))
    for one in pkgutil.walk_packages(ucbpe_core.__path__, "ucbpe_core."):
        if not one.name.startswith("ucbpe_core.connect.") and hasattr(
            module := import_module(one.name), "__all__"
        ):
            yield module


def public_names() -> set[str]:
    """Every public class and function, by the module that defines it and its name."""
    found = set()
    for module in public_modules():
        names = getattr(module, "__all__", None) or [
            name
            for name, one in vars(module).items()
            if not name.startswith("_") and getattr(one, "__module__", "") == module.__name__
        ]
        for one in (getattr(module, name) for name in names):
            if inspect.isclass(one) or inspect.isroutine(one):
                found.add(f"{one.__module__}:{one.__qualname__}")
    connections = re.compile(r"ucbpe_core\.connect\.\w+:[A-Za-z]\w*")
    return found | {name for name in DOCSTRINGS if connections.fullmatch(name)}


def test_every_public_name_has_an_example() -> None:
    """In a section of its own, at the end, with a result that is compared."""
    names = public_names()
    assert len(names) >= 135
    for name in sorted(names):
        text, _, section = DOCSTRINGS[name].rpartition("\nExamples\n--------\n")
        examples = doctest.DocTestParser().get_examples(section)
        assert text, name
        assert any(example.want for example in examples), name


def test_no_example_is_left_out() -> None:
    """Nor given as a block that nothing runs, or with a directive to skip it."""
    for name, text in DOCSTRINGS.items():
        assert not re.search(r"^\s*::$|doctest: \+SKIP", text, re.MULTILINE), name


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It imports all that it uses, and prints what it says; in an empty folder."""
    monkeypatch.chdir(tmp_path)
    if name.startswith("ucbpe_core.problems.abalone:"):
        monkeypatch.setenv(DATA_DIR, str(abalone_file().parent))
    test = doctest.DocTestParser().get_doctest(DOCSTRINGS[name], {}, name, None, None)
    report = io.StringIO()
    failed, _ = doctest.DocTestRunner().run(test, out=report.write)
    if missing := EXTRAS.search(report.getvalue()):
        pytest.skip(f"{missing[1]}, of an extra, is not installed")
    assert not failed, report.getvalue()
