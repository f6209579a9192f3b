"""A study's summary as tidy CSV, as `ucbpe_core.study.summarise` writes and reads it."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import pandas as pd

from ucbpe_core.study.summarise import table_text

if TYPE_CHECKING:
    from ucbpe_app.pages.study.results import StudyResults


def curves_csv(results: StudyResults) -> bytes:
    """Every mean curve, then every difference that is shown: `CURVE_COLUMNS`, a row per t."""
    return _written(pd.concat([results.curves, results.differences]))


def statistics_csv(results: StudyResults) -> bytes:
    """The numbers of each policy, `STATISTIC_COLUMNS`, a row each."""
    return _written(results.statistics)


def file_name(results: StudyResults, what: str) -> str:
    """Letters and digits of study and problem, then what of it: section-5-himmelblau-curves.csv."""
    words = unicodedata.normalize("NFKD", f"{results.study} {results.problem} {what}")
    plain = re.findall(r"[a-z0-9]+", words.encode("ascii", "ignore").decode().lower())
    return f"{'-'.join(plain)}.csv"


def _written(table: pd.DataFrame) -> bytes:
    return table_text(table).encode()
