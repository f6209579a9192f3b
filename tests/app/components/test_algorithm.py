"""The sentence and the algorithm: every word of the frame, and nothing but text."""

from dataclasses import replace
from html import escape
from xml.etree import ElementTree

import pytest

from ucbpe_app.components.algorithm import AlgorithmView
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences import Line
from ucbpe_core import GPUCBPE, Policy, problems, simulate


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


def test_every_line_and_the_sentence_are_told(view: AlgorithmView, replay: Replay) -> None:
    for i in range(len(replay.events)):
        frame = replay.frame(i)
        view.update(frame)
        assert escape(frame.sentence) in view.reason.object
        texts = [(item[0].text, item[1].text or "") for item in items(view)]
        assert texts == [(line.text, line.value) for line in frame.lines]


def test_text_is_escaped(view: AlgorithmView, replay: Replay) -> None:
    nasty = '<b onclick="x()">&'
    view.set_title(nasty)
    view.update(replace(replay.frame(0), sentence=nasty, lines=(Line(nasty, nasty, active=True),)))
    for html in (view.reason.object, view.algorithm.object):
        assert "<b" not in html
        assert escape(nasty) in html
