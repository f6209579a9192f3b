"""Changes of settings, and of what is on screen, in words; and the run behind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ucbpe_app.run.cache import load
from ucbpe_app.run.changes import PinnedRun, apart, change, differences
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.settings import RunSpec, Settings

BASE = replace(Settings().spec(), batches=4)
WIDER = replace(BASE, scale=5.0)


def test_a_change_names_what_changes() -> None:
    assert differences(BASE, BASE) == ()
    other = replace(BASE, lengthscale=1.3, batch_size=10, policy="GreedyUCB")
    assert differences(BASE, other) == ("policy", "lengthscale", "batch_size")
    assert change(BASE, other) == "policy GP-UCB-PE → GreedyUCB, lengthscale 0.65 → 1.3, K 4 → 10"
    assert apart(BASE, other) == "policy = GP-UCB-PE, lengthscale = 0.65, K = 4"
    assert apart(BASE, BASE) == ""


def test_of_many_changes_the_first_are_named_and_a_problem_says_it_all() -> None:
    other = replace(BASE, policy="GP-UCB", nu=2.5, lengthscale=1.0, variance=3.0, seed=4)
    assert change(BASE, other).endswith("lengthscale 0.65 → 1 and 2 more")
    elsewhere = replace(other, problem="himmelblau")
    assert change(BASE, elsewhere) == "Multimodal curve, 1-D → Himmelblau, tilted, 2-D"
    assert apart(BASE, elsewhere) == "Multimodal curve, 1-D"


@pytest.mark.parametrize("name", BASE.__dict__)
def test_every_setting_has_a_name(name: str) -> None:
    old = getattr(BASE, name)
    new = "thin_peak" if name == "problem" else f"{old}!" if isinstance(old, str) else old + 1
    assert differences(BASE, replace(BASE, **{name: new})) == (name,)


@pytest.fixture(scope="module")
def runs() -> tuple[Replay, Replay]:
    return load(BASE), load(WIDER)


def test_a_run_that_has_ended_is_not_behind() -> None:
    short = load(replace(BASE, batches=1))
    assert PinnedRun(short, "").frame(Event(2, Kind.FIT)) is None


def test_the_run_behind_shows_the_same_event_or_the_one_before() -> None:
    pinned = PinnedRun(load(replace(BASE, batch_size=2)), "pinned: K = 2")
    assert pinned.frame(Event(2, Kind.PICK, 1)).event == Event(2, Kind.PICK, 1)
    assert pinned.frame(Event(2, Kind.PICK, 3)).event == Event(2, Kind.PICK, 1)
    assert pinned.frame(Event(2, Kind.OBSERVE)).event == Event(2, Kind.OBSERVE)


def spec_of(**changes: object) -> RunSpec:
    return replace(BASE, **changes)


def test_only_a_run_of_the_same_candidates_is_drawn(runs: tuple[Replay, Replay]) -> None:
    pinned = PinnedRun(runs[0], "")
    assert pinned.fits(runs[1].scene)
    assert not pinned.fits(load(spec_of(problem="thin_peak")).scene)
    scene = runs[1].scene
    assert not pinned.fits(replace(scene, candidates=scene.candidates + 1))
    assert not pinned.fits(replace(scene, candidates=np.zeros((481, 2))))
