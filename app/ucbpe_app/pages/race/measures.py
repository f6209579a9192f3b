"""The regrets by which a race is compared, and where two of them can be compared at all."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Scene
    from ucbpe_core.validation import Floats


class Measure(StrEnum):
    """Which regret; each is better the lower it is. All in units of f, on the true f."""

    BEST = "best"
    BATCH = "batch"
    CUMULATIVE = "cumulative"
    EVERY = "every"


@dataclass(frozen=True)
class MeasureText:
    """The words for a measure: the name of its choice, and for a sentence."""

    name: str
    sentence: str


WORDS = {
    Measure.BEST: MeasureText("Best so far", "best regret so far"),
    Measure.BATCH: MeasureText("Each batch", "regret of the last batch"),
    Measure.CUMULATIVE: MeasureText(
        "Cumulative, best of batch", "cumulative regret, best of each batch"
    ),
    Measure.EVERY: MeasureText("Cumulative, every pick", "cumulative regret, every pick"),
}


def regret(scene: Scene, measure: Measure) -> Floats:
    """The regret of a run after each batch, shape (T,)."""
    return {
        Measure.BEST: scene.running,
        Measure.BATCH: scene.simple,
        Measure.CUMULATIVE: scene.batch_cumulative,
        Measure.EVERY: scene.full_cumulative,
    }[measure]


def comparable(measure: Measure, progress: list[tuple[int, int]]) -> bool:
    """Whether a lower regret is a better one after these (batches, evaluations) of each run.

    Sums over batches can be compared after equally many batches, sums over picks after equally many
    picks.
    """
    if measure is Measure.CUMULATIVE:
        return len({batches for batches, _ in progress}) == 1
    if measure is Measure.EVERY:
        return len({evaluations for _, evaluations in progress}) == 1
    return True
