"""A study's file -> a folder of figures, tables and a page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ucbpe_app.report import text
from ucbpe_app.report.gallery import draw_all
from ucbpe_app.report.records import curves_of, statistics_of
from ucbpe_core.errors import InputError
from ucbpe_core.records import atomic, sheets
from ucbpe_core.study.store import Store
from ucbpe_core.study.summarise import curves, differences, ratios, statistics
from ucbpe_core.study.tidy import write_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.report.gallery import Drawing
    from ucbpe_core.study.plan import Study
    from ucbpe_core.study.run import Result

FAILURE_COLUMNS = ("problem", "policy", "replicate", "error")


@dataclass(frozen=True)
class Report:
    """What was written: drawings (SVG and PNG), tables (CSV), the page, and a summary of it all."""

    folder: Path
    drawings: tuple[Drawing, ...]
    tables: tuple[Path, ...]
    page: Path
    summary: str


@dataclass(frozen=True)
class Findings:
    """A study's results and what they show, in the order of the study."""

    study: Study
    finished: tuple[Result, ...]
    failures: tuple[Result, ...]
    curves: pd.DataFrame
    differences: pd.DataFrame
    statistics: pd.DataFrame
    ratios: pd.DataFrame


def report(store_path: str | Path, out_dir: str | Path, *, level: float = 0.95) -> Report:
    """Report on what a study has so far; equal results give equal files.

    Policies are compared with the first of the study, over the replicates that both finished.

    Parameters
    ----------
    store_path : of a `Store`
    out_dir : made if there is none; files of an earlier report are replaced
    level : confidence of every interval

    Raises
    ------
    InputError
        For a file that is missing or no store, a folder's name with NUL, or a level outside (0, 1).
    StoreError
        For a store that is damaged.
    OSError
        For a folder that cannot be written.
    """
    if "\0" in str(out_dir):
        raise InputError("a path of a folder", f"{str(out_dir)!r}, with NUL", "check it")
    with Store.open(store_path) as store:
        findings = _find(store.study, store.planned(), level)
    folder = Path(out_dir)
    folder.mkdir(parents=True, exist_ok=True)
    tables = _write_tables(folder, findings)
    sizes = {one.batch_size for one in findings.finished}
    numbers = statistics_of(findings.statistics)
    drawings = draw_all(
        folder,
        [plan.label for plan in findings.study.policies],
        curves_of(findings.curves),
        curves_of(findings.differences),
        numbers,
        batch_size=sizes.pop() if len(sizes) == 1 else None,
    )
    progress = text.Progress(
        findings.study.name,
        len(findings.study.tasks()),
        len(findings.finished),
        len(findings.failures),
    )
    page = folder / "report.md"
    atomic.write_text(
        page,
        text.page(progress, numbers, statistics_of(findings.ratios), drawings, findings.failures),
    )
    summary = text.summary(progress, folder, len(drawings), len(tables), findings.failures)
    return Report(folder, drawings, tables, page, summary)


def _find(study: Study, results: Sequence[Result], level: float) -> Findings:
    reference = study.policies[0].label
    compared = any(one.policy == reference for one in results)
    means, numbers = curves(results, level), statistics(results, level)
    return Findings(
        study,
        tuple(one for one in results if one.error is None),
        tuple(one for one in results if one.error is not None),
        means,
        differences(results, reference, level) if compared else means.head(0),
        numbers,
        ratios(results, reference, level) if compared else numbers.head(0),
    )


def _write_tables(folder: Path, findings: Findings) -> tuple[Path, ...]:
    names = ("curves", "differences", "statistics", "failures")
    tables = tuple(folder / f"{name}.csv" for name in names)
    write_table(tables[0], findings.curves)
    write_table(tables[1], findings.differences)
    write_table(tables[2], pd.concat([findings.statistics, findings.ratios]))
    _write_failures(tables[3], findings.failures)
    return tables


def _write_failures(path: Path, failures: Sequence[Result]) -> None:
    rows = [[getattr(one, name) for name in FAILURE_COLUMNS] for one in failures]
    sheets.write(path, [FAILURE_COLUMNS, *rows])
