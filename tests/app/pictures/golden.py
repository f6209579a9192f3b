"""Pictures as readable text, and the files that hold them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_app.pictures.picture import Axis, Label, Mark, Picture

_FOLDER = Path(__file__).parents[2] / "data" / "pictures"
_WHOLE = 8  # numbers of a column that are all written


def described(picture: Picture) -> str:
    """Every axis, mark and label of a picture; of a long column its ends, middle and sum."""
    lines = [f"{picture.kind.name}, {picture.size}: {picture.text}"]
    for name, plot in picture.plots.items():
        lines += ["", name, f"  x {_axis(plot.x)}", f"  y {_axis(plot.y)}"]
        for mark in plot.marks:
            lines += _mark(mark)
        if (colors := plot.colors) is not None:
            lines += [f"  {colors.palette} {_number(colors.low)} .. {_number(colors.high)}"]
        lines += [f"  label {_label(one)}" for one in plot.labels]
    return "\n".join(lines) + "\n"


def check_marks(picture: Picture) -> None:
    """Each is of a role that its plot has a place for; its columns have one length, read-only."""
    for name, plot in picture.plots.items():
        assert {one.role for one in plot.marks} <= set(picture.kind.plots[name].roles)
        for one in plot.marks:
            assert len({len(column) for column in one.columns.values()}) == 1
            assert not any(column.flags.writeable for column in one.columns.values())


def check(name: str, pictures: dict[str, Picture]) -> None:
    """Compare pictures with the file of this name, which is written if there is none."""
    for one in pictures.values():
        check_marks(one)
    compare(name, "\n".join(f"# {title}\n{described(one)}" for title, one in pictures.items()))


def compare(name: str, text: str) -> None:
    """Compare a text with the file of this name, which is written if there is none."""
    file = _FOLDER / f"{name}.txt"
    if not file.exists():
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def _axis(axis: Axis) -> str:
    ticks = ", ".join(f"{text} at {_number(at)}" for at, text in axis.ticks)
    return f"{_number(axis.low)} .. {_number(axis.high)}" + (f", ticks {ticks}" if ticks else "")


def _mark(mark: Mark) -> Iterator[str]:
    length = len(next(iter(mark.columns.values())))
    yield f"  {mark.role} [{length}]"
    if length:
        for name, column in mark.columns.items():
            yield f"    {name}: {_column(column)}"


def _column(column: np.ndarray) -> str:
    if column.dtype == object:
        return " | ".join(_column(np.asarray(row)) for row in column)
    if column.dtype.kind not in "fiub":
        return ", ".join(map(str, column))
    if column.ndim > 1 or len(column) > _WHOLE:
        flat = column.ravel()
        some = ", ".join(_number(flat[i]) for i in (0, len(flat) // 2, -1))
        missing = int(np.isnan(flat).sum()) if column.dtype.kind == "f" else 0
        sizes = f"{missing} missing, " if missing else ""
        return f"{some}; {sizes}sum {_number(np.nansum(flat))}"
    return ", ".join(map(_number, column))


def _number(value: float) -> str:
    return f"{value:.6g}" if abs(value) > 1e-12 else "0"  # nan is written as it is


def _label(label: Label) -> str:
    at = (
        ""
        if label.place in ("title", "note", "axis", "corner")
        else f" at ({_number(label.x)}, {_number(label.y)})"
    )
    strong = ", strong" if label.strong else ""
    return f"{label.place} {label.role or 'plain'}: {label.text}{at}{strong}"
