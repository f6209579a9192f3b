"""TOML of people: Python's reader, kept from taking far longer than the text is long."""

from __future__ import annotations

import re
import tomllib
from typing import Any

# Python's reader looks at every beginning of a dotted key: its work grows with the square of the
# number of parts. No table of this package nests deeper than eight.
_MOST_PARTS = 20
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{_MOST_PARTS}}}")


def parse(text: str) -> dict[str, Any]:
    """The tables of a text.

    Raises
    ------
    ValueError
        For anything else, for numbers of too many digits, for tables inside tables beyond what
        Python can follow, and for words with so many dots between them, also within texts.
    """
    found = _LONG_KEY.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(f"More than {_MOST_PARTS} words with dots between (at line {line})")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("Too many tables inside tables") from None
