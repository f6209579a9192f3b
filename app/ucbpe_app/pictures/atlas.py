"""The atlas of settings: a map by lengthscale and scale c, and the likelihood below it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np

from ucbpe_app.pictures.chart import log_ticks
from ucbpe_app.pictures.picture import (
    Axis,
    Colors,
    Kind,
    Label,
    Picture,
    Plot,
    PlotKind,
    mark,
    shown,
)
from ucbpe_app.run.atlas import LEAST_REGRET, NEAR, OUTSIDE, REGRET, SHARE, WHOLE
from ucbpe_app.run.sentences.texts import number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.pictures.picture import Mark
    from ucbpe_app.run.atlas import Atlas, Cell, Likelihood
    from ucbpe_core.support.validation import Booleans, Floats

Measure = Literal["regret", "band", "region"]
MEASURES: Mapping[Measure, int] = MappingProxyType(
    {"regret": REGRET, "band": OUTSIDE, "region": SHARE}
)
TABS: Mapping[str, Measure] = MappingProxyType(
    {"regret": "regret", "f outside": "band", "R⁺ share": "region"}
)
_NAMES: Mapping[Measure, str] = MappingProxyType(
    {"regret": "regret after batch {T}", "band": "batches with f outside", "region": "R⁺, of X"}
)
_DEPTH = 12.0  # nats shown below the largest likelihood
_ROOM = 0.65  # of the width: from there on the name of the ring is left of it
_EDGE = 0.2  # of the width: a text whose middle is nearer to the edge begins there

ATLAS = Kind(
    "atlas",
    MappingProxyType(
        {
            "atlas": PlotKind(
                name="Atlas of settings",
                roles=(
                    "values",
                    "useless",
                    "useless_line",
                    "theory",
                    "near",
                    "cell",
                    "here",
                    "numbers",
                ),
                height=304,
                borders=(52, 64, 24, 4),
                x_ticks=0,
                grid=False,
                bar=True,
                bar_ticks=True,
                ends=False,
            ),
            "likelihood": PlotKind(
                name="Likelihood by lengthscale",
                roles=("likely", "likelihood", "likeliest"),
                height=96,
                borders=(52, 64, 4, 26),
                y_ticks=2,
                ends=False,
            ),
        }
    ),
    shared=frozenset({"x"}),
)


def atlas(
    cells: Atlas,
    measure: Measure,
    here: tuple[float, float],
    likelihood: Likelihood | None,
    cell: Cell | None = None,
) -> Picture:
    """The map of a measure.

    Parameters
    ----------
    cells : what is run so far
    here : lengthscale and scale of the run on screen
    likelihood : of the results on screen, if there are any
    cell : the one that is pointed at
    """
    (left, right), (low, high) = cells.extent
    x, y = Axis(left, right, log_ticks(left, right)), Axis(low, high, log_ticks(low, high))
    values = cells.coarse(MEASURES[measure])
    if measure == "regret":
        values = np.log10(np.maximum(values, LEAST_REGRET))
    name = _NAMES[measure].format(T=cells.spec.batches)
    at, scale = np.log10(here)
    near = () if likelihood is None else [np.log10(end) for end in likelihood.near if end == end]
    marks = shown(
        (
            mark("values", image=values[None], x=[left], y=[low], dw=[right - left],
                 dh=[high - low]),
            _useless(cells) if measure == "region" else None,
            _outline(cells),
            mark("theory", y=[0.0]),
            mark("near", x=np.array(near)),
            None if cell is None else mark("cell", **_box(cells, cell)),
            mark("here", x=[at], y=[scale]),
            _texts(cells, at, scale, x),
        )
    )  # fmt: skip
    labels = (Label("c", place="axis"), Label("bright is good", place="title"),
              Label(name, place="note"))  # fmt: skip
    plots = {"atlas": Plot(x, y, marks, labels, _colors(measure, values))}
    if likelihood is not None:
        plots["likelihood"] = _likelihood(likelihood, x)
    text = " ".join(filter(None, (_sentences(cells, name, here), _likely(likelihood))))
    return Picture(ATLAS, MappingProxyType(plots), text)


def _sentences(cells: Atlas, name: str, here: tuple[float, float]) -> str:
    """The map in words: its extent, its best cells, and that of the run."""
    regret = cells.mean(REGRET)
    run = int(np.isfinite(regret).sum())
    low, high = cells.lengthscales[[0, -1]]
    least, most = cells.scales[[0, -1]]
    text = (
        f"A map of {name}: {run} of {regret.size} settings are run, lengthscale {number(low)} to "
        f"{number(high)}, scale c {number(least)} to {number(most)}. "
    )
    if run:
        row, column = np.unravel_index(np.nanargmin(regret), regret.shape)
        best = f"lengthscale {number(cells.lengthscales[column])}, c = {number(cells.scales[row])}"
        text += f"The least regret: {best}. "
    return f"{text}This run: {cells.said(cells.cell_of(*here))} {cells.warning}".strip()


def _likely(likelihood: Likelihood | None) -> str:
    if likelihood is None:
        return ""
    results = f"{likelihood.n} results" if likelihood.n > 1 else "1 result"
    return f"The likelihood of {results} is largest at lengthscale {number(likelihood.best)}."


def _colors(measure: Measure, values: Floats) -> Colors:
    if measure != "regret":
        return Colors("cividis", 0.0, 1.0, ((0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")))
    low = float(np.log10(LEAST_REGRET))
    finite = values[np.isfinite(values)]
    high = max(float(finite.max(initial=low)), low + 1)
    (_, first), *others = log_ticks(low, high)
    return Colors("cividis", low, high, ((low, f"≤ {first}"), *others))


def _likelihood(curve: Likelihood, x: Axis) -> Plot:
    lower, upper = (np.log10(end) for end in curve.near)
    inside = [x.low if np.isnan(lower) else lower], [x.high if np.isnan(upper) else upper]
    marks = (
        mark("likely", left=inside[0], right=inside[1]),
        mark("likelihood", x=np.log10(curve.lengthscales), y=np.maximum(curve.values, -2 * _DEPTH)),
        mark("likeliest", x=[np.log10(curve.best)], y=[0.0]),
    )
    text = f"log likelihood by lengthscale; tinted: within {number(NEAR)}"
    # The curve is high in the middle and low where the text is.
    label = Label(text, x=(x.low + x.high) / 2, y=-0.75 * _DEPTH, place="inside")
    axis = Axis(-_DEPTH, 0.1 * _DEPTH, ((0.0, "0"), (-10.0, "−10")))
    return Plot(x, axis, marks, (label,))


def _steps(cells: Atlas) -> tuple[Floats, Floats]:
    """Logarithms of the edges of all cells: of lengthscales and of scales, one more than cells."""
    across, up = (
        np.linspace(*ends, len(values) + 1)
        for ends, values in zip(cells.extent, (cells.lengthscales, cells.scales), strict=True)
    )
    return across, up


def _box(cells: Atlas, cell: Cell) -> dict[str, list[float]]:
    (row, column), (across, up) = cell, _steps(cells)
    return {"left": [across[column]], "right": [across[column + 1]],
            "bottom": [up[row]], "top": [up[row + 1]]}  # fmt: skip


def _is_useless(cells: Atlas) -> Booleans:
    """As the colours: with those of the nearest runs."""
    whole: Booleans = cells.coarse(WHOLE) == 1
    return whole


def _useless(cells: Atlas) -> Mark:
    """The cells whose R+ excludes nothing."""
    rows, columns = np.nonzero(_is_useless(cells))
    across, up = _steps(cells)
    return mark("useless", left=across[columns], right=across[columns + 1],
                bottom=up[rows], top=up[rows + 1])  # fmt: skip


def _outline(cells: Atlas) -> Mark:
    """The line around them, in pieces that NaN keeps apart."""
    inside: Booleans = np.pad(_is_useless(cells), 1)
    across, up = _steps(cells)
    pieces: list[tuple[float, float]] = []
    # Between a cell and that to its right, then between one and that above it, inside the map.
    for row, column in zip(*np.nonzero(inside[1:-1, 1:-2] != inside[1:-1, 2:-1]), strict=True):
        pieces += [(across[column + 1], up[row]), (across[column + 1], up[row + 1]), (np.nan,) * 2]
    for row, column in zip(*np.nonzero(inside[1:-2, 1:-1] != inside[2:-1, 1:-1]), strict=True):
        pieces += [(across[column], up[row + 1]), (across[column + 1], up[row + 1]), (np.nan,) * 2]
    x, y = np.array(pieces).reshape(-1, 2).T
    return mark("useless_line", x=x, y=y)


def _texts(cells: Atlas, at: float, scale: float, axis: Axis) -> Mark:
    """What the lines and the ring are, and where R+ excludes nothing."""
    _, up = _steps(cells)
    side, gap = ("left", 14.0) if axis.fraction(at) < _ROOM else ("right", -14.0)
    texts = [
        (axis.low, (up[1] - up[0]) / 2, "c = 1: the theory's", "left", 4.0),
        (at, scale, "this run", side, gap),
    ]
    if _is_useless(cells).any():
        texts.append(_useless_text(cells, axis))
    x, y, text, align, offset = (list(column) for column in zip(*texts, strict=True))
    return mark("numbers", x=np.array(x), y=np.array(y), text=text, align=align,
                offset=np.array(offset))  # fmt: skip


def _useless_text(cells: Atlas, axis: Axis) -> tuple[float, float, str, str, float]:
    """In the uppermost of the rows that have the most such cells."""
    useless, (across, up) = _is_useless(cells), _steps(cells)
    counts = useless.sum(axis=1)
    row = int(np.nonzero(counts == counts.max())[0][-1])
    columns = np.nonzero(useless[row])[0]
    left, right = float(across[columns[0]]), float(across[columns[-1] + 1])
    middle = axis.fraction((left + right) / 2)
    x, align, offset = (left + right) / 2, "center", 0.0
    if middle < _EDGE:
        x, align, offset = left, "left", 4.0
    elif middle > 1 - _EDGE:
        x, align, offset = right, "right", -4.0
    return x, float(up[row] + up[row + 1]) / 2, "R⁺ is all of X", align, offset
