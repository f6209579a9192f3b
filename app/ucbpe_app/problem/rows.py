"""The rows of an experiment as a table on screen: text only, a page at a time."""

from __future__ import annotations

from collections import defaultdict
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from ucbpe_app.pictures.marks import mark_of
from ucbpe_app.problem.entries import key_of
from ucbpe_app.problem.sentences import moment, role_label, why, written
from ucbpe_app.run.sentences import closer, number, pick_label, result, spread
from ucbpe_core.support.validation import sign_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import tzinfo

    from ucbpe_app.run.frames import Frame
    from ucbpe_core.history.steps import Point
    from ucbpe_core.search.experiment import Experiment, Table, Trial
    from ucbpe_core.support.validation import Integers

PAGE = 20
MEASURED, PENDING, FREE = "measured", "pending", "free"
_Columns: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]


class Show(StrEnum):
    """Which rows."""

    ALL = "All rows"
    OPEN = "Not measured"
    DONE = "Measured"


class Order(StrEnum):
    """In which order."""

    TABLE = "As in the table"
    MEAN = "Best mean μ"
    UPPER = "Best confidence bound"
    STD = "Largest std σ"


class RowText(NamedTuple):
    """A row of a table.

    Attributes
    ----------
    key : of its field
    name : of the row, for who cannot see it
    status : what became of it
    cells : the text of each
    value : what is in the field
    mark : the sign of a pick's role, and its colour
    """

    key: str
    name: str
    status: str
    cells: tuple[str, ...]
    value: str = ""
    mark: tuple[str, str] | tuple[()] = ()


class RowsPage(NamedTuple):
    """Part of a table.

    Attributes
    ----------
    names, kinds : of the columns; a kind is that of its style sheet: "", "number", "value" (what a
        person has to set), "why" or "quiet"
    rows : those of this page
    page, pages : which of how many, from 0
    total : number of rows on all pages
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    rows: tuple[RowText, ...]
    page: int = 0
    pages: int = 1
    total: int = 0


def proposals(experiment: Experiment, known: Frame) -> RowsPage:
    """Every outstanding pick, oldest first: what to set, why, and what to expect."""
    table, history = experiment.table, experiment.history
    unknown = history.plan.fit == "each batch" and not history.data

    def awaited(j: int) -> str:
        return "not known yet" if unknown else expected(known, j)

    def row(pick: Trial) -> RowText:
        reason = why(pick, history.plan_of(pick), table.output)
        return RowText(
            key=key_of(pick),
            name=f"pick {_pick(pick)}, candidate {pick.index}",
            status=role_label(pick.role),
            cells=(*_row_cells(table, pick.index), reason, awaited(pick.index)),
            mark=sign_of_role(pick.role),
        )

    after = {"why this one": "why", "we expect": "quiet"}
    rows = tuple(map(row, history.outstanding))
    return RowsPage(*_columns(table, {}, after, "value"), rows, total=len(rows))


def measurements(experiment: Experiment, where: tzinfo, page: int = 0) -> RowsPage:
    """The measurements, latest first, each with a field to correct it."""
    table, done = experiment.table, experiment.history.measured

    def row(i: int) -> RowText:
        trial = done[i]
        pick = _pick(trial) if trial.t else "not proposed"
        return RowText(
            key=f"m{i}.{trial.index}",
            name=f"measurement {i}, candidate {trial.index}",
            status="void" if trial.y is None else MEASURED,
            cells=(
                str(i),
                row_of(trial),
                *_row_cells(table, trial.index, trial.point),
                pick,
                moment(trial.time, where),
            ),
            value="" if trial.y is None else repr(trial.y),
        )

    before = {"measurement": "number", "candidate": "number"}
    order = range(len(done) - 1, -1, -1)
    return _cut(order, row, page, _columns(table, before, {"pick": "", "recorded": ""}))


def candidates(
    experiment: Experiment, frame: Frame, show: Show, order: Order, find: str, page: int = 0
) -> RowsPage:
    """The rows of the table, each with its posterior and a field for a result."""
    table, history = experiment.table, experiment.history
    values: dict[int, list[str]] = defaultdict(list)
    for trial in history.data:
        values[trial.index].append(result(float(trial.y or 0.0)))
    status = {
        **dict.fromkeys(values, MEASURED),
        **{trial.index: trial.state for trial in history.gone},
        **dict.fromkeys(experiment.pending, PENDING),
    }

    def row(j: int) -> RowText:
        mean, std = float(frame.mean[j]), float(frame.std[j])
        belief = closer(mean, 0.1 * std), number(std)
        cells = (str(j), *_row_cells(table, j), *belief, ", ".join(values.get(j, [])))
        return RowText(f"c{j}", f"candidate {j}", status.get(j, FREE), cells)

    chosen = _ordered(frame, order, sign_of(experiment.plan.direction))
    if show is not Show.ALL:
        chosen = [j for j in chosen if (j in values) == (show is Show.DONE)]
    if wanted := find.strip().casefold():
        chosen = [j for j in chosen if _has(table, j, wanted)]
    after = dict.fromkeys(("mean μ", "std σ", f"{table.output}, measured"), "number")
    return _cut(chosen, row, page, _columns(table, {"candidate": "number"}, after))


def expected(frame: Frame, j: int) -> str:
    """The mean at a candidate, and half its band."""
    return spread(float(frame.mean[j]), float(frame.upper[j] - frame.mean[j]))


def sign_of_role(role: str) -> tuple[str, str]:
    """The sign of a pick's role in a line of text, and its colour."""
    look = mark_of(role)
    return look.shape.sign, look.color


