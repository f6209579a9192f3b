"""A race is run in the background: progress, superseding, and what a link cannot have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ucbpe_app.pages.race.link import RaceMoment
from ucbpe_app.pages.race.running import MultiRunJob, restore_race, run_race
from ucbpe_app.pages.race.setup import Configuration, Setup, Unit
from ucbpe_app.run.cache import load
from ucbpe_app.run.settings import RunSpec
from ucbpe_app.tasks.job import Superseded
from ucbpe_core import UCBPEError


def of(spec: RunSpec, *changes: dict[str, object]) -> Setup:
    return Setup(tuple(Configuration(replace(spec, **one)) for one in changes))


def test_the_runs_are_those_of_the_step_page(setup: Setup) -> None:
    race = run_race(setup)
    for runner, settings in zip(race.runners, setup.runs(), strict=True):
        assert runner.settings == settings
        assert runner.replay is load(settings)


def test_the_share_grows_over_all_runs(spec: RunSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    shares = list[float]()

    class Told(MultiRunJob):
        def progress(self, done: int, total: int) -> None:
            super().progress(done, total)
            shares.append(self.share)

    new = replace(spec, seed=801, batches=5)
    run_race(of(new, {}, {"policy": "GreedyUCB"}), Told())
    assert shares == sorted(shares)
    assert shares[:3] == [0.1, 0.2, pytest.approx(0.3)]
    assert shares[-1] == 1.0
    assert 0.5 in shares


def test_a_stopped_race_ends_even_between_cached_runs(setup: Setup) -> None:
    run_race(setup)
    job = MultiRunJob()
    job.stop()
    with pytest.raises(Superseded):
        run_race(setup, job)


def test_a_moment_that_can_be_had_is_kept(setup: Setup) -> None:
    digest = run_race(setup).digest
    moment = RaceMoment(setup, 4, digest=digest[:16])
    kept, race, errors = restore_race(moment)
    assert (kept, errors) == (moment, ())
    assert race.digest == digest


def test_where_the_race_is_not_that_of_its_link(setup: Setup) -> None:
    _, _, errors = restore_race(RaceMoment(setup, 7, digest="0" * 16))
    assert [error.got for error in errors] == ["7", f"race {run_race(setup).digest[:16]}"]
    assert errors[0].expected == "at to be at most 6, where this race ends"


def test_a_configuration_at_fault_gets_a_usual_setting(spec: RunSpec) -> None:
    """GP-BUCB cannot be initialised without noise; the others keep all of theirs."""
    setup = of(spec, {"scale": 0.3}, {"policy": "GP-BUCB", "noise_variance": 0.0}, {"seed": 1})
    with pytest.raises(UCBPEError):
        run_race(setup)
    moment, race, errors = restore_race(RaceMoment(setup))
    assert len(errors) == 1
    assert errors[0].got.endswith("of configuration B")
    first, second, third = moment.setup.configurations
    assert (first, third) == (setup.configurations[0], setup.configurations[2])
    assert second.settings != setup.configurations[1].settings
    assert len(race.runners) == 3


def test_what_the_first_run_cannot_have_no_run_has(spec: RunSpec) -> None:
    """More initial points than candidates: all take the usual number."""
    setup = of(replace(spec, initial=500), {}, {"policy": "GreedyUCB"}, {"policy": "GP-UCB"})
    moment, race, errors = restore_race(RaceMoment(setup))
    assert [error.got for error in errors] == ["initial=500 of configuration A"]
    used = moment.setup.common["initial"]
    assert used < 500
    assert {runner.replay.trace.initial for runner in race.runners} == {used}


def test_a_repeated_fault_leaves_the_unit_alone(spec: RunSpec) -> None:
    setup = replace(
        of(spec, {}, {"policy": "GP-BUCB", "noise_variance": 0.0}), unit=Unit.EVALUATIONS
    )
    moment, race, _ = restore_race(RaceMoment(setup))
    assert moment.setup.unit is race.setup.unit is Unit.EVALUATIONS
