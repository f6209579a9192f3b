"""Which module imports which, read from the source of both packages."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
# Where each package is imported from.
FROM = {"ucbpe_core": ROOT, "ucbpe_app": ROOT / "app"}


def sources(package: str) -> list[Path]:
    """The modules of a package, in order of their paths."""
    return sorted((FROM[package] / package).rglob("*.py"))


def module_name(path: Path) -> str:
    """The dotted name that a module is imported by."""
    parts = [part.removesuffix(".py") for part in _parts(path)]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, *, types: bool = False) -> Iterator[tuple[str, int]]:
    """Yield every module that `path` imports, in functions too, with its line.

    What is imported for types alone is left out unless `types` is true.
    """
    unvisited: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while unvisited:
        node = unvisited.pop()
        if not types and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            unvisited.extend(node.orelse)  # types alone may look in any direction
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute_base(path, node)
            yield from ((_origin(base, alias.name), node.lineno) for alias in node.names)
        unvisited.extend(ast.iter_child_nodes(node))


def _parts(path: Path) -> tuple[str, ...]:
    return path.relative_to(ROOT / "app" if "ucbpe_app" in path.parts else ROOT).parts


def _absolute_base(path: Path, node: ast.ImportFrom) -> str:
    if node.level == 0:
        return node.module or ""
    package = _parts(path)[: -node.level]
    return ".".join((*package, node.module) if node.module else package)


def _origin(base: str, name: str) -> str:
    """Return the module behind ``from base import name``: a submodule, a re-export, or `base`."""
    folder = FROM.get(base.split(".")[0], ROOT).joinpath(*base.split("."))
    if (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file():
        return f"{base}.{name}"
    return _exports().get(name, base) if base == "ucbpe_core" else base


@cache
def _exports() -> dict[str, str]:
    """Return where ``ucbpe_core/__init__.py`` takes each of its names from."""
    init = ROOT / "ucbpe_core" / "__init__.py"
    if not init.is_file():
        return {}
    return {
        alias.asname or alias.name: _absolute_base(init, node)
        for node in ast.walk(ast.parse(init.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
