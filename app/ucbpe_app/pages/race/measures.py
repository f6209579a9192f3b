"""The regrets by which a race is compared, and the race in words: who leads, what runs share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ucbpe_app.pages.race.setup import Unit
from ucbpe_app.run.choices import POLICIES, takes
from ucbpe_app.run.sentences import number

if TYPE_CHECKING:
    from ucbpe_app.pages.race.race import Race, RaceRun
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
    Measure.BEST: MeasureText("best so far", "best regret so far"),
    Measure.BATCH: MeasureText("per batch", "regret of the last batch"),
    Measure.CUMULATIVE: MeasureText("cumulative", "cumulative regret, best of each batch"),
    Measure.EVERY: MeasureText("every pick", "cumulative regret, every pick"),
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


def status(race: Race, i: int, measure: Measure) -> str:
    """Where we are and who leads, for the live region."""
    if i == 0:
        return "Before the first batch: all runs have the same initial points."
    reached = _reached(race, i, measure)
    said = ", ".join(
        f"{runner.label} {number(reached[runner]) if runner in reached else 'none yet'}"
        for runner in race.runners
    )
    where, words = _where(race, i), WORDS[measure].sentence
    if len(reached) == 1:
        return f"{where}: {said} ({words}). Only {next(iter(reached)).label} has results."
    return f"{where}: {said} ({words}). {_lead(race, leaders(race, i, measure))}"


def leaders(race: Race, i: int, measure: Measure) -> tuple[RaceRun, ...]:
    """The runs of least regret at place i; none where the regrets do not compare."""
    reached = _reached(race, i, measure)
    batches = {runner: race.done(runner, i) for runner in reached}
    if not comparable(measure, [(done, done * one.batch_size) for one, done in batches.items()]):
        return ()
    least = min(reached.values(), default=0.0)
    return tuple(runner for runner, value in reached.items() if value == least)


def shared(race: Race) -> str:
    """What all runs of the race have in common, and what they do not."""
    trace, setup = race.runners[0].replay.trace, race.setup
    count = trace.initial
    points = "1 initial point and its measurement" if count == 1 else (
        f"{count} initial points and their measurements" if count else "no initial point"
    )  # fmt: skip
    same = f"All runs share the function {trace.problem.name}, {points}"
    if trace.problem.noise_variance == 0:
        return f"{same}. Measurements have no noise.{_own_streams(race)}"
    noise = f"{same}, and the noise: pick k of batch t has the same noise in every run."
    if len({one.batch_size for one in setup.configurations}) > 1:
        noise += (
            " Where K differs, the n-th evaluations of two runs are different picks, with "
            "different noise of the same variance."
        )
    return noise + _own_streams(race)


def advice(race: Race, measure: Measure) -> str:
    """What to choose instead, where the curves of a measure do not compare; empty if they do."""
    last = len(race.places) - 1
    sizes = [(race.done(one, last), one.batch_size) for one in race.runners]
    progress = [(done, done * K) for done, K in sizes]
    if comparable(measure, progress):
        return ""
    if measure is Measure.CUMULATIVE:
        return (
            "Sums over different numbers of batches cannot be compared: "
            "compare at equal iterations, or choose every pick."
        )
    return (
        "Sums over different numbers of picks cannot be compared: "
        "compare at equal evaluations, or choose the best of each batch."
    )


def _where(race: Race, i: int) -> str:
    value = race.places[i]
    if race.setup.unit is Unit.ITERATIONS:
        return f"After batch {value} of {race.places[-1]}"
    return f"After {value} of {race.places[-1]} evaluations"


def _reached(race: Race, i: int, measure: Measure) -> dict[RaceRun, float]:
    """The regret of each run that has completed a batch."""
    return {
        runner: float(regret(runner.scene, measure)[done - 1])
        for runner in race.runners
        if (done := race.done(runner, i))
    }


def _lead(race: Race, first: tuple[RaceRun, ...]) -> str:
    if not first:
        return "These sums cannot be compared here."
    if len(first) == len(race.runners):
        return "All are equal."
    *others, last = (runner.label for runner in first)
    return f"{', '.join(others)} and {last} lead." if others else f"{last} leads."


def _own_streams(race: Race) -> str:
    drawing = {
        runner.settings.policy
        for runner in race.runners
        if takes(POLICIES[runner.settings.policy], "seed")
    }
    if not drawing:
        return ""
    *others, last = sorted(drawing)
    names = f"{', '.join(others)} and {last}" if others else last
    return f" Policies that draw random numbers ({names}) have their own streams."
