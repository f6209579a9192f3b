"""The regrets by which policies are compared, on every page that compares."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Measure(StrEnum):
    """Which regret, as links name it; each is better the lower it is. In units of f, on true f."""

    BEST = "best"
    BATCH = "batch"
    CUMULATIVE = "cumulative"
    EVERY = "every"


class Regret(NamedTuple):
    """A regret: its curve of a `Trace`, also in `QUANTITIES`; its tab, and the title, HTML."""

    quantity: str
    name: str
    title: str


REGRETS = {
    Measure.BEST: Regret("running_minimum", "best so far", "Regret, best so far"),
    Measure.BATCH: Regret(
        "simple_regret", "per batch", "Regret <i>r</i><sub>t</sub><sup>K</sup>, best of the batch"
    ),
    Measure.CUMULATIVE: Regret(
        "batch_cumulative_regret",
        "cumulative",
        "Cumulative <i>R</i><sub>t</sub><sup>K</sup>, best of each batch",
    ),
    Measure.EVERY: Regret(
        "full_cumulative_regret", "every pick", "Cumulative <i>R</i><sub>tK</sub>, every pick"
    ),
}
