"""Texts typed into the fields of an experiment's rows -> steps of the experiment.

The key of a field identifies its row: c17 is row 17, p2.0.17 is pick 0 of batch 2, at row 17, and
m3.17 is measurement 3, at row 17. A key whose pick was recorded meanwhile is refused.

A field takes a number (71.3), a number with the std of its error (71.3 ± 0.4), repeats
(71.1; 71.8), or the reason why a run gave no value (failed: the flask broke).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from ucbpe_app.run.notation import short
from ucbpe_core.errors import InputError
from ucbpe_core.tables.numbers import ERROR, typed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ucbpe_core import UCBPEError
    from ucbpe_core.search.experiment import Experiment, Trial

_R = TypeVar("_R")


class Faults(Exception):  # noqa: N818 - it gathers errors, each with its place
    """Typed results that cannot be read: the error of each, by the key of its field."""

    def __init__(self, errors: Mapping[str, UCBPEError]) -> None:
        super().__init__(f"{len(errors)} results")
        self.errors = dict(errors)


def key_of(pick: Trial) -> str:
    """The key of the field of an outstanding pick."""
    return f"p{pick.t}.{pick.k}.{pick.index}"


class Entry(NamedTuple):
    """A typed result: a value with its own noise variance, or the reason why there is none."""

    y: float | None
    noise_variance: float | None = None
    reason: str = ""


_FAILED = re.compile(r"(?:failed|failure|fail)\b[\s:,.–-]*(.*)", re.IGNORECASE | re.DOTALL)
_NEVER = InputError(
    "a number for a row that is not proposed", "a run that failed", "leave it empty"
)


def entry_of(text: str, where: str, noise_variance: float) -> Entry:
    """The result typed for one row; `noise_variance` is the plan's.

    Of r repeats the mean counts, with the noise variance v / r. v = (noise_variance + sum of
    squared deviations from the mean) / r: the plan counts as one degree of freedom more than the
    r - 1 of the repeats, as few of them say little of their spread.

    Raises
    ------
    InputError
        For anything else.
    """
    if (failed := _FAILED.fullmatch(text.strip())) is not None:
        return Entry(None, reason=failed[1].strip())
    if len(parts := ERROR.split(text)) == 2:
        return Entry(typed(parts[0], where), typed(parts[1], f"the error of {where}") ** 2)
    y = [typed(part, where) for part in text.split(";") if part.strip()] or [typed(text, where)]
    mean, r = float(np.mean(y)), len(y)
    spread = float(np.sum((np.array(y) - mean) ** 2))
    return Entry(mean, None if r == 1 else (noise_variance + spread) / r**2)


def faults_of(
    experiment: Experiment, texts: Mapping[str, str], *, corrections: bool = False
) -> Mapping[str, UCBPEError]:
    """Which of the texts in fields cannot be read, by key; nothing is recorded. Empty ones can."""
    noise = experiment.plan.gp.noise_variance
    filled = {key: text for key, text in texts.items() if text.strip()}
    try:
        if corrections:
            _each(filled, lambda _, text: typed(text, "the measurement"))
        else:
            _each(filled, lambda _, text: entry_of(text, "the result", noise))
    except Faults as wrong:
        return wrong.errors
    return {}


def record(experiment: Experiment, texts: Mapping[str, str]) -> None:
    """Tell results as they were typed, by the key of the field of each.

    Raises
    ------
    Faults
        If any is no result; then none is added.
    """
    picks = _picks(experiment)
    rows = {f"c{j}": j for j in range(len(experiment.table))} | picks
    places = {key: _lookup(rows, key) for key in texts}
    names = {key: f"the result of candidate {j}" for key, j in places.items()}
    noise = experiment.plan.gp.noise_variance
    entries = _each(texts, lambda key, text: entry_of(text, names[key], noise))
    if never := [key for key, entry in entries.items() if entry.y is None and key not in picks]:
        raise Faults(dict.fromkeys(never, _NEVER))
    tell(experiment, list(places.values()), list(entries.values()))


def tell(experiment: Experiment, rows: Sequence[int], entries: Sequence[Entry]) -> None:
    """Record results by row: all values in one step, before them the runs that failed.

    Raises
    ------
    InputError
        For a run that failed at a row that is not proposed.
    """
    measured, y, noise = list[int](), list[float](), list[float | None]()
    for row, entry in zip(rows, entries, strict=True):
        if entry.y is not None:
            measured.append(row)
            y.append(entry.y)
            noise.append(entry.noise_variance)
        elif row in experiment.pending:
            experiment.fail([row], entry.reason)
        else:
            raise _NEVER
    if measured:
        experiment.tell(measured, y, noise)


def withdraw(experiment: Experiment, key: str) -> None:
    """Withdraw the outstanding pick of a field."""
    experiment.withdraw([_lookup(_picks(experiment), key)])


def correct(experiment: Experiment, texts: Mapping[str, str]) -> None:
    """Replace measurements, by the key of the field of each; an empty text makes one void.

    Raises
    ------
    Faults
        If any is no number; then none is replaced.
    """
    measured = {f"m{i}.{trial.index}": i for i, trial in enumerate(experiment.history.measured)}
    numbers = {key: _lookup(measured, key) for key in texts}
    names = {key: f"measurement {number}" for key, number in numbers.items()}
    filled = {key: text for key, text in texts.items() if text.strip()}
    y = _each(filled, lambda key, text: typed(text, names[key]))
    for key, number in numbers.items():
        experiment.correct(number, y.get(key))


def _picks(experiment: Experiment) -> dict[str, int]:
    return {key_of(pick): pick.index for pick in experiment.history.outstanding}


def _lookup(fields: Mapping[str, int], key: str) -> int:
    if key not in fields:
        wanted = "a row, an outstanding pick or a measurement"
        raise InputError(wanted, short(repr(key)), "its result was recorded meanwhile")
    return fields[key]


def _each(texts: Mapping[str, str], read: Callable[[str, str], _R]) -> dict[str, _R]:
    """What was typed in fields, by key; `read` is called with a key and its text."""
    values, faults = dict[str, _R](), {}
    for key, text in texts.items():
        try:
            values[key] = read(key, text)
        except InputError as error:
            faults[key] = error
    if faults:
        raise Faults(faults)
    return values
