"""TOML written by people: Python's reader, guarded against inputs that take it very long."""

from __future__ import annotations

import re
import tomllib
from typing import Any

# Python's reader visits every prefix of a dotted key: its work grows with the square of the number
# of parts. No table of this package is nested deeper than eight.
_MOST_PARTS = 20
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{_MOST_PARTS}}}")


def parse(text: str) -> dict[str, Any]:
    """The tables of a text.

    Raises
    ------
    ValueError
        For other text, for numbers of too many digits, for tables nested too deeply, and for dotted
        keys of too many parts, also inside strings.
    """
    found = _LONG_KEY.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(f"More than {_MOST_PARTS} parts in a dotted key (at line {line})")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("Tables are nested too deeply") from None
