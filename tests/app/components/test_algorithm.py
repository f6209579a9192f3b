"""The sentence and the algorithm: every word of the frame, and nothing but text."""

from dataclasses import replace
from html import escape
from xml.etree import ElementTree

import pytest

from ucbpe_app.components.algorithm import AlgorithmView
from ucbpe_app.run.events import Kind
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences import Line
from ucbpe_core import GPUCBPE, Policy, problems, simulate
from ucbpe_core.policies import GreedyUCB, RandomSearch


def replay_of(policy: Policy) -> Replay:
    return Replay(simulate(problems.himmelblau(), policy, batches=2, initial=2, seed=0))


@pytest.fixture(scope="module")
def replay() -> Replay:
    return replay_of(GPUCBPE(batch_size=3))


@pytest.fixture
def view(replay: Replay) -> AlgorithmView:
    view = AlgorithmView()
    view.load(replay.scene)
    return view


def items(view: AlgorithmView) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(f"<div>{view.algorithm.object}</div>").iter("li"))


def frame_of(replay: Replay, kind: Kind) -> Frame:
    return replay.frame(next(i for i, e in enumerate(replay.events) if e.kind is kind))


def test_every_line_and_the_sentence_are_told(view: AlgorithmView, replay: Replay) -> None:
    for i in range(len(replay.events)):
        frame = replay.frame(i)
        view.update(frame)
        assert escape(frame.sentence) in view.reason.object
        texts = [(item[0].text, item[1].text or "") for item in items(view)]
        assert texts == [(line.text, line.value) for line in frame.lines]


@pytest.mark.parametrize("policy", [GPUCBPE(3), GreedyUCB(3), RandomSearch(3)])
def test_one_line_is_the_current_step(policy: Policy) -> None:
    view, replay = AlgorithmView(), replay_of(policy)
    for i in range(len(replay.events)):
        frame = replay.frame(i)
        view.update(frame)
        lit = [item for item in items(view) if item.get("class") == "lit"]
        assert len(lit) == sum(line.active for line in frame.lines) > 0
        assert [item.get("aria-current") for item in lit] == [None] * (len(lit) - 1) + ["step"]
        assert view.algorithm.object.count("aria-current") == 1


def test_values_are_hidden_until_reached(view: AlgorithmView, replay: Replay) -> None:
    view.update(frame_of(replay, Kind.FIT))
    told, *ahead = items(view)
    assert told[1].text
    assert ahead
    for item in ahead:
        assert item.get("class") == "ahead"
        assert not item[1].text
        assert not item[1].get("title")


def test_text_is_escaped(view: AlgorithmView, replay: Replay) -> None:
    nasty = '<b onclick="x()">&'
    view.set_title(nasty)
    view.update(replace(replay.frame(0), sentence=nasty, lines=(Line(nasty, nasty, active=True),)))
    for html in (view.reason.object, view.algorithm.object):
        assert "<b" not in html
        assert escape(nasty) in html
