"""A study's file -> a folder of figures, tables and a page; and a summary for the terminal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ucbpe_app.report.records import Curve, curves_of, statistics_of
from ucbpe_core.errors import InputError
from ucbpe_core.files import sheets
from ucbpe_core.files import text as files
from ucbpe_core.history.workers import BATCHES
from ucbpe_core.study.store import Store
from ucbpe_core.study.summarise import curves, differences, ratios, statistics, write_table
from ucbpe_core.support.optional import install, is_of_extra

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ucbpe_app.report.figures import Drawing
    from ucbpe_app.report.records import Statistic
    from ucbpe_core.study.plan import Study
    from ucbpe_core.study.task import Result


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
    Where a batch is no unit of time, as where results come one by one, curves and differences are
    against time as well.

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
    first = study.policies[0].label
    reference = first if any(result.policy == first for result in results) else ""
    numbers = statistics(results, level)
    shares = ratios(results, reference, level) if reference else numbers.head(0)
    tables, drawn = _over_batches_and_time(study, results, level, reference)
    tables["statistics"] = pd.concat([numbers, shares])
    failures = [result for result in results if result.error is not None]
    folder = Path(out_dir)
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        write_table(folder / f"{name}.csv", table)
    rows = [[getattr(failure, name) for name in FAILURE_COLUMNS] for failure in failures]
    files.write_text(folder / "failures.csv", sheets.dumps([FAILURE_COLUMNS, *rows]))
    sizes = {result.batch_size for result in results if result.error is None}
    policies = [plan.label for plan in study.policies]
    size = sizes.pop() if len(sizes) == 1 else None
    key_parts = policies, statistics_of(numbers), size
    drawings, missing = _drawings(folder, drawn, key_parts)
    page, words = folder / "report.md", (statistics_of(numbers), statistics_of(shares))
    files.write_text(page, page_of(study, results, *words, drawings))
    written = tuple(folder / f"{name}.csv" for name in (*tables, "failures"))
    wrote = f"wrote {len(drawings)} figures (SVG and PNG), {len(written)} tables and report.md"
    failed = [f"failed: {line}" for line in failure_lines(failures)]
    summary = [_progress(study, results), f"{wrote} to {folder}", *missing, *failed]
    return Report(folder, drawings, written, page, "\n".join(summary))


def _over_batches_and_time(
    study: Study, results: Sequence[Result], level: float, reference: str
) -> tuple[dict[str, pd.DataFrame], list[Curve]]:
    """Tables of means and of differences to the reference, if there is one, and their curves.

    Against time as well where a batch of some policy is not a unit of it.
    """
    timed = any(study.workers_of(plan) != BATCHES for plan in study.policies)
    tables, drawn = dict[str, pd.DataFrame](), list[Curve]()
    for over_time in (False, True) if timed else (False,):
        means = curves(results, level, over_time=over_time)
        paired = means.head(0)
        if reference:
            paired = differences(results, reference, level, over_time=over_time)
        suffix = "-over-time" * over_time
        tables |= {f"curves{suffix}": means, f"differences{suffix}": paired}
        drawn += [*curves_of(means), *curves_of(paired)]
    return tables, drawn


def _drawings(
    folder: Path,
    curves: Sequence[Curve],
    key_parts: tuple[Sequence[str], Sequence[Statistic], int | None],
) -> tuple[tuple[Drawing, ...], tuple[str, ...]]:
    """The figures; none, and a line that says why, where what draws them is not installed."""
    try:
        from ucbpe_app.report.figures import Key, draw_all
    except ModuleNotFoundError as missing:
        if not is_of_extra(missing):
            raise
        return (), (f"no figures: {missing}; {install('app')} has what draws them",)
    return draw_all(folder, curves, Key.of(*key_parts)), ()


_MARKUP = re.compile(r"[\\`*_{}\[\]|~#$]")
_MARKER = re.compile(r"^(\d*)([-+.)])(?= |$)")  # at the start of a line it makes a list
_LISTED = 10  # failures that the terminal shows; the table has them all
_HEAD = (
    "policy",
    "mean simple regret",
    "ratio to {reference}",
    "last running minimum",
    "mean regret of a query",
    "seconds per batch",
    "replicates",
    "failed",
)
_RULES = (
    "Every number is a mean over replicates with its {percent:g} % Student t interval. The mean "
    "simple regret is R_T^K / T, the mean regret of a query R_TK / (T K). The ratio is the "
    "geometric mean of the paired ratios of mean simple regret: below 1 the policy has the lower "
    "regret; there is none where a replicate has no regret at all."
)


def _progress(study: Study, results: Sequence[Result]) -> str:
    """How far a study is: runs planned, finished and failed."""
    planned, failed = len(study.tasks()), sum(result.error is not None for result in results)
    missing = planned - len(results)
    counts = f"{len(results) - failed} of {planned} runs finished, {failed} failed"
    return f"{study.name}: {counts}{f', {missing} not run yet' if missing else ''}"


def failure_lines(failures: Sequence[Result]) -> list[str]:
    """What the terminal shows of failures: a line for each, or for the first and their number."""
    listed, more = failures[:_LISTED], len(failures) - _LISTED
    return [*map(_failure, listed), *([f"and {more} more"] if more > 0 else [])]


def page_of(
    study: Study,
    results: Sequence[Result],
    statistics: Sequence[Statistic],
    ratios: Sequence[Statistic],
    drawings: Sequence[Drawing],
) -> str:
    """Return report.md, which stands in one folder with the figures."""
    blocks = [f"# {plain(study.name)}", f"{plain(_progress(study, results))}."]
    if statistics:
        blocks.append(_RULES.format(percent=100 * statistics[0].level))
    blocks += _images("", drawings)
    for problem in dict.fromkeys(statistic.problem for statistic in statistics):
        blocks += [f"## {plain(problem)}", _table(problem, statistics, ratios)]
        blocks += _images(problem, drawings)
    failures = [result for result in results if result.error is not None]
    if failures:
        blocks += ["## Failures", "\n".join(f"- {plain(_failure(result))}" for result in failures)]
    return "\n\n".join(blocks) + "\n"


def _images(problem: str, drawings: Iterable[Drawing]) -> list[str]:
    return [
        f"![{plain(problem) or 'All problems'}: {drawing.what}]({drawing.svg.name})"
        for drawing in drawings
        if drawing.problem == problem
    ]


def _table(problem: str, statistics: Iterable[Statistic], ratios: Iterable[Statistic]) -> str:
    by_policy: dict[str, dict[str, Statistic]] = {}
    for statistic in statistics:
        if statistic.problem == problem:
            by_policy.setdefault(statistic.policy, {})[statistic.statistic] = statistic
    paired = {ratio.policy: ratio for ratio in ratios if ratio.problem == problem}
    reference = next((ratio.reference for ratio in paired.values()), "")
    head = [title.format(reference=plain(reference)) for title in _HEAD]
    rows = [head, ["---"] + ["---:"] * (len(head) - 1)]
    for policy, numbers in by_policy.items():
        mean = numbers["mean_simple_regret"]
        row = [
            plain(policy),
            mean.text,
            paired[policy].text if policy in paired else "",
            numbers["final_running_minimum"].text,
            numbers["mean_regret"].text,
            f"{numbers['seconds_per_batch'].mean:.3g}",
            str(mean.n),
            str(mean.failed),
        ]
        rows.append(row)
    if not paired:  # one policy alone has nothing to be compared with
        rows = [[cell for place, cell in enumerate(row) if place != 2] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def plain(text: str) -> str:
    """A name or a message as Markdown shows it: one line, without HTML or markup."""
    line = _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))
    return escape(_MARKER.sub(r"\1\\\2", line), quote=False)


def _failure(result: Result) -> str:
    reason = (result.error or "").splitlines()
    where = f"{result.policy} on {result.problem}, replicate {result.replicate}"
    return f"{where}: {reason[0] if reason else 'no reason recorded'}"
