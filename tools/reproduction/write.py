"""From a study's store to its summary and figure, and from all summaries to the document's tables.

A mark in the document is ``<!-- table: STUDY NAME -->``, with a study of `paper.STUDIES` and a
table of `tables.TABLES`, or ``few_batches`` with one of `few.TABLES`, or ``<!-- table: cost -->``
or ``<!-- table: certificates -->``; the table ends at ``<!-- end -->``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tools.reproduction import batches, certificates, few, summary, tables
from tools.reproduction.paper import STUDIES
from ucbpe_app.plots.prints import file_of, style
from ucbpe_app.study.figures import Key, study_figure
from ucbpe_app.study.records import curves_of, statistics_of
from ucbpe_core.errors import InputError
from ucbpe_core.files import text as files
from ucbpe_core.study.store import Store

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tools.reproduction.summary import Summary

CERTIFICATES = "certificates.csv"
_MARK = re.compile(r"(<!-- table: ([\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def write_study(name: str, store: Path, folder: Path) -> None:
    """Write the summary and the overview of the study `name` into `folder`."""
    with Store.open(store) as opened:
        kept, study = summary.summarise(name, opened), opened.study
    summary.write(kept, folder)
    sizes = {
        study.batch_size,
        *(plan.build(study.batch_size, 0).batch_size for plan in study.policies),
    }
    size = sizes.pop() if len(sizes) == 1 else None
    key = Key.of(kept.policies, statistics_of(kept.statistics), size)
    with style():
        figure = study_figure(curves_of(kept.curves), key)
        for kind in ("svg", "png"):
            files.write_bytes(folder / f"overview.{kind}", file_of(figure, kind))


def fill_document(path: Path, folder: Path) -> None:
    """Compute the tables of the document at `path` from every summary inside `folder`.

    If it has the studies of few batches, their figure is drawn there, too.

    Raises
    ------
    InputError
        If the document has a table of a study that has no summary yet; it is left as it was.
    """
    found = {name: folder / name for name in STUDIES if (folder / name).is_dir()}
    summaries = {name: summary.read(place) for name, place in found.items()}
    text = fill(path.read_text(encoding="utf-8"), summaries, folder)
    files.write_text(path, text)
    if summaries.keys() >= set(few.NAMES):
        batches.draw(summaries, folder / batches.FILE)


def fill(text: str, summaries: Mapping[str, Summary], folder: Path = summary.RESULTS) -> str:
    """The document with every table computed from the summaries, by name of the study.

    `folder` has the counts of certificates.

    Raises
    ------
    InputError
        For a mark that names an unknown study or table.
    """

    def replaced(match: re.Match[str]) -> str:
        if match[2] == "certificates":
            made = certificates.table(folder / CERTIFICATES)
        else:
            made = _table(match[2], summaries)
        return f"{match[1]}\n{made}\n\n{match[3]}"

    return _MARK.sub(replaced, text)


def _table(mark: str, summaries: Mapping[str, Summary]) -> str:
    if mark == "cost":
        return tables.cost(summaries)
    study, _, name = mark.partition(" ")
    if study == few.MARK and name in few.TABLES:
        return few.TABLES[name](few.Cells(summaries))
    if study not in summaries or name not in tables.TABLES:
        known = f"{', '.join(summaries)}; {', '.join(tables.TABLES)}"
        raise InputError(f"a study and a table among {known}", mark, "fix the mark, or run it")
    return tables.TABLES[name](summaries[study])
