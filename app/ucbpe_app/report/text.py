"""The words of a report: a summary for the terminal, and a page of tables and figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from ucbpe_app.report.gallery import Drawing
    from ucbpe_app.report.records import Statistic
    from ucbpe_core.study.run import Result

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


@dataclass(frozen=True)
class Progress:
    """How far a study is: runs planned, finished and failed."""

    name: str
    planned: int
    finished: int
    failed: int

    def __str__(self) -> str:
        missing = self.planned - self.finished - self.failed
        counts = f"{self.finished} of {self.planned} runs finished, {self.failed} failed"
        return f"{self.name}: {counts}{f', {missing} not run yet' if missing else ''}"


def summary(
    progress: Progress, folder: Path, figures: int, tables: int, failures: Sequence[Result]
) -> str:
    """Return what the terminal shows: what was written, and what failed and why."""
    wrote = f"wrote {figures} figures (SVG and PNG), {tables} tables and report.md to {folder}"
    listed = [f"failed: {_failure(one)}" for one in failures[:_LISTED]]
    more = len(failures) - len(listed)
    rest = [f"and {more} more failures, in failures.csv"] if more else []
    return "\n".join([str(progress), wrote, *listed, *rest])


def page(
    progress: Progress,
    statistics: Sequence[Statistic],
    ratios: Sequence[Statistic],
    drawings: Sequence[Drawing],
    failures: Sequence[Result],
) -> str:
    """Return report.md, which stands in one folder with the figures."""
    blocks = [f"# {progress.name}", f"{progress}."]
    if statistics:
        blocks.append(_RULES.format(percent=100 * statistics[0].level))
    blocks += _images("", drawings)
    for problem in dict.fromkeys(one.problem for one in statistics):
        blocks += [f"## {problem}", _table(problem, statistics, ratios)]
        blocks += _images(problem, drawings)
    if failures:
        blocks += ["## Failures", "\n".join(f"- {_failure(one)}" for one in failures)]
    return "\n\n".join(blocks) + "\n"


def _images(problem: str, drawings: Iterable[Drawing]) -> list[str]:
    return [
        f"![{problem or 'All problems'}: {one.what}]({one.svg.name})"
        for one in drawings
        if one.problem == problem
    ]


def _table(problem: str, statistics: Iterable[Statistic], ratios: Iterable[Statistic]) -> str:
    by_policy: dict[str, dict[str, Statistic]] = {}
    for one in statistics:
        if one.problem == problem:
            by_policy.setdefault(one.policy, {})[one.statistic] = one
    paired = {one.policy: one for one in ratios if one.problem == problem}
    reference = next((one.reference for one in paired.values()), "")
    head = [title.format(reference=_cell(reference)) for title in _HEAD]
    rows = [head, ["---"] + ["---:"] * (len(head) - 1)]
    for policy, numbers in by_policy.items():
        mean = numbers["mean_simple_regret"]
        row = [
            _cell(policy),
            _interval(mean),
            _interval(paired[policy]) if policy in paired else "",
            _interval(numbers["final_running_minimum"]),
            _interval(numbers["mean_regret"]),
            f"{numbers['seconds_per_batch'].mean:.3g}",
            str(mean.n),
            str(mean.failed),
        ]
        rows.append(row)
    if not paired:  # one policy alone has nothing to be compared with
        rows = [[cell for place, cell in enumerate(row) if place != 2] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _interval(one: Statistic) -> str:
    if one.mean != one.mean:
        return "none"
    if one.n == 1:
        return f"{one.mean:.3g}"
    return f"{one.mean:.3g} [{one.low:.3g}, {one.high:.3g}]"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _failure(one: Result) -> str:
    reason = (one.error or "").splitlines()
    where = f"{one.policy} on {one.problem}, replicate {one.replicate}"
    return f"{where}: {reason[0] if reason else 'no reason recorded'}"
