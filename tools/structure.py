"""Draw the packages and what they import of each other: docs/structure.svg.

    python -m tools.structure

A box is a module or folder. It stands below everything that it imports;
an arrow leads to what it imports, unless that is implied by two or more others.
"""

from __future__ import annotations

from collections import defaultdict
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

from tools.imports import ROOT, imports, module_name, sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PICTURE = ROOT / "docs" / "structure.svg"
_PAGES = frozenset(f"ucbpe_app.{page}" for page in ("step", "race", "study", "theory", "problem"))
# Left out: what registers or starts things imports nearly everything, and nothing imports it.
_HIDDEN = ("ucbpe_core", "ucbpe_app", "ucbpe_app.app_hooks")
_TITLES = {
    "ucbpe_core": "ucbpe_core: the library",
    "ucbpe_app": "ucbpe_app: the dashboard",
}
_WIDTH, _EDGE, _TITLE = 840, 20, 44
_BOX, _GAP, _ROW = (116, 26), 14, 56

_STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1b2733; }
.title { font-size: 16px; font-weight: 600; }
rect { fill: #eef4f9; stroke: #6b8cab; }
.page { fill: #fdf2e3; stroke: #b98a45; }
path { fill: none; stroke: #8796a3; stroke-width: 1; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  rect { fill: #1d2b38; stroke: #6b8cab; }
  .page { fill: #35291a; stroke: #b98a45; }
  path { stroke: #71818f; }
}
"""

# What is imported when it is needed, by what it is made of: a trace is written by `files`.
_LATE = {"ucbpe_core.history": {"ucbpe_core.files"}}


def box_of(module: str) -> str:
    """The box that a module is in: its first two names."""
    return ".".join(module.split(".")[:2])


def graph(package: str) -> dict[str, set[str]]:
    """What each box of a package imports of it."""
    needs: dict[str, set[str]] = defaultdict(set)
    for path in sources(package):
        box = box_of(module_name(path))
        needs[box] |= {box_of(target) for target, _ in imports(path)} - _LATE.get(box, set())
    shown = set(needs) - set(_HIDDEN)
    return {box: {one for one in needs[box] & shown if one != box} for box in sorted(shown)}


def rows_of(needs: Mapping[str, set[str]]) -> list[list[str]]:
    """The boxes in rows: each below all that it imports, and as near to it as can be.

    Raises
    ------
    ValueError
        For boxes that import each other.
    """
    level: dict[str, int] = {}
    while len(level) < len(needs):
        ready = [box for box in needs if box not in level and needs[box] <= level.keys()]
        if not ready:
            raise ValueError(
                f"expected imports without a circle, got one in {set(needs) - set(level)}"
            )
        for box in ready:
            level[box] = 1 + max((level[one] for one in needs[box]), default=-1)
    for box in needs:  # what needs nothing stands just above the first that needs it
        users = [level[one] for one in needs if box in needs[one]]
        if not needs[box] and users:
            level[box] = min(users) - 1
    return [[box for box in needs if level[box] == row] for row in range(max(level.values()) + 1)]


def direct(needs: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """The imports that no path through another box implies."""
    return [
        (box, one)
        for box in needs
        for one in sorted(needs[box])
        if not any(one in _reached(needs, other) for other in needs[box] - {one})
    ]


def _reached(needs: Mapping[str, set[str]], box: str) -> set[str]:
    return needs[box].union(*(_reached(needs, one) for one in needs[box]))


def _placed(
    rows: list[list[str]], edges: Iterable[tuple[str, str]]
) -> dict[str, tuple[float, float]]:
    """The middle of each box: near the boxes it leads to, and none on another."""
    targets, places = defaultdict[str, list[str]](list), dict[str, tuple[float, float]]()
    for box, one in edges:
        targets[box].append(one)
    for number, row in enumerate(rows):
        step = _BOX[0] + _GAP
        wish = {
            box: sum(places[one][0] for one in targets[box]) / len(targets[box])
            if targets[box]
            else _WIDTH / 2
            for box in row
        }
        ordered = sorted(row, key=lambda box: wish[box])
        xs = [wish[box] for box in ordered]
        for _ in range(200):  # neighbours that overlap move apart
            for i, j in pairwise(range(len(xs))):
                if (short := step - (xs[j] - xs[i])) > 0:
                    xs[i] -= short / 2
                    xs[j] += short / 2
            low = _EDGE + _BOX[0] / 2
            xs = [min(max(x, low), _WIDTH - low) for x in xs]
        for box, x in zip(ordered, xs, strict=True):
            places[box] = (x, _TITLE + _ROW * number + _BOX[1])
    return places


def _panel(package: str, top: float) -> tuple[list[str], float]:
    """A package as SVG, and its height."""
    needs = graph(package)
    rows, edges = rows_of(needs), direct(needs)
    places = _placed(rows, edges)
    parts = [f'<g transform="translate(0 {top})">']
    parts.append(f'<text class="title" x="{_EDGE}" y="26">{_TITLES[package]}</text>')
    for box, one in edges:
        (x, y), (u, v) = places[box], places[one]
        start, end = y - _BOX[1] / 2, v + _BOX[1] / 2 + 4
        half = (start + end) / 2
        curve = f"M{x:.0f} {start:.0f} C{x:.0f} {half:.0f} {u:.0f} {half:.0f} {u:.0f} {end:.0f}"
        parts.append(f'<path d="{curve}" marker-end="url(#arrow)"/>')
    for box, (x, y) in places.items():
        name = escape(box.removeprefix(f"{package}."))
        kind = ' class="page"' if box in _PAGES else ""
        corner = f'x="{x - _BOX[0] / 2:.0f}" y="{y - _BOX[1] / 2:.0f}"'
        parts.append(f'<rect{kind} {corner} width="{_BOX[0]}" height="{_BOX[1]}" rx="5"/>')
        parts.append(f'<text x="{x:.0f}" y="{y + 4:.0f}" text-anchor="middle">{name}</text>')
    return [*parts, "</g>"], _TITLE + _ROW * len(rows) + _EDGE


def picture() -> str:
    """Both packages, one above the other, as SVG."""
    core, height = _panel("ucbpe_core", 0)
    app, more = _panel("ucbpe_app", height)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height + more}" '
        f'width="{_WIDTH}" role="img" aria-label="Modules of both packages and their imports">'
    )
    marker = (
        '<marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M1 1 L7 4 L1 7"/></marker>'
    )
    body = "\n".join((*core, *app))
    return f"{head}\n<style>{_STYLE}</style>\n<defs>{marker}</defs>\n{body}\n</svg>\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
