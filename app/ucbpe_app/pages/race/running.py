"""A race is run: one run after the other, off the event loop, from the cache where it can be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ucbpe_app.links import DIGEST_DIGITS, Moment, restore
from ucbpe_app.pages.race.race import Race
from ucbpe_app.pages.race.setup import COMMON, FEWEST, LETTERS, Configuration, Setup
from ucbpe_app.run.cache import load
from ucbpe_app.tasks.job import Job
from ucbpe_core import UCBPEError
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from ucbpe_app.pages.race.link import RaceMoment


class MultiRunJob(Job):
    """A job of several runs in sequence: `share` is that of all of them together."""

    def __init__(self) -> None:
        super().__init__()
        self._runs, self._finished = 1, 0

    def begin(self, runs: int) -> None:
        """Count from the first of so many runs."""
        self._runs, self._finished = runs, 0

    def finish(self) -> None:
        """Another run is done; leave if asked to stop."""
        self._finished += 1
        self.progress(0, 1)

    def progress(self, done: int, total: int) -> None:
        super().progress(self._finished * total + done, self._runs * total)


def run_race(setup: Setup, job: MultiRunJob | None = None) -> Race:
    """The runs of a race, in order. One thread is enough: other threads serve other visitors.

    Raises
    ------
    UCBPEError
        For settings that make no run, with the run's letter if it is not the first.
    Superseded
        If `job.stop()` was called meanwhile.
    """
    settings, job = setup.runs(), job or MultiRunJob()
    job.begin(len(settings))
    replays = []
    for one in settings:
        replays.append(load(one, job))
        job.finish()
    return Race(setup, settings, tuple(replays))


def restore_race(
    moment: RaceMoment, job: MultiRunJob | None = None
) -> tuple[RaceMoment, Race, tuple[InputError, ...]]:
    """The race of a moment, the moment as it can be shown, and where that differs from its link.

    Where a run cannot be made, one of its settings is taken as usual, if that is enough; if it is
    not, the configuration is left out.

    Raises
    ------
    UCBPEError
        If no race remains.
    Superseded
        If `job.stop()` was called meanwhile.
    """
    job, errors = job or MultiRunJob(), list[InputError]()
    try:
        race = run_race(moment.setup, job)
    except UCBPEError:
        moment = replace(moment, setup=_corrected(moment.setup, job, errors), digest="")
        race = run_race(moment.setup, job)
    return moment, race, (*errors, *_differences(moment, race))


def _corrected(setup: Setup, job: Job, errors: list[InputError]) -> Setup:
    """The race with usual settings for those at fault; what the first run needs, all have."""
    kept, common = list[Configuration](), setup.common
    for letter, one in zip(LETTERS, setup.configurations, strict=False):
        # GP-UCB has K = 1 whatever is set: a K that no run could have must not be refused.
        wanted = one.taking(**common, batch_size=one.batch_size).settings
        try:
            made, _, said = restore(Moment(wanted), job)
        except UCBPEError as error:
            refused, said = error, (_of(letter, error, f"configuration {letter} is left out"),)
        else:
            if not kept:
                common = {name: getattr(made.settings, name) for name in COMMON}
            kept.append(Configuration(made.settings, one.label).taking(**common))
            said = tuple(_of(letter, error, error.remedy) for error in said)
        errors.extend(said)
    if len(kept) < FEWEST:
        raise refused
    return Setup(tuple(kept), setup.unit)


def _of(letter: str, error: UCBPEError, remedy: str) -> InputError:
    return InputError(error.expected, f"{error.got} of configuration {letter}", remedy)


def _differences(moment: RaceMoment, race: Race) -> tuple[InputError, ...]:
    """Where the race does not have the place of a link, or is not the race of its digest."""
    said = list[InputError]()
    if moment.value > race.places[-1]:
        expected = f"at to be at most {race.places[-1]}, where this race ends"
        said.append(InputError(expected, str(moment.value), "the end is shown"))
    if not race.digest.startswith(moment.digest):
        got, wanted = race.digest[:DIGEST_DIGITS], moment.digest[:DIGEST_DIGITS]
        remedy = (
            "the link was edited, or made with another version or on another kind of machine; "
            "what is shown is what its settings give here"
        )
        said.append(InputError(f"race {wanted}", f"race {got}", remedy))
    return tuple(said)
