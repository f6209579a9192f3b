"""The layer "May I stop?": the bracket, its curve, and its words say what the core proves."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.pictures.field import FIELD
from ucbpe_app.pictures.picture import Mark, Plot, Request
from ucbpe_app.pictures.regret import SIMPLE
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_app.widgets.algorithm import AlgorithmView
from ucbpe_core import GPUCBPE, FiniteBeta, problems, simulate, theory

ON = Request(layers=Layers(stop=True))


def run(sign: int) -> Replay:
    """Of the tight band in which the thin peak is missed, or the same upside down."""
    problem = problems.thin_peak()
    if sign < 0:
        problem = replace(problem, direction="minimize", values=-problem.values)
    options = {"beta": FiniteBeta(scale=0.2), "batches": 6, "initial": 3, "seed": 0}
    return Replay(simulate(problem, GPUCBPE(3), **options))


def marks(plot: Plot) -> dict[str, Mark]:
    return {one.role: one for one in plot.marks}


@pytest.mark.parametrize("sign", [1, -1])
def test_bracket_curve_and_words(sign: int) -> None:
    replay = run(sign)
    pairs, view = theory.certificates(replay.trace), AlgorithmView()
    view.show(ON.layers)
    for i, event in enumerate(replay.events):
        frame, (found, true) = replay.frame(i), pairs[event.t - 1]
        plot = CURVE.draw(replay.scene, frame, ON).plots["function"]
        view.update(frame)
        told = "by at most" in view.reason.object
        if event.kind is Kind.OBSERVE:
            assert "bracket" not in marks(plot)
            assert not told
            continue
        ends = [found.bound, found.bound, found.extreme, found.extreme]
        np.testing.assert_array_equal(marks(plot)["bracket"].columns["y"], ends)
        assert plot.x.high > marks(plot)["bracket"].columns["x"].max() > 1.0
        (name,) = (one.text for one in plot.labels if one.role == "bracket")
        most = float(name.removeprefix("at most ").removesuffix(" to gain"))
        assert found.regret <= most < 1.01 * found.regret
        assert told
        shown = SIMPLE.draw(replay.scene, frame, ON)
        regret = marks(shown.plots["simple"])
        bounds = [one.regret for one, _ in pairs[: event.t]]
        assert regret["stop"].columns["y"].tolist() == bounds
        assert regret["stop_true"].columns["y"][-1] == true
        assert shown.plots["simple"].y.high > max(bounds)
        assert "in truth" in shown.text


@pytest.mark.parametrize("sign", [1, -1])
def test_in_a_map_the_point_is_marked_with_its_interval(sign: int) -> None:
    problem = problems.himmelblau()
    if sign < 0:
        problem = replace(problem, direction="minimize", values=-problem.values)
    options = {"beta": FiniteBeta(scale=0.2), "batches": 3, "initial": 9, "seed": 0}
    replay = Replay(simulate(problem, GPUCBPE(3), **options))
    for i, (found, _) in zip((0, 6, 12), theory.certificates(replay.trace), strict=True):
        plot = FIELD.draw(replay.scene, replay.frame(i), ON).plots["map"]
        at = marks(plot)["bracket_over"].columns
        assert [at["x"][0], at["y"][0]] == problem.candidates[found.index].tolist()
        name = marks(plot)["bracket_name"].columns["text"][0]
        gain = float(re.fullmatch(r"at most (\S+) to gain", name)[1])  # type: ignore[index]
        note = next(one.text for one in plot.labels if one.place == "note")
        here, anywhere = (float(one.replace("−", "-")) for one in re.findall(r"[≥≤] (\S+) ", note))
        # Rounded outwards: no number on screen says more than what is proved.
        assert sign * here <= sign * found.bound
        assert sign * anywhere >= sign * found.extreme
        assert gain >= found.regret
        assert [here, anywhere, gain] == pytest.approx([*found[1:]], rel=0.02)
    off = FIELD.draw(replay.scene, replay.frame(0), Request()).plots["map"]
    assert not {"bracket_over", "bracket_name"} & set(marks(off))


def test_off_there_is_nothing_of_it() -> None:
    replay = run(1)
    frame = replay.frame(replay.batch_start(2))
    assert frame.event == Event(2, Kind.POSTERIOR)
    for kind, name in ((CURVE, "function"), (SIMPLE, "simple")):
        drawn = marks(kind.draw(replay.scene, frame, Request()).plots[name])
        assert not {"bracket", "stop", "stop_true"} & set(drawn)
    view = AlgorithmView()
    view.update(frame)
    assert "by at most" not in view.reason.object
