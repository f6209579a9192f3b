"""Changes of a table of candidates in the middle of a search: rows removed and rows added."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.history.plan import Edit
from ucbpe_core.spaces.space import Space
from ucbpe_core.support.validation import finite, numeric
from ucbpe_core.support.validation import points as checked_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.history.plan import Table
    from ucbpe_core.history.steps import Trial
    from ucbpe_core.support.validation import Floats

_DIGITS = 9  # of a range: points that differ in later ones are the same but for rounding


def edited(table: Table, edit: Edit) -> Table:
    """The table after a change; `InputError` unless it has the rows removed, and keeps one."""
    M, d = len(table), len(table.inputs)
    gone = list(edit.removed)
    inside = gone == sorted(set(gone)) and all(0 <= j < M for j in gone)
    if not inside or [*map(tuple, table.candidates[gone].tolist())] != [*edit.points]:
        remedy = "name rows of the table as it is now"
        raise InputError(f"rows of a table of {M} to remove", str(gone), remedy)
    if M + edit.growth < 1:
        raise InputError("a table with at least one row", "none", "add rows before you remove all")
    texts = edit.labels or ((("",) * len(table.labels)),) * len(edit.added)
    if [len(one) for one in texts] != [len(table.labels)] * len(edit.added):
        wanted = f"{len(table.labels)} labels for each of {len(edit.added)} rows"
        raise InputError(wanted, str([len(one) for one in texts]), "give one text for each label")
    kept = np.delete(np.arange(M), gone)
    labels = tuple(
        (name, (*(column[j] for j in kept), *(one[i] for one in texts)))
        for i, (name, column) in enumerate(table.labels)
    )
    new = checked_points(edit.added, "points", d) if edit.added else table.candidates[:0]
    X = np.vstack([table.candidates[kept], new])
    return replace(table, candidates=X, labels=labels, design=edit.design or table.design)


def moved(trials: Sequence[Trial], edit: Edit, size: int, time: str) -> dict[int, Trial]:
    """The trials that a change of a table of `size` rows gives another index, by their number.

    A trial at a removed row keeps its point, a proposal there is withdrawn, and a trial elsewhere
    is at an added row that has its point: also one whose row is removed and added.
    """
    gone = dict(zip(edit.removed, edit.points, strict=True))
    new = {x: size - len(gone) + i for i, x in enumerate(edit.added)}
    changed = {}
    for number, trial in enumerate(trials):
        if gone.get(trial.index) in new:
            after = trial._replace(index=new[gone[trial.index]])
        elif trial.index in gone:
            after = trial._replace(index=-1, point=trial.point or gone[trial.index])
            if trial.state == "pending":
                after = after._replace(state="withdrawn", time=time)
        elif trial.index < 0:
            place = new.get(trial.point or ())
            after = trial if place is None else trial._replace(index=place, point=None)
        else:
            after = trial._replace(index=trial.index - bisect_left(edit.removed, trial.index))
        if after != trial:
            changed[number] = after
    return changed


def rows_to_add(table: Table, points: ArrayLike, labels: Sequence[Sequence[str]]) -> Edit:
    """The change that adds rows (k, d); `InputError` for one that the table has already."""
    X = checked_points(points, "points", len(table.inputs))
    added = tuple(map(tuple, X.tolist()))
    there = {x: j for j, x in enumerate(map(tuple, table.candidates.tolist()))}
    for i, x in enumerate(added):
        if x in there or x in added[:i]:
            got = f"{list(x)}, which row {there[x]} is" if x in there else f"{list(x)} twice"
            raise InputError("rows that the table does not have", got, "leave it out")
    return Edit(added=added, labels=tuple(map(tuple, labels)) or table.texts_of(X))


def widened(table: Table, name: str, values: ArrayLike) -> Edit:
    """The change that adds values of one input, each with all that the others have together."""
    new, column = _coordinates(table, name, values)
    if len(new) == 0:
        raise InputError("values to add", "none", "pass at least one")
    others = np.unique(np.delete(table.candidates, column, axis=1), axis=0)
    rows = [np.insert(others, [column.start], x, axis=1) for x in new]
    there = set(map(tuple, table.candidates.tolist()))
    added = [x for x in map(tuple, np.vstack(rows).tolist()) if x not in there]
    return Edit(added=tuple(added), labels=table.texts_of(np.array(added)) if added else ())


def _coordinates(table: Table, name: str, values: Any) -> tuple[Floats, slice]:
    """Values of one input as coordinates (k, width), and the columns that these are in."""
    design = table.design
    if design is not None:
        at = design.at(name)
        one = Space((design.kinds[design.names.index(name)],), (name,))
        return one.coordinates(one.read([{name: value} for value in values])), at
    if name not in table.inputs:
        raise InputError(f"one of {', '.join(table.inputs)}", repr(name), "name an input")
    column = table.inputs.index(name)
    new = finite(np.ravel(numeric(values, "values")), "values")
    return np.unique(new)[:, None], slice(column, column + 1)


def rebounded(
    table: Table, name: str, low: float, high: float, used: Sequence[Sequence[float]]
) -> Edit:
    """The change of one range of a design, to be searched again: other rows, in their order.

    Points `used`, measured or proposed, stay rows if they are within the ranges.
    """
    if table.design is None:
        wanted = "a table that was made of ranges"
        raise InputError(wanted, "a list of candidates", "add and remove rows instead")
    design = table.design.bounded(name, low, high)
    least, sides, rows = design.space.box[:, 0], np.ptp(design.space.box, axis=1), design.rows()
    places = {x: j for j, x in enumerate(_tuples(np.round((rows - least) / sides, _DIGITS)))}
    extra = []
    for point in map(np.array, dict.fromkeys(map(tuple, used))):
        u = np.round((point - least) / sides, _DIGITS)
        if (place := places.get(tuple(u.tolist()))) is not None:
            rows[place] = point  # to the last bit, so that what is measured there is found again
        elif ((u >= 0) & (u <= 1)).all():
            extra.append(point)
    rows = np.vstack([rows, *extra])
    texts = replace(table, design=design).texts_of(rows)
    return Edit(
        tuple(range(len(table))), _tuples(table.candidates), _tuples(rows), texts, design
    )  # fmt: skip


def _tuples(X: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, X.tolist()))
