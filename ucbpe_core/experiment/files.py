"""Experiments in files: JSON to go on with, and CSV for a spreadsheet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ucbpe_core import documents, sheets
from ucbpe_core.errors import InputError
from ucbpe_core.experiment.document import (
    from_document,
    head_document,
    journal_document,
    to_document,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_core.documents import PathOrFile
    from ucbpe_core.experiment.experiment import Experiment
    from ucbpe_core.experiment.folding import Measurement

_WHAT = "an experiment"
_PICK = ("t", "k", "role", "std", "score", "in_region_plus", "asked")


def to_json(experiment: Experiment, path: PathOrFile) -> None:
    """Write an experiment that `from_json` reads back.

    Parameters
    ----------
    experiment : at any point
    path : where to, or a text file that is open for writing

    Raises
    ------
    InputError
        For a policy, kernel or schedule of one's own that is not in `POLICIES`, say, or a path
        that cannot be written. An earlier file then stays as it was.
    """
    documents.write(documents.dumps(to_document(experiment), _WHAT) + "\n", path)


def from_json(path: PathOrFile) -> Experiment:
    """The experiment that `to_json` wrote; it goes on as the original would.

    Picks are those that the file says, wherever it is read. The belief is conditioned again: on
    one machine that gives the same bits, on another it differs by rounding. Nothing in the file
    is executed.

    Parameters
    ----------
    path : where from, or a text file that is open for reading

    Raises
    ------
    InputError
        For a file that cannot be read, is not JSON, is cut short or changed, has another format
        or version, or says what cannot have happened.
    """
    name = documents.name_of(path)
    content = documents.loads(documents.read(path, _WHAT), name)
    try:
        return from_document(content)
    except (RecursionError, OverflowError) as error:
        wanted = f"{name} within the range of numbers and tables"
        raise InputError(wanted, str(error), "save it again") from None


def head_text(experiment: Experiment) -> str:
    """What stays the same in all of an experiment, as JSON without the last brace.

    The file is `head_text(experiment) + journal_text(experiment)`: what keeps a large table
    need not be given it again at every step.
    """
    return documents.dumps(head_document(experiment), _WHAT)[:-1]


def journal_text(experiment: Experiment) -> str:
    """All that happened, as the rest of the file that `head_text` begins."""
    return f',"journal":{documents.dumps(journal_document(experiment), _WHAT)}}}\n'


def to_csv(experiment: Experiment, path: PathOrFile) -> None:
    """Write one row for each measurement that counts, in the order told.

    The first row names the columns. Numbers read back exactly; cells from `t` on are empty for a
    measurement that nobody had asked for, and `score` for a policy without a criterion. A label
    that a spreadsheet would run as a formula has an apostrophe in front: `sheets.unescape`.

    =============== =============================================================================
    measurement     its number, from 0 in the order told; void ones leave a gap
    candidate       index of the candidate, from 0
    label i: name   label i = 1, 2, .. of the candidate
    input i: name   input i = 1 .. d
    y               the measurement
    told            when it was told
    t, k            it answers pick k, from 0, of batch t, from 1
    role            why that was picked
    std             latent deviation just before the pick, earlier picks hallucinated
    score           value of the criterion that the pick maximised
    in_region_plus  1 if the pick is in R+, else 0
    asked           when the batch was asked
    =============== =============================================================================

    Parameters
    ----------
    experiment : at any point
    path : where to, or a text file that is open for writing

    Raises
    ------
    InputError
        For a path that cannot be written. An earlier file then stays as it was.
    """
    table = experiment.table
    labels = [f"label {i}: {name}" for i, (name, _) in enumerate(table.labels, start=1)]
    inputs = [f"input {i}: {name}" for i, name in enumerate(table.inputs, start=1)]
    head = ["measurement", "candidate", *labels, *inputs, "y", "told", *_PICK]
    documents.write(sheets.dumps([head, *_rows(experiment)]), path)


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
    score = None if math.isnan(pick.score) else pick.score
    inside = int(pick.in_region_plus)
    return [answers.t, answers.k, pick.role, pick.std, score, inside, answers.time]
