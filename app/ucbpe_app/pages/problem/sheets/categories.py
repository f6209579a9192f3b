"""A column of texts as inputs: one for each text, 1 where a row has it and 0 elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.pages import numbers
from ucbpe_app.pages.problem.sheets.limits import MOST_INPUTS
from ucbpe_core.errors import InputError
from ucbpe_core.validation import frozen_copy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.pages.problem.sheets.columns import Column
    from ucbpe_core.validation import Floats


def encode(one: Column, lines: Sequence[int]) -> list[tuple[str, Floats]]:
    """Name and values, shape (M,), of the input of each text of a column, in their order.

    Raises
    ------
    InputError
        For an empty cell, a single text, or more texts than there may be inputs.
    """
    for line, cell in zip(lines, one.cells, strict=True):
        if numbers.is_missing(cell):
            wanted = f"a text in line {line:,}, column {one.name}"
            raise InputError(wanted, repr(cell), "fill it in, or leave the row out")
    levels = list(dict.fromkeys(one.cells))
    if len(levels) == 1:
        wanted = f"two texts or more in column {one.name}"
        raise InputError(wanted, repr(levels[0]), "use it as a label")
    if len(levels) > MOST_INPUTS:
        wanted = f"at most {MOST_INPUTS} different texts in column {one.name}"
        raise InputError(wanted, f"{len(levels):,}", "use it as a label")
    return [
        (f"{one.name} = {level}", frozen_copy([float(cell == level) for cell in one.cells]))
        for level in levels
    ]
