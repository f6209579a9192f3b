"""The inputs of a pick: the right numbers beside the right names, and where they lie."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from ucbpe_app.components.inputs import InputsView
from ucbpe_app.figures.marks import mark_of
from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences import coordinate
from ucbpe_core import GPUCBPE, problems, simulate

NAMES = ("length (mm)", "sex <M, F>", "weight (g)")


@pytest.fixture(scope="module")
def replay() -> Replay:
    rng = np.random.default_rng(0)
    table = problems.from_table(rng.normal(0, 50, (60, 3)), rng.random(60), noise_variance=0.0)
    table = replace(table, axes=(*NAMES, "age"))
    return Replay(simulate(table, GPUCBPE(batch_size=4), batches=3, initial=3, seed=0))


def loaded(replay: Replay) -> InputsView:
    view = InputsView()
    view.load(replay.scene)
    return view


def written(replay: Replay, index: int) -> list[str]:
    X = replay.scene.candidates
    values = zip(X[index].tolist(), np.ptp(X, axis=0).tolist(), strict=True)
    return [coordinate(x, extent, 4) for x, extent in values]


def rows(view: InputsView) -> list[tuple[str, str, str]]:
    found = re.findall(r"<tr><th[^>]*>(.*?)</th><td>(.*?)</td><td>(.*?)</td>", view.panel.object)
    return [(unescape(name), value, strip) for name, value, strip in found]


def test_a_row_per_input_with_the_name_and_the_value_of_the_pick(replay: Replay) -> None:
    view = loaded(replay)
    for i, event in enumerate(replay.events):
        frame = replay.frame(i)
        view.update(frame)
        assert [name for name, _, _ in rows(view)] == list(NAMES)
        values = [value for _, value, _ in rows(view)]
        if event.kind is Kind.FIT:
            assert "No pick yet" in view.panel.object
            assert values == [""] * 3
        else:
            pick = frame.subject
            assert values == written(replay, pick.index)
            assert f"candidate {pick.index}<" in view.panel.object


def test_ticks_lie_where_the_picks_do_in_the_range_of_the_candidates(replay: Replay) -> None:
    view, X = loaded(replay), replay.scene.candidates
    for i in range(len(replay.events)):
        frame = replay.frame(i)
        view.update(frame)
        for j, (_, _, strip) in enumerate(rows(view)):
            ticks = re.findall(r'<rect x="(.*?)%" class="(.*?)" fill="(.*?)"/>', strip)
            expected = {
                (
                    f"{100 * (pick.x[j] - X[:, j].min()) / (X[:, j].max() - X[:, j].min()):.4g}",
                    "lit" if pick.index == frame.subject.index else "tick",
                    mark_of(pick.role).color,
                )
                for pick in frame.picks
            }
            assert len(ticks) == len(frame.picks)
            assert set(ticks) == expected
            assert not ticks or ticks[-1][1] == "lit"  # drawn last, on top


def test_an_input_that_never_changes_has_a_place() -> None:
    X = np.column_stack([np.arange(9.0), np.arange(9.0), np.full(9, 7.0)])
    table = problems.from_table(X, np.arange(9.0))
    replay = Replay(simulate(table, GPUCBPE(batch_size=2), batches=1, initial=1, seed=0))
    view = loaded(replay)
    view.update(replay.frame(1))
    assert rows(view)[2][1] == "7"
    assert 'x="0%"' in rows(view)[2][2]


@pytest.mark.parametrize("problem", [problems.multimodal, problems.gaussian_mixture])
def test_pictures_with_axes_need_no_table(replay: Replay, problem) -> None:
    view = loaded(replay)
    view.update(replay.frame(1))
    drawn = Replay(simulate(problem(), GPUCBPE(batch_size=2), batches=1, initial=1, seed=0))
    view.load(drawn.scene)
    view.update(drawn.frame(1))
    assert view.panel.object == ""


def test_a_candidate_that_is_pointed_at_takes_the_place_of_the_pick(replay: Replay) -> None:
    view, X = loaded(replay), replay.scene.candidates
    frame = replay.frame(4)
    view.update(frame)
    before = view.panel.object
    view.point(17)
    for i in (4, 5, 0):  # also while one steps
        view.update(replay.frame(i))
        assert "<caption>Candidate 17</caption>" in view.panel.object
        assert [value for _, value, _ in rows(view)] == written(replay, 17)
        for (_, _, strip), x, low, span in zip(
            rows(view), X[17], X.min(axis=0), np.ptp(X, axis=0), strict=True
        ):
            (here,) = re.findall(r'<rect x="([\d.e+-]+)%" class="here"/>', strip)
            assert float(here) == pytest.approx(100 * (x - low) / span, abs=0.05)
            assert 'class="lit"' not in strip
    view.update(frame)
    view.point(None)
    assert view.panel.object == before
