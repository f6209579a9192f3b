"""How the answer to a lesson's question is marked: by choices, or by a number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ucbpe_app.run.notation import short
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

FIELDS = ("choices", "number", "tolerance")
_FEWEST, _MOST, _LETTERS = 2, 6, 200


def marking_of(table: Mapping[str, Any], mistakes: list[InputError]) -> dict[str, Any]:
    """The fields of a lesson that mark its question; what is wrong in them becomes mistakes."""
    given = [name for name in FIELDS if name in table]
    if given and "question" not in table:
        wanted = f"a question for {' and '.join(given)}"
        mistakes.append(InputError(wanted, "none", "write one, or leave these fields out"))
    if "choices" in table and "number" in table:
        wanted = "choices or number"
        mistakes.append(InputError(wanted, "both", "leave one of them out"))
    if "tolerance" in table and "number" not in table:
        mistakes.append(InputError("number beside tolerance", "none", "write number, too"))
    return {
        "choices": _choices(table.get("choices", []), given, mistakes),
        "number": _value(table, "number", -math.inf, None, mistakes),
        "tolerance": _value(table, "tolerance", 0.0, 0.0, mistakes),
    }


def _choices(choices: Any, given: list[str], mistakes: list[InputError]) -> tuple[str, ...]:
    if "choices" not in given:
        return ()
    texts = choices if isinstance(choices, list) else []
    words = [" ".join(one.split()) for one in texts if isinstance(one, str)]
    fits = all(0 < len(one) <= _LETTERS for one in words) and len(set(words)) == len(texts)
    if not fits or not _FEWEST <= len(words) <= _MOST:
        wanted = (
            f"choices to be {_FEWEST} to {_MOST} different texts of 1 to {_LETTERS} letters, "
            "the right one first"
        )
        remedy = 'write choices = ["the right one", "another"]'
        mistakes.append(InputError(wanted, short(choices), remedy))
        return ()
    return tuple(words)


def _value(
    table: Mapping[str, Any],
    name: str,
    least: float,
    default: float | None,
    mistakes: list[InputError],
) -> float | None:
    value = table.get(name, default)
    if value is None or name not in table:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float):
        good = False
    else:
        good = math.isfinite(value) and value >= least
    if not good:
        wanted = f"{name} to be a number{' of at least 0' if least == 0 else ''}"
        mistakes.append(InputError(wanted, short(value), f"write {name} = 0.5"))
        return default
    return float(value)
