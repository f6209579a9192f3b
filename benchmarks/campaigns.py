"""A campaign left to its defaults: ten kinds of tables and ranges, beside `minimize`.

Each campaign has settings of one to six inputs, an unknown function of them (three bumps and a
slope, drawn from the seed), noise, a scale, an offset and a direction. It is run with all defaults:
by `Experiment` in Python, through the state of the page *Your problem*, and by `minimize` over the
same settings, with as many evaluations. Regret is that of the best setting measured, by the
function without noise, as a share of its range. Beside it stand the batches that were nothing but
repeats, and how often the certificate was right where it was shown: that the row it names is no
further from the best one than it says.

Runs are kept, a line of JSON each, and only those that are missing are made.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ucbpe_app.problem.experiment import ExperimentState
from ucbpe_app.problem.frame import certificate_of, check_of
from ucbpe_app.problem.sentences import certifies
from ucbpe_core import Experiment, minimize
from ucbpe_core.errors import NothingLeftError
from ucbpe_core.search.experiment import Design, Plan, Table
from ucbpe_core.spaces import Category, Integer, Real, Space

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.support.validation import Floats

ROOT = Path(__file__).resolve().parents[1]
K, BATCHES = 4, 6  # batches of `minimize` after its first points; the others have the same budget
FRONTS = ("Python", "page", "minimize")


@dataclass(frozen=True)
class Campaign:
    """What is measured: the inputs, the noise as a share of the range of f, and the units of y."""

    name: str
    inputs: tuple[Real | Integer | Category, ...]
    noise: float = 0.0
    scale: float = 1.0
    offset: float = 0.0
    minimise: bool = False

    @cached_property
    def space(self) -> Space:
        """The settings."""
        return Space(self.inputs, tuple(f"x{i + 1}" for i in range(len(self.inputs))), named=True)

    @cached_property
    def table(self) -> Table:
        """All of them, as rows."""
        design = Design(self.space.names, self.inputs, most=20_000)
        table = Table.of(design, output="y")
        assert len(table) == self.space.size
        return table

    @property
    def evaluations(self) -> int:
        """How many every front has."""
        return 4 * len(self.inputs) + 4 + BATCHES * K

    def function(self, seed: int) -> Callable[[Floats], Floats]:
        """f at coordinates (m, D), in units of y: as a share of its range over all settings."""
        rng = np.random.default_rng([seed, len(self.name)])
        X, extent = self.table.candidates, np.ptp(self.table.candidates, axis=0)
        low, d = X.min(axis=0), len(self.inputs)
        centres = rng.uniform(0.1, 0.9, (3, X.shape[1]))
        widths = rng.uniform(0.12, 0.35, (3, 1)) * np.sqrt(d)
        heights, slope = rng.uniform(0.5, 1.0, 3), 0.3 * rng.standard_normal(X.shape[1])

        def raw(at: Floats) -> Floats:
            U = (at - low) / extent
            squares = (((U[:, None] - centres) / widths) ** 2).sum(axis=2)
            bumps: Floats = np.exp(-squares) @ heights + U @ slope / d
            return bumps

        values = raw(X)
        least, span = float(values.min()), float(np.ptp(values))

        def f(at: Floats) -> Floats:
            share = (raw(at) - least) / span
            return self.scale * (self.offset + (1 - share if self.minimise else share))

        return f


def real(low: float, high: float, levels: int) -> Real:
    """A range of so many equal steps."""
    return Real(low, high, step=(high - low) / (levels - 1))


_ABC = Category(("a", "b", "c"))
CAMPAIGNS = {
    one.name: one
    for one in (
        Campaign("1 input", (real(20, 80, 61),), noise=0.02),
        Campaign("2 inputs, 84 rows", (real(20, 75, 12), real(1, 7, 7))),
        Campaign("2 inputs, tiny y", (real(0, 1, 21), real(0, 500, 21)), 0.05, 1e-6, minimise=True),
        Campaign("2 and a category", (real(20, 80, 13), real(1, 9, 9), _ABC), 0.1),
        Campaign("3 inputs, huge y", (real(0, 1, 11),) * 3, scale=1e6),
        Campaign("3 inputs, offset", (Integer(1, 12), *(real(0, 1, 11),) * 2), 0.1, 1.0, 1e3),
        Campaign("4 inputs", (real(0, 10, 8),) * 4, scale=1e3, minimise=True),
        Campaign("3 and a category", (*(real(0, 10, 11),) * 3, _ABC), 0.3),
        Campaign("5 inputs", (real(-1, 1, 6),) * 5, 0.1, minimise=True),
        Campaign("6 inputs, offset", (real(0, 1, 5),) * 6, 0.0, 1.0, 1e3),
    )
}  # fmt: skip


@dataclass
class Record:
    """What is counted in a run."""

    regret: float = 1.0
    repeated: int = 0
    batches: int = 0
    shown: int = 0
    right: int = 0

    def looked(self, experiment: Experiment, f: Floats, best: float) -> None:
        """The certificate as the page has it, once the results of a batch are in."""
        if certifies(check_of(experiment).verdict):
            found = certificate_of(experiment)
            self.shown += 1
            self.right += bool(abs(best - f[found.index]) <= found.regret)


def searched(campaign: Campaign, seed: int, experiment: Experiment, ask: Any, tell: Any) -> Record:
    """A campaign of an experiment: `ask` and `tell` take its steps."""
    f = campaign.function(seed)(campaign.table.candidates)
    best = float(f.min() if campaign.minimise else f.max())
    rng, record, measured = np.random.default_rng([seed, 1]), Record(), set[int]()
    noise, left = campaign.noise * campaign.scale, campaign.evaluations
    while left > 0:
        try:
            experiment = ask(None if left >= K else left)
        except NothingLeftError:
            break
        rows = list(experiment.pending)[:left]
        record.batches += 1
        record.repeated += measured.issuperset(rows)
        experiment = tell(rows, f[rows] + noise * rng.standard_normal(len(rows)))
        measured.update(rows)
        left -= len(rows)
        record.looked(experiment, f, best)
    record.regret = float(np.abs(best - f[sorted(measured)]).min() / campaign.scale)
    return record


def in_python(campaign: Campaign, seed: int) -> Record:
    """By `Experiment`, all defaults but K."""
    direction = "minimize" if campaign.minimise else "maximize"
    plan = Plan.recommended(campaign.table.domain, K, direction)
    experiment = Experiment(campaign.table, plan)

    def ask(n: int | None) -> Experiment:
        experiment.ask(n)
        return experiment

    def tell(rows: list[int], y: Floats) -> Experiment:
        experiment.tell(rows, y)
        return experiment

    return searched(campaign, seed, experiment, ask, tell)


def on_the_page(campaign: Campaign, seed: int) -> Record:
    """Through the state of the page, as its buttons do."""
    with asyncio.Runner() as runner:
        state = ExperimentState()
        state.settings.accept(batch_size=K)
        goal = "Minimise" if campaign.minimise else "Maximise"
        runner.run(state.begin(campaign.table, "Campaign", goal))

        def ask(n: int | None) -> Experiment:
            runner.run(state.step(lambda experiment: experiment.ask(n)))
            return state.current

        def tell(rows: list[int], y: Floats) -> Experiment:
            runner.run(state.step(lambda experiment: experiment.tell(rows, y)))
            return state.current

        return searched(campaign, seed, state.current, ask, tell)


def by_minimize(campaign: Campaign, seed: int) -> Record:
    """By `minimize` over the same settings."""
    space, f, sign = campaign.space, campaign.function(seed), 1.0 if campaign.minimise else -1.0
    rng, noise = np.random.default_rng([seed, 1]), campaign.noise * campaign.scale
    found = list[float]()

    def cost(setting: dict[str, Any]) -> float:
        true = float(f(space.coordinates(space.read([setting])))[0])
        found.append(true)
        return sign * (true + noise * float(rng.standard_normal()))

    initial = campaign.evaluations - BATCHES * K
    options = {"batches": BATCHES, "batch_size": K, "initial": initial}
    minimize(cost, space, noise=noise > 0, seed=seed, **options)
    every = f(campaign.table.candidates)
    best = float(every.min() if campaign.minimise else every.max())
    regret = min(abs(best - true) for true in found[: campaign.evaluations]) / campaign.scale
    return Record(regret, batches=len(found))


RUNS = {"Python": in_python, "page": on_the_page, "minimize": by_minimize}


def kept(store: Path) -> list[dict[str, Any]]:
    """All runs in a file."""
    if not store.exists():
        return []
    return [json.loads(line) for line in store.read_text(encoding="utf-8").splitlines()]


def printed(runs: list[dict[str, Any]]) -> str:
    """The table: medians over the seeds, and counts."""
    head = "| campaign | median regret: Python | page | minimize | repeats | certificate right |"
    lines = [head, "|---|---|---|---|---|---|"]
    for name in CAMPAIGNS:
        own = {
            front: [r for r in runs if (r["campaign"], r["front"]) == (name, front)]
            for front in FRONTS
        }
        cells = [
            f"{np.median([r['regret'] for r in own[front]]):.3g}" if own[front] else ""
            for front in FRONTS
        ]
        ours = own["Python"] + own["page"]
        repeated, batches, shown, right = (
            sum(r[key] for r in ours) for key in ("repeated", "batches", "shown", "right")
        )
        cells += [f"{repeated} of {batches}", f"{right} of {shown}"]
        lines.append(f"| {name} ({max(map(len, own.values()))} seeds) | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Run what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=ROOT / "build" / "campaigns.jsonl")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--fronts", nargs="*", choices=FRONTS, default=list(FRONTS))
    parser.add_argument("--campaigns", nargs="*", choices=CAMPAIGNS, default=list(CAMPAIGNS))
    given = parser.parse_args()
    given.store.parent.mkdir(parents=True, exist_ok=True)
    done = {(run["campaign"], run["seed"], run["front"]) for run in kept(given.store)}
    warnings.simplefilter("ignore")
    for seed in range(given.first, given.seeds):
        for name in given.campaigns:
            for front in given.fronts:
                if (name, seed, front) in done:
                    continue
                began = time.process_time()
                record = RUNS[front](CAMPAIGNS[name], seed)
                run = {"campaign": name, "seed": seed, "front": front, **vars(record)}
                run["seconds"] = round(time.process_time() - began, 2)
                with given.store.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(run) + "\n")
    print(printed(kept(given.store)))


if __name__ == "__main__":
    main()
