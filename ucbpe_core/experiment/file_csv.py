"""An experiment as tidy CSV, one row for each measurement that counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_core.records import sheets, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_core.experiment.experiment import Experiment
    from ucbpe_core.experiment.state import Measurement
    from ucbpe_core.records.text import PathOrFile

_PICK = ("t", "k", "role", "std", "score", "in_region_plus", "asked")


def write(experiment: Experiment, path: PathOrFile) -> None:
    """Write one row for each measurement that counts, in the order recorded.

    The first row names the columns. Numbers read back exactly; cells from `t` on are empty for a
    measurement that was not asked for, and `score` is empty for a policy without a criterion. A
    label that a spreadsheet would evaluate as a formula is preceded by an apostrophe, which
    `sheets.unescape` removes.

    =============== =============================================================================
    measurement     its number, from 0 in the order recorded; void ones leave a gap
    candidate       index of the candidate, from 0
    label i: name   label i = 1, 2, .. of the candidate
    input i: name   input i = 1 .. d
    y               the measurement
    told            when it was recorded
    t, k            it is the result of pick k, from 0, of batch t, from 1
    role            why that was picked
    std             standard deviation of f just before the pick, earlier picks hallucinated
    score           value of the criterion that the pick maximised, of -f where f is minimised
    in_region_plus  1 if the pick is in R+, else 0
    asked           when the batch was asked
    =============== =============================================================================

    Parameters
    ----------
    experiment : at any point
    path : the file, or a text file open for writing

    Raises
    ------
    InputError
        For a path that cannot be written. An existing file is then left unchanged.
    """
    table = experiment.table
    labels = [f"label {i}: {name}" for i, (name, _) in enumerate(table.labels, start=1)]
    inputs = [f"input {i}: {name}" for i, name in enumerate(table.inputs, start=1)]
    head = ["measurement", "candidate", *labels, *inputs, "y", "told", *_PICK]
    text.write(sheets.dumps([head, *_rows(experiment)]), path)


def _rows(experiment: Experiment) -> Iterator[list[object]]:
    table = experiment.table
    for number, one in enumerate(experiment.measurements):
        if one.y is not None:
            j = one.candidate
            known = [*(texts[j] for _, texts in table.labels), *table.candidates[j].tolist()]
            yield [number, j, *known, one.y, one.time, *_reason(one)]


def _reason(measurement: Measurement) -> list[object]:
    answers = measurement.answers
    if answers is None:
        return [None] * len(_PICK)
    pick = answers.proposal
    inside = int(pick.in_region_plus)
    return [answers.t, answers.k, pick.role, pick.std, pick.score, inside, answers.time]
