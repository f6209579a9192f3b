"""The pictures of a race: whose numbers they draw, what a step changes, and what it builds."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from re import findall

import numpy as np
import pytest
from bokeh.models import Plot

from ucbpe_app.links import decode, usual
from ucbpe_app.pictures.looks import POLICIES, policy_looks
from ucbpe_app.race.measures import ranked, rows
from ucbpe_app.race.race import Race, run_race
from ucbpe_app.race.setup import Setup, race_of
from ucbpe_app.race.views import Cards, MultiplesView, TableView, said
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences import number
from ucbpe_app.run.settings import RunSpec
from ucbpe_app.study.plan import decode_study
from ucbpe_core.problems import from_table


def course_of(problem: str, **changes: object) -> Race:
    short = replace(usual(problem), batch_size=4, batches=3, initial=5, seed=1, **changes)
    return run_race(race_of(short))


@pytest.fixture(scope="module")
def field() -> Race:
    return course_of("himmelblau", scale=0.2)


@pytest.fixture(scope="module")
def plane() -> Race:
    return course_of("mackey_glass")


def figure_of(picture: PictureView) -> Plot:
    return picture.rendered.figures[0]


def shown(race: Race, i: int) -> MultiplesView:
    view = MultiplesView()
    view.show(race, i)
    return view


def test_a_curve_is_the_frames(by_iterations: Race) -> None:
    view = shown(by_iterations, 2)
    ranges = set()
    for picture, runner in zip(view.pictures, by_iterations.runners, strict=True):
        frame, decision = runner.state(2).frame, runner.replay.trace.decisions[1]
        marks = {one.role: one.columns for one in picture.picture.plots["small"].marks}
        order = np.argsort(runner.scene.candidates[:, 0])
        np.testing.assert_array_equal(marks["mean"]["y"], frame.mean[order])
        x = runner.scene.candidates[decision.indices, 0]
        assert marks["picks"]["x"].tolist() == x.tolist()
        end = decision.n + len(decision.indices)
        assert marks["picks"]["y"].tolist() == runner.replay.trace.y[decision.n : end].tolist()
        ranges.add(picture.picture.plots["small"].y)
    assert len(ranges) == 2  # so that bands compare, but for that of GP-BUCB


def test_bands_share_an_axis_unless_one_is_far_wider(by_iterations: Race) -> None:
    """GP-BUCB's band is e² times as wide in stds: it has an axis that holds all of it."""
    view = shown(by_iterations, 1)
    frames = [runner.state(1).frame for runner in by_iterations.runners]
    axes = [picture.picture.plots["small"].y for picture in view.pictures]
    assert frames[2].sqrt_beta == pytest.approx(np.exp(2) * frames[1].sqrt_beta, rel=0.01)
    assert axes[0] == axes[1] == axes[3]
    for i, own in ((0, frames[0]), (1, frames[1]), (3, frames[3]), (2, frames[2])):
        assert axes[i].low < min(own.lower.min(), own.observed_y.min())
        assert axes[i].high > max(own.upper.max(), own.observed_y.max())
    assert axes[0].high < frames[2].upper.max() < axes[2].high
    assert [("own axis" in one.object) for one in view.headings] == [False, False, True, False]


def marks_of(picture: PictureView) -> dict[str, dict[str, np.ndarray]]:
    assert picture.picture is not None
    return {one.role: dict(one.columns) for one in picture.picture.plots["small"].marks}


def test_a_field_is_the_mean_with_picks_data_and_the_region_in_force(field: Race) -> None:
    view = shown(field, 2)
    scales = {picture.picture.plots["small"].colors for picture in view.pictures}
    means = [runner.scene.means for runner in field.runners]
    ends = min(low for low, _ in means), max(high for _, high in means)
    assert [(one.low, one.high) for one in scales] == [ends]
    assert len({figure_of(picture).x_range.id for picture in view.pictures}) == 1
    for picture, runner in zip(view.pictures, field.runners, strict=True):
        frame, scene, marks = runner.state(2).frame, runner.scene, marks_of(picture)
        image = marks["values"]["image"][0]
        np.testing.assert_array_equal(image.T.ravel(), frame.mean.astype(np.float32))
        decision = runner.replay.trace.decisions[1]
        picks = scene.candidates[decision.indices, 0].tolist()
        assert marks["picks_small"]["x"].tolist() == picks
        best = scene.candidates[np.argmax(scene.truth)]
        assert (marks["optimum"]["x"][0], marks["optimum"]["y"][0]) == tuple(best)
        narrowed = runner.label == "GP-UCB-PE" and not decision.region_plus.all()
        assert ("outline_small" in marks) == narrowed
    assert "outline_small" in marks_of(view.pictures[0])
    assert "R⁺" in view.headings[0].object
    assert "R⁺" not in view.headings[1].object


def test_a_plane_is_std_and_mean_with_the_picks_and_the_optimum(plane: Race) -> None:
    view = shown(plane, 3)
    plots = [picture.picture.plots["small"] for picture in view.pictures]
    for plot, runner in zip(plots, plane.runners, strict=True):
        frame, best = runner.state(3).frame, int(np.argmax(runner.scene.truth))
        columns = {one.role: one.columns for one in plot.marks}
        (picks,) = (one for role, one in columns.items() if role.startswith("picks"))
        indices = runner.replay.trace.decisions[2].indices
        np.testing.assert_array_equal(picks["x"], frame.std[indices])
        assert set(columns["optimum"]["x"]) == {frame.std[best]}
        assert set(columns["optimum"]["y"]) == {frame.mean[best]}
    assert [(one.x, one.y) for one in plots] == [(plots[0].x, plots[0].y)] * 4


