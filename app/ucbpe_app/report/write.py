"""A study's file -> a folder of figures, tables and a page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ucbpe_app.report import text
from ucbpe_app.report.records import curves_of, statistics_of
from ucbpe_core.errors import InputError
from ucbpe_core.extras import is_of_extra
from ucbpe_core.records import atomic, sheets
from ucbpe_core.study.store import Store
from ucbpe_core.study.summarise import curves, differences, ratios, statistics, write_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.report.gallery import Drawing

FAILURE_COLUMNS = ("problem", "policy", "replicate", "error")


@dataclass(frozen=True)
class Report:
    """What was written: drawings (SVG and PNG), tables (CSV), the page, and a summary of it all."""

    folder: Path
    drawings: tuple[Drawing, ...]
    tables: tuple[Path, ...]
    page: Path
    summary: str


def report(store_path: str | Path, out_dir: str | Path, *, level: float = 0.95) -> Report:
    """Report on what a study has so far; equal results give equal files.

    Without the libraries of the extra `app`, which draw, there are tables and the page alone.
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
        study, results = store.study, store.planned()
    reference = study.policies[0].label
    means, numbers = curves(results, level), statistics(results, level)
    paired, shares = means.head(0), numbers.head(0)
    if any(one.policy == reference for one in results):
        paired, shares = differences(results, reference, level), ratios(results, reference, level)
    failures = [one for one in results if one.error is not None]
    folder = Path(out_dir)
    folder.mkdir(parents=True, exist_ok=True)
    tables = {"curves": means, "differences": paired, "statistics": pd.concat([numbers, shares])}
    for name, table in tables.items():
        write_table(folder / f"{name}.csv", table)
    rows = [[getattr(one, name) for name in FAILURE_COLUMNS] for one in failures]
    sheets.write(folder / "failures.csv", [FAILURE_COLUMNS, *rows])
    sizes = {one.batch_size for one in results if one.error is None}
    draw_all, missing = _drawing()
    drawings = draw_all(
        folder,
        [plan.label for plan in study.policies],
        curves_of(means),
        curves_of(paired),
        statistics_of(numbers),
        batch_size=sizes.pop() if len(sizes) == 1 else None,
    )
    page, words = folder / "report.md", (statistics_of(numbers), statistics_of(shares))
    atomic.write_text(page, text.page(study, results, *words, drawings))
    written = tuple(folder / f"{name}.csv" for name in (*tables, "failures"))
    wrote = f"wrote {len(drawings)} figures (SVG and PNG), {len(written)} tables and report.md"
    failed = [f"failed: {line}" for line in text.failure_lines(failures)]
    summary = [text.progress(study, results), f"{wrote} to {folder}", *missing, *failed]
    return Report(folder, drawings, written, page, "\n".join(summary))


def _drawing() -> tuple[Callable[..., tuple[Drawing, ...]], tuple[str, ...]]:
    """What draws the figures; nothing, and a line that says why, where it is not installed."""
    try:
        from ucbpe_app.report.gallery import draw_all
    except ModuleNotFoundError as missing:
        if not is_of_extra(missing):
            raise
        why = f"no figures: {missing}; pip install 'ucbpe[app]' has what draws them"
        return lambda *_, **__: (), (why,)
    return draw_all, ()
