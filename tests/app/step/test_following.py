"""What the server tells the browser for its address, and what it takes back from the browser."""

from __future__ import annotations

import panel as pn
import pytest

from tests.app.waiting import run
from ucbpe_app.links import decode
from ucbpe_app.race.link import decode_race
from ucbpe_app.race.page import RacePage
from ucbpe_app.step.page import StepPage
from ucbpe_app.study.page import StudyPage
from ucbpe_app.theory.page import TheoryPage


def test_the_query_follows_the_run_and_the_layers() -> None:
    page = StepPage("preset=figure-2")
    assert page.links.copy.query == page.links.query
    page.layers.chosen = frozenset({"log"})
    assert decode(page.links.copy.query)[0].layers == {"log"}
    page.session.settings.accept(scale=0.5)
    run(page.session.refresh())
    moment, errors = decode(page.links.copy.query)
    assert (moment.settings.scale, errors) == (0.5, ())
    assert page.session.replay.trace.digest.startswith(moment.digest)


def test_a_step_leaves_the_query_to_the_browser() -> None:
    page = StepPage("preset=figure-2")
    before = page.links.copy.query
    events = page.session.replay.events
    for index in range(len(events)):
        page.session.go(index)
        (item,) = (item for item in page.view.timeline.items if item["index"] == index)
        assert item["event"] == events[index].text
    assert page.links.copy.query == before


@pytest.mark.parametrize("kind", [StepPage, RacePage, TheoryPage])
def test_while_a_link_is_opened_the_address_is_left_alone(
    kind: type[StepPage | RacePage | TheoryPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(pn.state), "onload", lambda *_: None)  # as until a browser has it
    opened = kind("v=1&preset=start&seed=3")
    copy = opened.copy if isinstance(opened, RacePage) else opened.links.copy
    assert copy.query == ""
    run(opened.visit("v=1&preset=start&seed=3"))
    assert "seed=3" in copy.query


def test_a_race_and_a_study_are_followed() -> None:
    race = RacePage()
    run(race.visit("preset=start&T=3"))
    race.layers.chosen = frozenset({"log"})
    race.state.measure = race.state.param.measure.objects[1]
    moment, _ = decode_race(race.copy.query)
    assert (moment.layers, moment.measure) == ({"log"}, race.state.measure)
    study = StudyPage()
    run(study.visit(""))
    assert study.copy.query == study._query()
    assert study.copy.query.startswith("page=study&problem=")
