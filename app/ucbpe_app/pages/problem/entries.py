"""What a person typed into the fields of an experiment's rows -> steps of the experiment.

The key of a field says what it is for: c17 is row 17, p2.0.17 is pick 0 of batch 2, at row 17, and
m3.17 is measurement 3, at row 17. A key whose pick was recorded meanwhile is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.pages.numbers import typed
from ucbpe_app.run.notation import short
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_core import UCBPEError
    from ucbpe_core.experiment import Experiment, Trial


class Faults(Exception):  # noqa: N818 - it gathers errors, each with its place
    """Typed results that are no numbers: the error of each, by the key of its field."""

    def __init__(self, errors: Mapping[str, UCBPEError]) -> None:
        super().__init__(f"{len(errors)} results")
        self.errors = dict(errors)


def key_of(pick: Trial) -> str:
    """The key of the field of an outstanding pick."""
    return f"p{pick.t}.{pick.k}.{pick.index}"


def record(experiment: Experiment, texts: Mapping[str, str]) -> None:
    """Tell results as they were typed, by the key of the field of each.

    Raises
    ------
    Faults
        If any is no number; then none is added.
    """
    rows = {f"c{j}": j for j in range(len(experiment.table))} | _picks(experiment)
    places = {key: _found(rows, key) for key in texts}
    names = {key: f"the result of candidate {j}" for key, j in places.items()}
    experiment.tell(list(places.values()), list(_typed(texts, names).values()))


def withdraw(experiment: Experiment, key: str) -> None:
    """Withdraw the outstanding pick of a field."""
    experiment.withdraw([_found(_picks(experiment), key)])


def correct(experiment: Experiment, texts: Mapping[str, str]) -> None:
    """Replace measurements, by the key of the field of each; an empty text makes one void.

    Raises
    ------
    Faults
        If any is no number; then none is replaced.
    """
    measured = {f"m{i}.{one.index}": i for i, one in enumerate(experiment.history.measured)}
    numbers = {key: _found(measured, key) for key in texts}
    names = {key: f"measurement {number}" for key, number in numbers.items()}
    y = _typed({key: text for key, text in texts.items() if text.strip()}, names)
    for key, number in numbers.items():
        experiment.correct(number, y.get(key))


def _picks(experiment: Experiment) -> dict[str, int]:
    return {key_of(pick): pick.index for pick in experiment.history.outstanding}


def _found(fields: Mapping[str, int], key: str) -> int:
    if key not in fields:
        wanted = "a row, an outstanding pick or a measurement"
        raise InputError(wanted, short(repr(key)), "its result was recorded meanwhile")
    return fields[key]


def _typed(texts: Mapping[str, str], names: Mapping[str, str]) -> dict[str, float]:
    """The numbers typed in fields, by key; `names` says what each is."""
    y, faults = dict[str, float](), {}
    for key, text in texts.items():
        try:
            y[key] = typed(text, names[key])
        except InputError as error:
            faults[key] = error
    if faults:
        raise Faults(faults)
    return y