def test_the_truth_can_be_hidden(by_iterations: Race, field: Race) -> None:
    for race in (by_iterations, field):
        view = shown(race, 1)
        view.choose(Layers(truth=False))
        for again in (False, True):  # another race keeps the choice
            if again:
                view.show(run_race(race.setup), 1)
            for picture in view.pictures:
                assert {"truth", "optimum"}.isdisjoint(marks_of(picture))


def test_a_cost_has_a_minimum(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    """The square is where f is least, and a regret is above it."""
    X = np.stack(np.meshgrid(*[np.linspace(0, 1, 5)] * 2), -1).reshape(-1, 2)
    cost = replace(from_table(X, X.sum(axis=1)), direction="minimize")
    monkeypatch.setattr("ucbpe_app.run.settings.problem_of", lambda _: cost)
    race = run_race(race_of(replace(setup.configurations[0].settings, seed=7, batches=2)))
    assert marks_of(shown(race, 1).pictures[0])["optimum"]["x"].tolist() == [0.0]
    assert "maximum" not in said(race, 1)
    assert "minimum" in said(race, 1)


def test_a_heading_names_escapes_and_links(setup, spec: RunSpec) -> None:
    named = replace(setup.configurations[1], label="<b>&wide")
    race = run_race(setup.changing(1, named))
    view = shown(race, 2)
    heading = view.headings[1].object
    assert "<b>&wide" not in heading
    assert "&lt;b&gt;&amp;wide" in heading
    (href,) = findall(r'href="([^"]*)"', heading)
    moment, errors = decode(unescape(href))
    assert errors == ()
    assert moment.settings == race.runners[1].settings
    assert (moment.event.t, moment.event.kind.value) == (2, "observe")


def test_shape_is_the_role_and_colour_the_policy(field: Race, by_iterations: Race) -> None:
    for race, role in ((field, "picks_small"), (by_iterations, "picks")):
        view = shown(race, 2)
        for picture, runner, look in zip(view.pictures, race.runners, race.looks, strict=True):
            drawn = marks_of(picture)[role]
            assert (
                set(drawn["fill"])
                == {look.mark.color}
                == {POLICIES[runner.settings.policy].mark.color}
            )
            assert set(drawn["marker"]) <= {"star", "diamond", "circle"}


def test_the_table_is_ranked_and_has_the_numbers_of_the_place(
    by_iterations: Race, by_evaluations: Race
) -> None:
    for race in (by_iterations, by_evaluations):
        view = TableView()
        for i in (0, 3, len(race.places) - 1):
            view.show(race, i)
            found = rows(race, i)
            bodies = view.numbers.object.split("<tbody>")[1].split("</tr>")[:-1]
            for body, place in zip(bodies, ranked(found), strict=True):
                row, cells = found[place], findall(r"<td>(.*?)</td>", body)
                assert f">{row.name}</b>" in body
                least = min((one.best for one in found if one.best is not None), default=None)
                wanted = "–" if row.best is None else number(row.best)
                leads = row.best is not None and row.best == least
                assert cells[0] == (f"<b>{wanted}</b>" if leads else wanted)
                assert cells[2] == ("–" if row.cumulative is None else number(row.cumulative))
            assert said(race, i) in unescape(view.verdict.object)
            assert "One run proves nothing" in view.verdict.object


def test_the_study_of_a_race_has_its_policies(by_iterations: Race) -> None:
    view = TableView()
    view.show(by_iterations, 2)
    (href,) = findall(r'href="([^"]*)"', view.verdict.object)
    spec = decode_study(unescape(href).removeprefix("?"))[0].settings
    wanted = {one.settings.policy for one in by_iterations.runners}
    assert (set(spec.policies), spec.problem, spec.batch_size) == (wanted, "multimodal", 4)


def test_cards_tell_which_is_pressed() -> None:
    calls: list[int | None] = []
    cards = Cards(calls.append)
    looks = policy_looks(["GP-UCB-PE", "GP-UCB"])
    cards.load([("A", "one", "K = 1", looks[0]), ("B", "<two>", "K = 2", looks[1])])
    assert [("one" in one["name"], "&lt;two" in one["name"]) for one in cards.cards] == [
        (True, False), (False, True),
    ]  # fmt: skip
    for place in (1, 2, None):  # the second of a card that has gone meanwhile
        cards.receive({"place": place})
    assert calls == [1, None]


def test_the_strip_is_the_region_of_the_last_batch(by_iterations: Race) -> None:
    view = MultiplesView()
    for i in range(1, 7):
        view.show(by_iterations, i)
        for picture, state in zip(view.pictures, by_iterations.states(i), strict=True):
            plot, plus = picture.picture.plots["small"], state.decision.region_plus
            strips = [one.columns for one in plot.marks if one.role == "allowed"]
            assert bool(strips) == (plus is not None)
            for strip in strips:
                x = picture._scene.candidates[:, 0]
                ends = zip(strip["left"], strip["right"], strict=True)
                inside = np.any([(x > a) & (x < b) for a, b in ends], axis=0)
                np.testing.assert_array_equal(inside, plus)
    assert "R⁺ along the lower edge" in view.title.object
