"""A field of a link is a `LinkField` and an attribute of its moment: pages take it along."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.app.waiting import in_a_session
from ucbpe_app.links import Moment, step
from ucbpe_app.links.step import LinkField
from ucbpe_app.pages import link_bar
from ucbpe_app.pages.step.page import StepPage
from ucbpe_app.pages.theory.page import TheoryPage

QUERY = "preset=start&note=look+here"


@dataclass(frozen=True)
class Noted(Moment):
    note: str = ""


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Links of runs have a note."""
    for module in (step, link_bar):
        monkeypatch.setattr(module, "Moment", Noted)
    monkeypatch.setattr(step, "SHOWN", (*step.SHOWN, LinkField("note", "note", str, str, "")))
    monkeypatch.setattr(step, "FIELDS", (*step.FIELDS, "note"))


def test_the_step_page_keeps_a_field_that_it_does_not_show(noted: None) -> None:
    page = StepPage()
    assert "note" not in page.links.copy.ask()
    in_a_session(lambda: page.visit(QUERY))
    assert not page.links.notice.panel.visible
    page.stage.timeline.index = 3
    assert page.links.copy.ask().endswith("&note=look+here")


def test_the_theory_page_keeps_it_too(noted: None) -> None:
    page = in_a_session(lambda: TheoryPage(QUERY))
    assert not page.links.notice.panel.visible
    assert page.links.copy.ask().endswith("&note=look+here")
