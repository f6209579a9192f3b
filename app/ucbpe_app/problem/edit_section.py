"""Your problem: the table of an experiment changes while it is under way."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.problem import texts
from ucbpe_app.problem.layout import button, styled
from ucbpe_core.errors import InputError
from ucbpe_core.spaces.inputs import Category, Real
from ucbpe_core.tables.numbers import typed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from panel.viewable import Viewable

    from ucbpe_app.problem.experiment import ExperimentState
    from ucbpe_core.search.experiment import Design, Experiment, Table

_HINT = (
    "The next batch is chosen from the changed table. All results stay, even of removed rows; "
    "proposed rows stay proposed unless you remove them."
)
_NUMBERS = "Numbers of rows, as under all rows: 3; 7-9"
_TO = re.compile(r"(\S+)\s+(?:to|–)\s+(\S+)", re.IGNORECASE)
_PARTS = re.compile(r"[;\t]")
_RANGE = re.compile(r"(\d+)\s*[-–]\s*(\d+)")


class EditSection(pn.viewable.Viewer):
    """Fields to add rows, to remove rows and to widen an input: each a step that can be undone."""

    def __init__(
        self,
        experiment: ExperimentState,
        attempt: Callable[[Awaitable[Any]], Coroutine[Any, Any, bool]],
    ) -> None:
        super().__init__()
        self.experiment, self._attempt = experiment, attempt
        field = {"size": "small", "sizing_mode": "stretch_width", "margin": 0}
        self.format, self.ranges = texts.card(), texts.card()
        self.added = pmui.TextAreaInput(label="Rows to add", rows=3, **field)
        self.removed = pmui.TextInput(label="Rows to remove", **field)
        self.values = pmui.TextInput(label="Input to change", **field)
        self._panel = styled(
            "lab-part",
            texts.card(texts.paragraphs("", [_HINT])),
            self.format,
            styled("lab-edit", self.added, button("Add rows", self.add)),
            texts.card(texts.quiet(_NUMBERS)),
            styled("lab-edit", self.removed, button("Remove rows", self.remove)),
            self.ranges,
            styled("lab-edit", self.values, button("Change input", self.widen)),
        )
        experiment.param.watch(self.load, "current")
        self.load()

    def __panel__(self) -> Viewable:
        return self._panel

    def load(self, *_: Any) -> None:
        """Take the names of the table's columns."""
        if (experiment := self.experiment.current) is None:
            return
        table = experiment.table
        first, *_ = inputs = table.names
        names = "; ".join([*labels_of(table), *inputs])
        self.format.object = texts.quiet(f"A row on each line: {names}")
        made = ranges_of(table)
        ranges = f", or other ends of a range, now {'; '.join(made)}" if made else ""
        self.ranges.object = texts.quiet(f"New values, as {first}: 75; 80{ranges}")

    async def add(self) -> None:
        """Add the rows that are typed."""
        text = self.added.value
        await self._do(
            lambda experiment: experiment.add(*rows_of(text, experiment.table)), self.added
        )

    async def remove(self) -> None:
        """Remove the rows whose numbers are typed."""
        text = self.removed.value
        await self._do(lambda experiment: experiment.remove(numbers_of(text)), self.removed)

    async def widen(self) -> None:
        """Add the values that are typed to an input, or give its range other ends."""
        name, _, text = (part.strip() for part in self.values.value.rpartition(":"))
        if (ends := _TO.fullmatch(text)) is not None:
            texts = ends.groups()
            await self._do(
                lambda experiment: experiment.set_range(name, *_ends(texts, name)), self.values
            )
        else:
            await self._do(
                lambda experiment: experiment.widen(name, values_of(text, name, experiment)),
                self.values,
            )

    async def _do(self, change: Callable[[Experiment], object], field: Any) -> None:
        if await self._attempt(self.experiment.step(change)):
            field.value = ""


def _ends(typed_: tuple[str, ...], name: str) -> tuple[float, float]:
    low, high = (typed(end, f"an end of {name}") for end in typed_)
    return low, high


def labels_of(table: Table) -> list[str]:
    """Names of the labels that are not what a person sets."""
    return [name for name, _ in table.labels if name not in table.names]


def ranges_of(table: Table) -> list[str]:
    """The ranges that the rows were made of, as they can be typed."""
    design = table.design
    if design is None or not design.most:
        return []
    pairs = zip(design.names, design.kinds, strict=True)
    return [
        f"{name}: {kind.low:.12g} to {kind.high:.12g}"
        for name, kind in pairs
        if isinstance(kind, Real)
    ]


def rows_of(text: str, table: Table) -> tuple[Any, list[tuple[str, ...]]]:
    """Coordinates and labels of typed rows, a line each: labels, then what is set."""
    design, names = table.design, labels_of(table)
    points, labels = list[Any](), list[tuple[str, ...]]()
    d, leading = len(table.names), len(names)
    for i, line in enumerate(filter(str.strip, text.splitlines()), start=1):
        cells = [cell.strip() for cell in _PARTS.split(line)]
        if len(cells) != d + leading:
            wanted = f"{d + leading} cells in line {i}, with semicolons between them"
            raise InputError(wanted, str(len(cells)), "give labels and inputs as the table does")
        points.append(
            {
                name: value_of(cell, f"{name} in line {i}", name, design)
                for name, cell in zip(table.names, cells[leading:], strict=True)
            }
        )
        labels.append(tuple(cells[:leading]))
    if not points:
        raise InputError("rows to add", "none", "type one a line")
    if design is None:
        return [list(point.values()) for point in points], labels
    rows = design.space.coordinates(design.space.read(points))
    own = [dict(zip(names, row, strict=True)) for row in labels]
    every = [name for name, _ in table.labels]
    texts = [
        dict(zip(every, row, strict=True)) | typed_
        for row, typed_ in zip(table.texts_of(rows), own, strict=True)
    ]
    return rows, [tuple(row.values()) for row in texts]


def value_of(cell: str, where: str, name: str, design: Design | None) -> Any:
    """What somebody typed for an input: a number, or the value of a category."""
    if design is not None and name in design.names:
        kind = design.kinds[design.names.index(name)]
        if isinstance(kind, Category):
            return cell.strip()
    return typed(cell, where)


def numbers_of(text: str) -> list[int]:
    """Numbers of rows: 3; 7-9."""
    numbers = list[int]()
    for part in re.split(r"[;,\s]+", _RANGE.sub(r"\1-\2", text.strip())):
        ends = _RANGE.fullmatch(part)
        if ends is None and not part.isdecimal():
            raise InputError("numbers of rows, as 3; 7-9", repr(part), "look under all rows")
        first, last = map(int, ends.groups() if ends else (part, part))
        numbers += range(first, min(last, first + 100_000) + 1)
    return numbers


def values_of(text: str, name: str, experiment: Experiment) -> list[Any]:
    """Values with semicolons between them."""
    design = experiment.table.design
    return [value_of(part, f"a value of {name}", name, design) for part in text.split(";")]
