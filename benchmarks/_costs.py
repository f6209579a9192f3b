"""The figures in README.md and docs/developers.md, written from the tables in `benchmarks/results`.

Each benchmark that keeps its table (`_table.Table.keep`) has both texts written again, so that text
and tables cannot differ. `tests/test_costs.py` checks that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
_BLOCK = re.compile(r"(<!-- costs: (\w+) -->\n).*?(<!-- /costs -->)", re.DOTALL)
_HEAD = "| what | measured (2 cores) |\n|---|---|\n"


class Cost(NamedTuple):
    """A row: the table that it is from, the section it is shown in, and how it is worded."""

    table: str
    section: str
    what: str
    text: Callable[[Results], str]
    readme: bool = False


class Results:
    """A kept table: its rows by column, and its figures."""

    def __init__(self, name: str) -> None:
        kept: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
        self.rows: list[dict[str, Any]] = kept["rows"]
        self.figures: dict[str, Any] = kept["figures"]

    def span(self, *columns: str, **only: object) -> str:
        """The least and the greatest value in `columns` of the rows that have `only`."""
        rows = [row for row in self.rows if all(row[key] == only[key] for key in only)]
        assert rows, f"no row of {self.rows} has {only}"
        values = [float(row[column]) for row in rows for column in columns]
        least, greatest = _shown(min(values)), _shown(max(values))
        return least if least == greatest else f"{least} to {greatest}"

    def starting(self, prefix: str, column: str) -> str:
        """The same of the rows whose case begins with `prefix`."""
        names = [row["case"] for row in self.rows if row["case"].startswith(prefix)]
        values = [float(row[column]) for row in self.rows if row["case"] in names]
        return f"{_shown(min(values))} to {_shown(max(values))}"

    def power(self, region: str) -> str:
        """M^a n^b K^c, by the exponents measured for this size of R+."""
        found = (self.figures[f"exponent in {one}, R+ {region}"] for one in "MnK")
        return " ".join(f"{one}^{value:.1f}" for one, value in zip("MnK", found, strict=True))


def _shown(value: float) -> str:
    """Two digits, and all of those before the decimal point."""
    return f"{value:,.0f}" if abs(value) >= 10 else f"{float(f'{value:.2g}'):g}"


_PEERS = {"M": 10_000, "n": 200, "K": 10}

COSTS = (
    Cost(
        "iteration",
        "library",
        "one iteration, ask and tell (M = 100,000, n = 300, K = 10), against K products `a @ V` on "
        "as many rows: R⁺ of 10 % or less / of everything",
        lambda r: f"{r.starting('R+ of 10', 'ratio')} / {r.starting('R+ is', 'ratio')} times",
    ),
    Cost(
        "iteration",
        "library",
        "growth of an iteration in M, n and K: R⁺ of a tenth or less / of everything",
        lambda r: f"{r.power('a tenth')} / {r.power('everything')}",
    ),
    Cost(
        "beside_peers",
        "library",
        "a batch of 10 from 10,000 candidates with 200 observations: scikit-learn, fitted again "
        "for each pick",
        lambda r: f"{r.span('scikit-learn', **_PEERS)} times as long",
        readme=True,
    ),
    Cost(
        "beside_peers",
        "library",
        "the same batch: BoTorch / a dense solve for each pick, the faster way that was found",
        lambda r: (
            f"{r.span('BoTorch', **_PEERS)} / {r.span('dense solve', **_PEERS)} times as long"
        ),
    ),
    Cost(
        "million",
        "library",
        "1,000,000 candidates: 200 observations / the first batch of 10 / the next",
        lambda r: (
            f"{r.span('200 observations, s')} / {r.span('first batch, s')} / "
            f"{r.span('second, s')} s, in {r.figures['greatest peak, GB']:.1f} GB at most"
        ),
    ),
    Cost(
        "fitting",
        "library",
        "a fit of 300 points with 8 lengthscales: scikit-learn, to the same likelihood",
        lambda r: f"{r.span('ratio')} times as long",
    ),
    Cost(
        "step_latency",
        "dashboard",
        "a step on the page, from the click to the picture, median / p95: one input; two",
        lambda r: _both(r, "page", ("1-D", "2-D"), "median, ms", "p95, ms"),
        readme=True,
    ),
    Cost(
        "step_latency",
        "dashboard",
        "its p95, against that of an empty callback's round trip and of a repaint of the same "
        "pictures from what the browser holds",
        lambda r: f"{r.span('ratio at p95')} times",
    ),
    Cost(
        "step_latency",
        "dashboard",
        "a step, CPU of the server",
        lambda r: f"{r.span('server CPU, ms')} ms",
    ),
    Cost(
        "drag_latency",
        "dashboard",
        "moving a slider, from the mouse or the key to the picture of the new run, median / p95: "
        "one input; two",
        lambda r: _both(r, "page", ("1-D", "2-D"), "median, ms", "p95, ms"),
    ),
    Cost(
        "drag_latency",
        "dashboard",
        "its p95, against that of a repaint of the same pictures",
        lambda r: f"{r.span('ratio at p95')} times",
    ),
    Cost(
        "drag_latency",
        "dashboard",
        "from the move to the whole run with its regret, median: one input; two",
        lambda r: "; ".join(r.span("whole run, ms", page=page) for page in ("1-D", "2-D")) + " ms",
    ),
    Cost(
        "load",
        "dashboard",
        "100 visitors who step every two seconds on two processes, against one visitor: p95",
        lambda r: f"{r.span('figure', what='p95 of all / p95 of one')} times",
    ),
)


def _both(r: Results, key: str, names: tuple[str, ...], *columns: str) -> str:
    """The spans of two columns, for each name."""
    spans = (" / ".join(r.span(column, **{key: name}) for column in columns) for name in names)
    return "; ".join(spans) + " ms"


def table(section: str) -> str:
    """The rows of a section, as Markdown: "library", "dashboard" or "readme"."""
    rows = (
        f"| {cost.what} | {cost.text(Results(cost.table))} |\n"
        for cost in COSTS
        if (cost.section == section or (section == "readme" and cost.readme))
        and (RESULTS / f"{cost.table}.json").is_file()  # measured at all
    )
    return _HEAD + "".join(rows)


def written(text: str) -> str:
    """A document with each of its blocks of costs made again."""
    return _BLOCK.sub(lambda block: block[1] + table(block[2]) + block[3], text)


def write() -> None:
    """Write the blocks in both documents."""
    for document in (ROOT / "README.md", ROOT / "docs" / "developers.md"):
        document.write_text(written(document.read_text(encoding="utf-8")), encoding="utf-8")
