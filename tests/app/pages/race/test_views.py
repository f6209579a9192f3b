"""The pictures of a race: whose numbers they draw, what a step changes, and what it builds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from html import unescape
from re import findall

import numpy as np
import pytest
from bokeh.models import Plot

from ucbpe_app.links import decode, usual
from ucbpe_app.pages.race.measures import Measure, leaders
from ucbpe_app.pages.race.race import Race, run_race
from ucbpe_app.pages.race.setup import Setup, race_of
from ucbpe_app.pages.race.views import Cards, JointRegretView, MultiplesView, TableView
from ucbpe_app.pages.race.views.marks import CONFIGURATIONS
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.settings import RunSpec
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
    return picture.rendered.figures[0] if isinstance(picture, PictureView) else picture.figure


def drawn(picture: PictureView) -> dict[str, dict[str, list[str]]]:
    """All that a picture's figure holds, as text, where nan equals nan."""
    return {
        f"{place}": {name: [str(v) for v in column] for name, column in
                     renderer.data_source.data.items()}
        for place, renderer in enumerate(figure_of(picture).renderers)
    }  # fmt: skip


def shown(race: Race, i: int) -> MultiplesView:
    view = MultiplesView()
    view.load(race)
    view.update(i)
    return view


def test_the_kind_of_the_pictures_follows_the_inputs(
    by_iterations: Race, field: Race, plane: Race
) -> None:
    view = MultiplesView()
    for race, kind in (
        (by_iterations, PictureView),
        (field, PictureView),
        (plane, PictureView),
        (by_iterations, PictureView),
    ):
        view.load(race)
        view.update(2)
        assert [type(picture) for picture in view.pictures] == [kind] * 4
        assert len(view._grid.objects) == 4


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
    assert len(ranges) == 1  # so that bands compare


def test_curves_share_ranges_that_hold_all_but_a_far_wider_band(by_iterations: Race) -> None:
    view = shown(by_iterations, 1)
    shared = figure_of(view.pictures[0]).y_range
    multiples = [runner.state(1).frame.sqrt_beta for runner in by_iterations.runners]
    assert multiples[2] > 2 * min(multiples)  # GP-BUCB
    for runner in by_iterations.runners:
        frame = runner.state(1).frame
        half = min(frame.sqrt_beta, 2 * min(multiples)) * frame.std
        assert shared.start < (frame.mean - half).min()
        assert shared.end > (frame.mean + half).max()
        assert shared.start < min(runner.scene.truth.min(), frame.observed_y.min())
        assert shared.end > max(runner.scene.truth.max(), frame.observed_y.max())
    widest = by_iterations.runners[2].state(1).frame
    assert widest.upper.max() > shared.end


def marks_of(picture: PictureView) -> dict[str, dict[str, np.ndarray]]:
    assert isinstance(picture, PictureView)
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
        outlined = "outline_small" in marks and len(marks["outline_small"]["x"]) > 0
        assert outlined == (runner.label == "GP-UCB-PE" and not decision.region_plus.all())
    assert len(marks_of(view.pictures[0])["outline_small"]["x"])
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


@pytest.mark.parametrize("name", ["by_evaluations", "field", "plane"])
def test_forward_and_back_draws_the_same_and_builds_nothing(
    name: str, request: pytest.FixtureRequest, count_models: Callable[[], list[str]]
) -> None:
    race: Race = request.getfixturevalue(name)
    view, regret = shown(race, 0), JointRegretView()
    regret.load(race)
    regret.update(0)
    steps, forward = range(0, len(race.places), 3), []
    built = count_models()
    for i in steps:
        view.update(i)
        regret.update(i)
        forward.append([drawn(picture) for picture in view.pictures])
    for i, before in zip(reversed(steps), reversed(forward), strict=True):
        view.update(i)
        assert [drawn(picture) for picture in view.pictures] == before
    view.show(Layers(truth=False))
    regret.measure(Measure.EVERY)
    assert built == []


def test_the_truth_can_be_hidden(by_iterations: Race, field: Race) -> None:
    for race, word in ((by_iterations, "true f"), (field, "maximum of f")):
        view = shown(race, 1)
        assert word in view._legend.object
        view.show(Layers(truth=False))
        assert word not in view._legend.object
        for picture in view.pictures:
            assert {"truth", "optimum"}.isdisjoint(marks_of(picture))
        view.load(race)  # another race keeps the choice
        assert word not in view._legend.object


