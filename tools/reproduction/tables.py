"""The tables of the reproduction, in Markdown, from its summaries alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.reproduction import paper
from tools.reproduction.claims import FOUND, PAIRED
from tools.reproduction.summary import ENDS
from ucbpe_app.run.sentences import number
from ucbpe_app.study.records import comparisons, curves_of, statistics_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tools.reproduction.summary import Summary
    from ucbpe_app.study.records import Comparison

# Average regret and least regret after 100 queries, as Desautels' thesis (2014) prints them.
_THESIS = {"GP-UCB": (0.127, 0.029), "GP-BUCB": (0.143, 0.011), "SM-UCB": (0.148, 0.009)}


def regrets(summary: Summary) -> str:
    """Mean simple regret R_T^K / T of every policy on every problem."""
    return table(["problem", *summary.policies], _rows(summary, _mean_regret(summary)))


def simple_regret(summary: Summary) -> str:
    """Paired differences of R_T^K / T from the reference."""
    return _comparison(summary, "batch_cumulative_regret")


def best_regret(summary: Summary) -> str:
    """Paired differences of the best regret of the run from the reference."""
    return _comparison(summary, "running_minimum")


def every_pick(summary: Summary) -> str:
    """R_TK / (T K) of the reference, and paired differences from it."""
    reference, *rivals = summary.policies
    rows = [
        [
            problem,
            summary.statistic("mean_regret", problem, reference).text,
            *(paired(summary, problem, rival) for rival in rivals),
        ]
        for problem in summary.problems
    ]
    return table(["problem", *summary.policies], rows)


def paired(summary: Summary, problem: str, rival: str) -> str:
    """The difference of R_TK / (T K) from the reference's, with its sign."""
    found = summary.statistic(PAIRED, problem, rival)
    sign = "▼" if found.high < 0 else "▲" if found.low > 0 else "≈"
    plus = "+" if found.mean > 0 else ""
    return f"{sign} {plus}{found.text}"


def found(summary: Summary) -> str:
    """In how many replicates a run measured the maximum."""
    rows = _rows(summary, lambda *cell: measured(summary, *cell))
    return table(["problem", *summary.policies], rows)


def measured(summary: Summary, problem: str, policy: str) -> str:
    """In how many replicates of one cell a run measured the maximum."""
    share = summary.statistic(FOUND, problem, policy)
    return f"{round(share.mean * share.n)} of {share.n}"


def seconds(summary: Summary) -> str:
    """Milliseconds per batch of every policy, and as a multiple of the reference's."""
    reference = summary.policies[0]

    def cell(problem: str, policy: str) -> str:
        spent = summary.statistic("seconds_per_batch", problem, policy).mean
        base = summary.statistic("seconds_per_batch", problem, reference).mean
        return f"{number(1000 * spent)} ms ({number(spent / base)}×)"

    return table(["problem", *summary.policies], _rows(summary, cell))


def initialization(summary: Summary) -> str:
    """When GP-BUCB's initialisation ends, and which C ends it where the paper sees it end."""
    rows = []
    for problem, batches in ENDS.items():
        low = summary.statistic(f"least C that ends by {batches}", problem, "GP-BUCB")
        high = summary.statistic(f"greatest C that lasts {batches}", problem, "GP-BUCB")
        ends = [
            summary.statistic("initialization", problem, policy).text
            for policy in summary.policies[1:]
        ]
        rows.append([problem, str(batches), f"{number(low.mean)} to {number(high.mean)}", *ends])
    after = [f"batches with {policy.split(', ')[-1]}" for policy in summary.policies[1:]]
    return table(["problem", "paper: batches", "C that gives this", *after], rows)


def around_the_end(summary: Summary) -> str:
    """Mean simple regret in the ten batches before and after initialisation ends."""
    rows = []
    for problem, policy in zip(ENDS, summary.policies[1:], strict=True):
        end = round(summary.statistic("initialization", problem, policy).mean)
        mean = summary.curve("simple_regret", problem, policy).mean
        before, after = mean[max(end - 10, 0) : end].mean(), mean[end : end + 10].mean()
        row = [problem, policy.split(", ")[-1], str(end), number(before), number(after)]
        rows.append(row)
    heads = ["problem", "GP-BUCB", "mean last batch of initialisation"]
    return table([*heads, "r over the 10 batches before", "over those after"], rows)


def batch_sizes(summary: Summary) -> str:
    """R_T^K / T for every K, and the exponent of K."""
    rows = [
        [*row, summary.statistic("exponent of R_T^K", row[0], "K").text]
        for row in _rows(summary, _mean_regret(summary))
    ]
    return table(["problem", *summary.policies, "exponent of K"], rows)


def anchor(summary: Summary) -> str:
    """Average and least regret after 100 queries, beside the thesis."""
    rows = []
    for policy in summary.policies:
        cells = []
        for problem in summary.problems:
            average = summary.statistic("mean_regret", problem, policy)
            least = summary.statistic("final_running_minimum", problem, policy)
            cells += [average.text, least.text]
        thesis = [str(x) for x in _THESIS.get(policy.split(",")[0], ("", ""))]
        rows.append([policy, *thesis, *cells])
    heads = [
        f"{problem.split(', ')[-1]}: {what}"
        for problem in summary.problems
        for what in ("average", "least")
    ]
    return table(["policy", "thesis: average", "thesis: least", *heads], rows)


def cost(summaries: Mapping[str, Summary]) -> str:
    """Runs, failures and the seconds that the runs took, for each study."""
    rows = []
    for name, summary in summaries.items():
        study = paper.STUDIES[name]()
        records = statistics_of(summary.statistics)
        spent = [one for one in records if one.statistic == "seconds_per_batch"]
        batches = {plan.label: plan.batches or study.batches for plan in study.policies}
        total = sum(one.mean * one.n * batches[one.policy] for one in spent)
        runs, failed = sum(one.n for one in spent), sum(one.failed for one in spent)
        rows.append([study.name, str(runs), str(failed), f"{total / 60:.1f} min"])
    return table(["study", "runs", "failed", "time in runs"], rows)


TABLES: dict[str, Callable[[Summary], str]] = {
    made.__name__: made
    for made in (
        regrets,
        simple_regret,
        best_regret,
        every_pick,
        found,
        seconds,
        initialization,
        around_the_end,
        batch_sizes,
        anchor,
    )
}


def beside(summary: Summary, quantity: str) -> dict[tuple[str, str], Comparison]:
    """Every rival beside the reference at the end of the study, by problem and label."""
    found = comparisons(curves_of(summary.curves), curves_of(summary.differences))
    return {(one.problem, one.policy): one for one in found if one.statistic == quantity}


def _comparison(summary: Summary, quantity: str) -> str:
    found, rivals = beside(summary, quantity), summary.policies[1:]
    rows = []
    for problem in summary.problems:
        others = [found[problem, rival] for rival in rivals]
        rows.append(
            [problem, number(others[0].base), *(f"{one.sign} {one.text}" for one in others)]
        )
    return table(["problem", summary.policies[0], *rivals], rows)


def _mean_regret(summary: Summary) -> Callable[[str, str], str]:
    return lambda *cell: summary.statistic("mean_simple_regret", *cell).text


def _rows(summary: Summary, cell: Callable[[str, str], str]) -> list[list[str]]:
    """A row for each problem: its label, and the cell of each policy."""
    return [
        [problem, *(cell(problem, policy) for policy in summary.policies)]
        for problem in summary.problems
    ]


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """In Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
