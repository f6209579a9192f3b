"""The outline that a browser draws of a set is the one that is printed, by ContourPy."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from ucbpe_app import render
from ucbpe_app.pictures.maps import Grid
from ucbpe_app.render.printed_marks import outline

pytestmark = pytest.mark.browser

_CODE = Path(render.__file__).with_name("outline.js").read_text(encoding="utf-8")
_DRAW = """([code, columns]) => {
  const [{shape, values}] = columns.image.length ? columns.image : [{}]
  const image = columns.image.length ? [Object.assign(Int8Array.from(values), {shape})] : []
  const numbers = {get: (name) => (name === "image" ? image : columns[name])}
  let drawn = null
  new Function("numbers", "line", code)(numbers, {setv: ({data}) => { drawn = data }})
  return [drawn.x, drawn.y].map((one) => one.map(String))
}"""


def drawn(page: Page, columns: dict[str, Any]) -> np.ndarray:
    """x and y."""
    return np.array(page.evaluate(_DRAW, [_CODE, columns]), dtype=float)


def segments(line: Any) -> set[frozenset[tuple[float, float]]]:
    """Its pieces, in whatever order and direction."""
    points = np.stack(line, axis=1).round(9) + 0.0
    pairs = (frozenset((tuple(a), tuple(b))) for a, b in pairwise(points))
    return {one for one in pairs if len(one) > 1 and not any(np.isnan([*one]).ravel())}


@pytest.mark.parametrize(("nx", "ny"), [(23, 17), (1, 5), (40, 1)])
def test_it_is_the_one_that_is_printed(page: Page, nx: int, ny: int) -> None:
    rng = np.random.default_rng(nx)
    grid = Grid(np.linspace(-1, 3, nx), np.linspace(0, 1, ny))
    for share in (0.1, 0.5, 0.95):
        margin = share - rng.random(nx * ny)
        margin[:2] = 0.01, -0.01  # neither empty nor everything
        mark = grid.around("outline", margin >= 0, margin)
        assert mark is not None
        image = mark.columns["image"]
        values = {"shape": image.shape[1:], "values": image.ravel().tolist()}
        own = {name: one.tolist() for name, one in mark.columns.items()}
        found = drawn(page, {**own, "image": [values]})
        assert segments(found) == segments(outline(mark.columns))


def test_there_is_none_without_numbers(page: Page) -> None:
    nothing = {name: [] for name in ("image", "x", "y", "dw", "dh")}
    assert drawn(page, nothing).size == 0
