"""A document whose tables are computed: what stands between two marks is replaced by its table.

A mark is ``<!-- table: STUDY NAME -->``, with a study of `paper.STUDIES` and a table of
`tables.TABLES`, or ``<!-- table: cost -->``; the table ends at ``<!-- end -->``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ucbpe_app.reproduction import tables
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.reproduction.summary import Summary

_MARK = re.compile(r"(<!-- table: ([\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(text: str, summaries: Mapping[str, Summary]) -> str:
    """The document with every table computed from the summaries, by name of the study.

    Raises
    ------
    InputError
        For a mark that names an unknown study or table.
    """

    def replaced(match: re.Match[str]) -> str:
        return f"{match[1]}\n{_table(match[2], summaries)}\n\n{match[3]}"

    return _MARK.sub(replaced, text)


def _table(mark: str, summaries: Mapping[str, Summary]) -> str:
    if mark == "cost":
        return tables.cost(summaries)
    study, _, name = mark.partition(" ")
    if study not in summaries or name not in tables.TABLES:
        known = f"{', '.join(summaries)}; {', '.join(tables.TABLES)}"
        raise InputError(f"a study and a table among {known}", mark, "fix the mark, or run it")
    return tables.TABLES[name](summaries[study])
