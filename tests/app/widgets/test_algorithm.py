"""The sentence and the algorithm: every word of the frame, and nothing but text."""

from dataclasses import replace
from functools import partial
from xml.etree import ElementTree

import pytest

from ucbpe_app.html import escape
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences import EventText, Line
from ucbpe_app.widgets.algorithm import AlgorithmView
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
    return list(ElementTree.fromstring(f"<div>{view.reason.object}</div>").iter("li"))


@pytest.mark.parametrize("plain", [False, True])
def test_every_line_and_the_sentence_are_told_once(
    view: AlgorithmView, replay: Replay, plain: bool
) -> None:
    view.show(Layers(plain=plain))
    for i in range(len(replay.events)):
        frame = replay.frame(i)
        view.update(frame)
        told = frame.tell(plain)
        assert view.reason.object.count(escape(told.sentence)) == 1
        assert f">{escape(told.heading)}</h2>" in view.reason.object
        texts = [(item[0].text, item[1].text or "") for item in items(view)]
        assert texts == [(line.text, line.value) for line in told.lines]
        (step,) = (item for item in items(view) if item.get("aria-current"))
        assert step.get("class") == "lit"


def test_other_words_are_shown_at_once(view: AlgorithmView, replay: Replay) -> None:
    view.update(replay.frame(0))
    view.show(Layers(plain=True))
    assert replay.frame(0).tell(True).heading in view.reason.object


def say(words: EventText, plain: bool, secret: bool) -> EventText:
    return words


def test_text_is_escaped(view: AlgorithmView, replay: Replay) -> None:
    nasty = '<b onclick="x()">&'
    words = EventText(nasty, nasty, nasty, (Line(nasty, nasty, active=True),))
    view.update(replace(replay.frame(0), tell=partial(say, words)))
    assert "<b" not in view.reason.object
    assert view.reason.object.count(escape(nasty)) == 6
