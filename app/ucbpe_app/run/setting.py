"""One setting of a run: its parameter, and where it stands in the columns of settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import param

from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Row = tuple[str, ...]


@dataclass(frozen=True)
class Setting:
    """What the pages know of one setting.

    Attributes
    ----------
    parameter : its values, bounds, label and meaning
    section : the heading that it stands under
    word : its name in the middle of a sentence
    beside : whether it shares a row with the setting before
    slider : decades that its logarithmic slider reaches below the suggested value; 0 for no slider
    part : "kernel" or "schedule" if it is given to the constructors that take it
    shown_for : (setting that decides, values for which this one is used); None for always
    """

    parameter: param.Parameter
    section: str
    word: str
    beside: bool = False
    slider: float = 0.0
    part: str = ""
    shown_for: tuple[str, tuple[str, ...]] | None = None


def setting(parameter: param.Parameter, section: str, word: str, **place: Any) -> Any:
    """The field of a dataclass that is a setting."""
    return field(metadata={"setting": Setting(parameter, section, word, **place)})


def arranged(settings: Mapping[str, Setting]) -> dict[str, tuple[Row, ...]]:
    """The headings, and under each the settings, those of a row side by side."""
    sections: dict[str, list[Row]] = {}
    for name, one in settings.items():
        rows = sections.setdefault(one.section, [])
        if one.beside:
            rows[-1] = (*rows[-1], name)
        else:
            rows.append((name,))
    return {title: tuple(rows) for title, rows in sections.items()}


def paired(names: Iterable[str], wide: Iterable[str]) -> tuple[Row, ...]:
    """The settings two to a row; those in `wide` have a row of their own."""
    rows: list[Row] = []
    for name in names:
        if name not in wide and rows and len(rows[-1]) == 1 and rows[-1][0] not in wide:
            rows[-1] = (*rows[-1], name)
        else:
            rows.append((name,))
    return tuple(rows)


def check_value(parameter: param.Parameter, value: Any) -> None:
    """Refuse a value that a setting cannot have, whatever the others are.

    Raises
    ------
    InputError
        Which says what it can have.
    """
    try:
        parameter._validate(value)
    except (ValueError, TypeError) as refusal:
        raise InputError(_expectation(parameter), str(value), "enter a valid value") from refusal


def _expectation(parameter: param.Parameter) -> str:
    label = str(parameter.label)
    if isinstance(parameter, param.Selector):
        return f"{label} to be one of {', '.join(map(str, parameter.objects))}"
    kind = "a whole number" if isinstance(parameter, param.Integer) else "a number"
    low, high = parameter.bounds or (None, None)
    strict_low, strict_high = (not inclusive for inclusive in parameter.inclusive_bounds)
    limits = [
        f"{'above' if strict_low else 'at least'} {low:g}" if low is not None else "",
        f"{'below' if strict_high else 'at most'} {high:g}" if high is not None else "",
    ]
    return f"{label} to be {kind} {' and '.join(part for part in limits if part)}".strip()
