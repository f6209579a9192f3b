"""The rows of an experiment as a table on screen shows them: text only, a page at a time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pages.problem.sentences import moment, role_label, why
from ucbpe_app.run.sentences import number, pick_label
from ucbpe_core.validation import sign_of

if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from datetime import tzinfo

    from ucbpe_app.run.frames import Frame
    from ucbpe_core.experiment import Experiment, Table, Trial
    from ucbpe_core.validation import Integers

PAGE = 20
MEASURED, PENDING, FREE, WITHDRAWN = "measured", "pending", "free", "withdrawn"


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


@dataclass(frozen=True)
class RowText:
    """A row: the key of its field, its status, the text of each cell, and what is in the field."""

    key: str
    status: str
    cells: tuple[str, ...]
    value: str = ""


@dataclass(frozen=True)
class RowsPage:
    """Part of a table.

    Attributes
    ----------
    names : of the columns
    numeric : whether each has numbers, which are set to the right
    rows : those of this page
    page, pages : which of how many, from 0
    total : number of rows on all pages
    """

    names: tuple[str, ...]
    numeric: tuple[bool, ...] = field(repr=False)
    rows: tuple[RowText, ...] = field(repr=False)
    page: int = 0
    pages: int = 1
    total: int = 0


def proposals(experiment: Experiment) -> RowsPage:
    """Every outstanding pick, oldest first, with the reason."""
    table = experiment.table
    rows = tuple(
        RowText(
            key=f"p{pick.t}.{pick.k}.{pick.index}",
            status=role_label(pick.role),
            cells=(
                _pick(pick),
                str(pick.index),
                *_told(table, pick.index),
                why(pick, experiment.history.plan_of(pick)),
            ),
        )
        for pick in experiment.history.outstanding
    )
    names = ("pick", "candidate", *_names(table), "why")
    numeric = (False, True, *_numeric(table), False)
    return RowsPage(names, numeric, rows, total=len(rows))


def measurements(experiment: Experiment, where: tzinfo, page: int = 0) -> RowsPage:
    """What was measured, the latest first, each with a field to correct it."""
    table, done = experiment.table, experiment.history.measured
    order = range(len(done) - 1, -1, -1)
    chosen, page, pages = _cut(order, page)
    rows = []
    for i in chosen:
        one = done[i]
        reason = _pick(one) if one.t else "not proposed"
        cells = (str(i), str(one.index), *_told(table, one.index), reason)
        status = "void" if one.y is None else MEASURED
        value = "" if one.y is None else repr(one.y)
        rows.append(RowText(f"m{i}.{one.index}", status, (*cells, moment(one.time, where)), value))
    names = ("measurement", "candidate", *_names(table), "pick", "recorded")
    numeric = (True, True, *_numeric(table), False, False)
    return RowsPage(names, numeric, tuple(rows), page, pages, len(done))


def candidates(
    experiment: Experiment, frame: Frame, show: Show, order: Order, find: str, page: int = 0
) -> RowsPage:
    """The rows of the table, each with the posterior there and a field for a result."""
    table = experiment.table
    values: dict[int, list[float]] = defaultdict(list)
    for one in experiment.history.data:
        values[one.index].append(float(one.y or 0.0))
    pending, withdrawn = set(experiment.pending), set(experiment.excluded)
    chosen = _ordered(frame, order, sign_of(experiment.plan.direction))
    if show is not Show.ALL:
        chosen = [j for j in chosen if (j in values) == (show is Show.DONE)]
    wanted = find.strip().casefold()
    if wanted:
        chosen = [j for j in chosen if _has(table, j, wanted)]
    part, page, pages = _cut(chosen, page)
    rows = tuple(
        RowText(
            key=f"c{j}",
            status=_status(j, pending, values, withdrawn),
            cells=(
                str(j),
                *_told(table, j),
                number(float(frame.mean[j])),
                number(float(frame.std[j])),
                ", ".join(map(number, values.get(j, []))),
            ),
        )
        for j in part
    )
    names = ("candidate", *_names(table), "mean μ", "std σ", f"{table.output}, measured")
    return RowsPage(
        names, (True, *_numeric(table), True, True, True), rows, page, pages, len(chosen)
    )


def _status(
    j: int, pending: Container[int], measured: Container[int], withdrawn: Container[int]
) -> str:
    """Of a row; an earlier one of these hides the others."""
    if j in pending:
        return PENDING
    if j in withdrawn:
        return WITHDRAWN
    return MEASURED if j in measured else FREE


def _pick(pick: Trial) -> str:
    """Which of which batch."""
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
    """Whether the number, a label or an input of a candidate is what somebody looks for."""
    return (
        str(j) == wanted
        or any(wanted in texts[j].casefold() for _, texts in table.labels)
        or any(number(float(x)) == wanted for x in table.candidates[j])
    )


def _cut(rows: Sequence[int], page: int) -> tuple[Sequence[int], int, int]:
    pages = max(1, -(-len(rows) // PAGE))
    page = min(max(page, 0), pages - 1)
    return rows[page * PAGE : (page + 1) * PAGE], page, pages


def _names(table: Table) -> tuple[str, ...]:
    return (*(name for name, _ in table.labels), *table.inputs)


def _numeric(table: Table) -> tuple[bool, ...]:
    return (*(False for _ in table.labels), *(True for _ in table.inputs))


def _told(table: Table, j: int) -> tuple[str, ...]:
    """Labels and inputs of a candidate; an input has all its digits, as a person has to set it."""
    labels = (texts[j] for _, texts in table.labels)
    return (*labels, *(written(x) for x in table.candidates[j].tolist()))


def written(x: float) -> str:
    """An input without needless digits; a true minus sign."""
    short = f"{x:.12g}"
    return (short if float(short) == x else repr(x)).replace("-", "−")