def _pick(pick: Trial) -> str:
    """The batch and number of a pick."""
    return f"{pick.t} · {pick_label(pick.k)}"


def _ordered(frame: Frame, order: Order, sign: float) -> list[int]:
    bound = frame.upper if sign > 0 else -frame.lower
    scores = {Order.MEAN: sign * frame.mean, Order.UPPER: bound, Order.STD: frame.std}
    if order is Order.TABLE:
        return list(range(len(frame.mean)))
    sorted_: Integers = np.argsort(-scores[order], kind="stable")
    members: list[int] = sorted_.tolist()
    return members


def _has(table: Table, j: int, wanted: str) -> bool:
    """Whether the number, a label or an input of a candidate matches the search."""
    return (
        str(j) == wanted
        or any(wanted in texts[j].casefold() for _, texts in table.labels)
        or any(number(float(x)) == wanted for x in table.candidates[j])
    )


def _cut(
    rows: Sequence[int], made: Callable[[int], RowText], page: int, columns: _Columns
) -> RowsPage:
    """A page of rows: the requested one or the nearest."""
    pages = max(1, -(-len(rows) // PAGE))
    page = min(max(page, 0), pages - 1)
    part = rows[page * PAGE : (page + 1) * PAGE]
    return RowsPage(*columns, tuple(map(made, part)), page, pages, len(rows))


def _columns(
    table: Table, before: Mapping[str, str], after: Mapping[str, str], inputs: str = "number"
) -> _Columns:
    """Names and kinds of the columns of a table, with other columns before and after."""
    middle = [(name, _kind(table, name, inputs)) for name, _ in table.labels]
    middle += [(table.inputs[i], inputs) for i in table.plain]
    names, kinds = zip(*before.items(), *middle, *after.items(), strict=True)
    return names, kinds


def _kind(table: Table, label: str, inputs: str) -> str:
    """The kind of a label's column: an input if a person sets it."""
    return inputs if table.design is not None and label in table.design.names else ""


def row_of(trial: Trial) -> str:
    """The number of a trial's row; a dash for a point that is not in the table."""
    return str(trial.index) if trial.index >= 0 else "–"


def _row_cells(table: Table, j: int, point: Point | None = None) -> tuple[str, ...]:
    """Labels and inputs of a candidate; inputs have all their digits, as a person has to set them.

    A point outside the table, index -1, has only the labels that are inputs.
    """
    x = table.candidates[j] if point is None else np.array(point)
    labels = [texts[j] for _, texts in table.labels]
    if j < 0 and labels:
        labels = list(table.texts_of(x[None])[0])
    return (*labels, *(written(float(x[i])) for i in table.plain))
