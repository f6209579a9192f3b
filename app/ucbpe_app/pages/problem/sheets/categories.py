"""Columns of text, such as a solvent: coded as inputs, or left out; a person says which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.pages.problem.sheets.columns import Column, Kind
from ucbpe_app.pages.problem.sheets.limits import MOST_INPUTS
from ucbpe_core.errors import InputError, grouped
from ucbpe_core.validation import frozen_copy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.pages.problem.sheets.parse import Sheet
    from ucbpe_core.validation import Floats

_MANY = 4  # texts told in a sentence


def input_name(name: str, level: str) -> str:
    """What the input for one text of a column is called."""
    return f"{name} = {level}"


def indicator(cells: Sequence[str], level: str) -> list[float]:
    """That input: 1 where a row has the text and 0 elsewhere."""
    return [float(cell == level) for cell in cells]


def coded(sheet: Sheet, one: Column) -> list[tuple[str, Floats]]:
    """A column of texts as inputs, one for each text.

    Raises
    ------
    InputError
        For an empty cell, a single text, or too many.
    """
    if one.blank:
        wanted = f"a text in line {sheet.lines[one.blank[0]]}, column {one.name}"
        raise InputError(wanted, repr(""), "fill it in, or leave the row out")
    levels = one.levels
    if len(levels) == 1:
        wanted = f"two texts or more in column {one.name}"
        raise InputError(wanted, repr(levels[0]), "use it as a label")
    if len(levels) > MOST_INPUTS:
        wanted = f"at most {MOST_INPUTS} different texts in column {one.name}"
        raise InputError(wanted, grouped(len(levels)), "use it as a label")
    return [
        (input_name(one.name, level), frozen_copy(indicator(one.cells, level))) for level in levels
    ]


def repeats(one: Column) -> bool:
    """Whether some rows share a text, so that it is more than the name of each row."""
    return 2 <= len(one.levels) < len(one.cells) - len(one.blank)


def is_choice(one: Column, *, identifies: bool) -> bool:
    """Whether a column of texts may be an input; `identifies` says that its name is of rows."""
    texts = one.kind is Kind.TEXT and 2 <= len(one.levels) <= MOST_INPUTS
    return texts and (repeats(one) or not identifies)


def question(one: Column) -> str:
    """What to ask about it."""
    return (
        f"{one.name} is text: {_listed(one.levels)}. Is it an input? If coded, each text becomes "
        "an input that is 1 in its rows and 0 in all others. If left out, rows that differ only "
        f"in {one.name} are the same to the method."
    )


def coded_words(one: Column) -> str:
    """What is said of a column that is coded."""
    return f"{one.name} is coded as {len(one.levels)} inputs, one for each of its texts."


def left_out_words(one: Column) -> str:
    """What is said of a column that is not."""
    many = len(one.levels)
    why = f"with {grouped(many)} texts, too many to be coded" if many > MOST_INPUTS else "text"
    return f"{one.name}, {why}, is left out: it is not an input."


def _listed(levels: Sequence[str]) -> str:
    more = len(levels) - _MANY
    return ", ".join(levels[:_MANY]) + (f" and {more} more" if more > 0 else "")
