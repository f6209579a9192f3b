"""The inputs of a pick: the right numbers beside the right names, and where they lie."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from ucbpe_app.pictures.marks import mark_of
from ucbpe_app.run.replay import Replay
from ucbpe_app.widgets.readout import InputsView
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


def rows(view: InputsView) -> list[tuple[str, str, str]]:
    found = re.findall(r"<tr><th[^>]*>(.*?)</th><td>(.*?)</td><td>(.*?)</td>", view.panel.object)
    return [(unescape(name), value, strip) for name, value, strip in found]


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
