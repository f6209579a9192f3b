"""The regret of all configurations of a race in one chart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ucbpe_app.pictures.picture import Picture
from ucbpe_app.race.measures import leaders
from ucbpe_app.race.race import Race, run_race
from ucbpe_app.race.setup import Configuration, Setup
from ucbpe_app.race.views import regrets
from ucbpe_app.run.sentences import number
from ucbpe_app.run.settings import RunSpec
from ucbpe_app.widgets.comparing import Measure


def columns(picture: Picture, role: str) -> dict[str, Any]:
    """What is drawn of a role in the chart of all runs."""
    (found,) = [one for one in picture.plots["compared"].marks if one.role == role]
    return dict(found.columns)


def lines(picture: Picture) -> list[tuple[list[float], list[float]]]:
    """(x, y) of the line of each configuration, in order."""
    drawn = columns(picture, "lines")
    pairs = zip(drawn["xs"], drawn["ys"], strict=True)
    return [(list(x), list(y)) for x, y in pairs][::-1]  # the first is on top


def regret_at(picture: Picture, y: list[float]) -> list[float]:
    """The regrets at these heights; only the axis of a sum has its numbers as they are."""
    ticks = picture.plots["compared"].y.ticks
    zeros = [place for place, text in ticks if text == "0"]
    return [0.0 if one in zeros else 10.0**one for one in y] if ticks else y


@pytest.mark.parametrize("measure", [Measure.BATCH, Measure.CUMULATIVE, Measure.EVERY])
def test_what_is_measured_is_drawn_and_nothing_ahead(
    by_evaluations: Race, by_iterations: Race, measure: Measure
) -> None:
    for race in (by_evaluations, by_iterations):
        for i in (0, 1, 5, len(race.places) - 1):
            picture = regrets(race, i, measure)
            now = columns(picture, "now")
            assert (now["left"][0] + now["right"][0]) / 2 == race.places[i]
            for runner, (x, y) in zip(race.runners, lines(picture), strict=True):
                all_x, all_y = race.curve(runner, measure)
                n = race.done(runner, i)
                assert x == all_x[:n].tolist()
                np.testing.assert_allclose(regret_at(picture, y), all_y[:n], rtol=1e-12)


def test_the_best_so_far_is_held_until_the_next_batch(by_evaluations: Race) -> None:
    """Evaluated as a step function, the line has the best so far at every evaluation."""
    for i in range(1, len(by_evaluations.places)):
        picture = regrets(by_evaluations, i, Measure.BEST)
        for runner, (x, y) in zip(by_evaluations.runners, lines(picture), strict=True):
            done = by_evaluations.done(runner, i)
            if not done:
                assert (x, y) == ([], [])
                continue
            assert x[-1] == by_evaluations.places[i]
            y = regret_at(picture, y)
            assert y[-1] == pytest.approx(runner.replay.trace.best_so_far[done - 1])
            assert x[0] == runner.batch_size
            for n in range(int(x[0]), int(x[-1])):
                last = np.flatnonzero(np.array(x) <= n)[-1]
                best = runner.replay.trace.best_so_far[n // runner.batch_size - 1]
                assert y[last] == pytest.approx(best)


def test_marks_are_those_of_the_configurations_and_a_pointer_reads_them(
    by_iterations: Race,
) -> None:
    race, i = by_iterations, 4
    drawn = columns(regrets(race, i, Measure.BATCH), "marks")
    for runner, look in zip(race.runners, race.looks, strict=True):
        own = drawn["fill"] == look.mark.color
        assert set(drawn["marker"][own]) == {look.mark.marker}
        known = race.curve(runner, Measure.BATCH)[1][: race.done(runner, i)]
        told = [f"{runner.label}: {number(float(one))}" for one in known]
        assert [str(one) for one in drawn["tip"][own]] == told


def test_each_line_has_its_name_and_the_leader_stands_out(by_iterations: Race) -> None:
    race, i = by_iterations, 3
    labels = regrets(race, i, Measure.BEST).plots["compared"].labels
    first = leaders(race, i, Measure.BEST)
    for runner, label in zip(race.runners, labels, strict=True):
        best = runner.replay.trace.best_so_far[race.done(runner, i) - 1]
        assert label.text.endswith(f" {number(float(best))}")
        assert label.text.startswith((runner.label, runner.letter))
        assert label.strong == (runner in first)


def test_a_name_without_room_is_cut_after_a_word_unless_two_would_be_alike(
    setup: Setup, spec: RunSpec
) -> None:
    long = replace(spec, policy="Batched pure exploration", batches=2)
    race = run_race(replace(setup, configurations=(Configuration(spec), Configuration(long))))
    texts = [one.text for one in regrets(race, 1, Measure.BEST).plots["compared"].labels]
    assert [text.rsplit(" ", 1)[0] for text in texts] == ["GP-UCB-PE", "Batched pure…"]
    other = replace(long, batch_size=2)
    race = run_race(replace(setup, configurations=tuple(map(Configuration, (spec, long, other)))))
    texts = [one.text for one in regrets(race, 1, Measure.BEST).plots["compared"].labels]
    assert [text.rsplit(" ", 1)[0] for text in texts] == ["GP-UCB-PE", "B", "C"]
