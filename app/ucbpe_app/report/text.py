"""The words of a report: a summary for the terminal, and a page of tables and figures."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ucbpe_app.report.gallery import Drawing
    from ucbpe_app.report.records import Statistic
    from ucbpe_core.study.plan import Study
    from ucbpe_core.study.run import Result

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


def progress(study: Study, results: Sequence[Result]) -> str:
    """How far a study is: runs planned, finished and failed."""
    planned, failed = len(study.tasks()), sum(one.error is not None for one in results)
    missing = planned - len(results)
    counts = f"{len(results) - failed} of {planned} runs finished, {failed} failed"
    return f"{study.name}: {counts}{f', {missing} not run yet' if missing else ''}"


def failure_lines(failures: Sequence[Result]) -> list[str]:
    """What the terminal shows of failures: a line for each, or for the first and their number."""
    listed, more = failures[:_LISTED], len(failures) - _LISTED
    return [*map(_failure, listed), *([f"and {more} more"] if more > 0 else [])]


def page(
    study: Study,
    results: Sequence[Result],
    statistics: Sequence[Statistic],
    ratios: Sequence[Statistic],
    drawings: Sequence[Drawing],
) -> str:
    """Return report.md, which stands in one folder with the figures."""
    blocks = [f"# {_plain(study.name)}", f"{_plain(progress(study, results))}."]
    if statistics:
        blocks.append(_RULES.format(percent=100 * statistics[0].level))
    blocks += _images("", drawings)
    for problem in dict.fromkeys(one.problem for one in statistics):
        blocks += [f"## {_plain(problem)}", _table(problem, statistics, ratios)]
        blocks += _images(problem, drawings)
    failures = [one for one in results if one.error is not None]
    if failures:
        blocks += ["## Failures", "\n".join(f"- {_plain(_failure(one))}" for one in failures)]
    return "\n\n".join(blocks) + "\n"


def _images(problem: str, drawings: Iterable[Drawing]) -> list[str]:
    return [
        f"![{_plain(problem) or 'All problems'}: {one.what}]({one.svg.name})"
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
    head = [title.format(reference=_plain(reference)) for title in _HEAD]
    rows = [head, ["---"] + ["---:"] * (len(head) - 1)]
    for policy, numbers in by_policy.items():
        mean = numbers["mean_simple_regret"]
        row = [
            _plain(policy),
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


def _plain(text: str) -> str:
    """A name or a message as Markdown shows it: one line, without HTML or markup."""
    line = _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))
    return escape(_MARKER.sub(r"\1\\\2", line), quote=False)


def _failure(one: Result) -> str:
    reason = (one.error or "").splitlines()
    where = f"{one.policy} on {one.problem}, replicate {one.replicate}"
    return f"{where}: {reason[0] if reason else 'no reason recorded'}"