@pytest.mark.parametrize("inputs", [2, 3])
def test_a_cost_has_a_minimum(inputs: int, setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    """The square is where f is least, and the legend says so."""
    X = np.stack(np.meshgrid(*[np.linspace(0, 1, 5)] * inputs), -1).reshape(-1, inputs)
    cost = replace(from_table(X, X.sum(axis=1)), direction="minimize")
    monkeypatch.setattr("ucbpe_app.run.settings.problem_of", lambda _: cost)
    one = replace(setup.configurations[0].settings, seed=7, batches=2)
    view = shown(run_race(race_of(one)), 1)
    assert "minimum of f" in view._legend.object
    assert "maximum of f" not in view._legend.object
    if inputs == 2:
        assert marks_of(view.pictures[0])["optimum"]["x"].tolist() == [0.0]


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
    best = race.runners[1].replay.trace.running_minimum[1]
    assert f"2 batches of 4 · regret {best:.3g}" in heading
    assert "1 batch of 4" in shown(race, 1).headings[1].object
    assert "no batch yet" in shown(race, 0).headings[1].object


def test_configurations_differ_by_colour_dash_and_marker() -> None:
    for part in ("color", "dash", "marker"):
        assert len({getattr(mark, part) for mark in CONFIGURATIONS}) == len(CONFIGURATIONS) == 4


def test_the_table_has_the_final_numbers_and_stars_what_compares(
    by_iterations: Race, by_evaluations: Race
) -> None:
    for race in (by_iterations, by_evaluations):
        view = TableView()
        view.load(race)
        html = view.__panel__().object
        rows = html.split("<tr>")[2:]
        last = len(race.places) - 1
        columns = (Measure.BEST, Measure.CUMULATIVE, Measure.EVERY)
        for runner, row in zip(race.runners, rows, strict=True):
            trace = runner.replay.trace
            n = len(trace.decisions)
            assert f"{n} × {runner.batch_size} = {n * runner.batch_size}</td>" in row
            cells = findall(r"<td[^>]*>(.*?)</td>", row)[1:]
            finals = (trace.running_minimum, trace.batch_cumulative_regret,
                      trace.full_cumulative_regret)  # fmt: skip
            for measure, final, cell in zip(columns, finals, cells, strict=True):
                assert cell.endswith(f"{final[-1]:.3g}".replace("-", "−"))
                assert ("★" in cell) == (runner in leaders(race, last, measure))
        # R_T^K has a star where all made T batches, R_TK where all made as many picks.
        assert html.count("★") > 2
        starred = {c for row in rows for c, cell in enumerate(row.split("<td")[2:]) if "★" in cell}
        assert starred == ({0, 1} if race is by_iterations else {0, 2})


def test_a_name_cannot_be_markup_anywhere(setup) -> None:
    race = run_race(setup.changing(0, replace(setup.configurations[0], label="<img src=x>")))
    table = TableView()
    table.load(race)
    html = table.__panel__().object
    assert "<img" not in html
    assert "&lt;img src=x&gt;" in html


def test_cards_tell_what_a_button_asks_for() -> None:
    calls: list[tuple[str, int]] = []
    cards = Cards(lambda action, place: calls.append((action, place)))
    cards.load([("A", "one", "K = 1"), ("B", "two", "K = 2")], 1)
    assert [card["label"] for card in cards.cards] == ["one", "two"]
    assert cards.chosen == 1
    for message in (
        {"action": "duplicate", "place": 1},
        {"action": "remove", "place": 2},  # of a card that has gone meanwhile
        {"action": "format", "place": 0},
        {"action": "add", "place": 0},
    ):
        cards._handle_msg(message)
    assert calls == [("duplicate", 1), ("add", 0)]


def test_the_strip_is_the_region_of_the_last_batch(by_iterations: Race) -> None:
    view = MultiplesView()
    view.load(by_iterations)
    for i in range(1, 7):
        view.update(i)
        for picture, state in zip(view.pictures, by_iterations.states(i), strict=True):
            plot, plus = picture.picture.plots["small"], state.decision.region_plus
            strips = [one.columns for one in plot.marks if one.role == "allowed"]
            assert bool(strips) == (plus is not None)
            for strip in strips:
                x = picture._scene.candidates[:, 0]
                ends = zip(strip["left"], strip["right"], strict=True)
                inside = np.any([(x > a) & (x < b) for a, b in ends], axis=0)
                np.testing.assert_array_equal(inside, plus)
    assert "R⁺ of the last batch" in view._legend.object
