"""The Study page without a browser: what it shows, asks of the session, and hands to be saved."""

from __future__ import annotations

import panel as pn
import pytest

from tests.app.pages.study.conftest import ByHand, results_of, spec_of
from tests.app.waiting import change, click, in_a_session
from ucbpe_app.components.navigation import Navigation
from ucbpe_app.pages.study import page as module
from ucbpe_app.pages.study.job import StudyJob
from ucbpe_app.pages.study.link import StudyMoment, decode_study, encode_study
from ucbpe_app.pages.study.page import StudyPage
from ucbpe_app.pages.study.plan import StudySettings
from ucbpe_app.pages.study.session import StudySession
from ucbpe_core.study import Result


@pytest.fixture(autouse=True)
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results come from the test, and so does each look at how far the study is."""
    monkeypatch.setattr(module, "StudySession", lambda: StudySession(ByHand()))
    monkeypatch.setattr(pn.state, "add_periodic_callback", lambda *_: _Timer())


class _Timer:
    def __init__(self) -> None:
        self.stopped = False

    def stop(self) -> None:
        self.stopped = True


def visited(query: str = "", navigation: Navigation | None = None) -> StudyPage:
    return in_a_session(lambda: StudyPage(query, navigation))


def job_of(page: StudyPage) -> StudyJob:
    return page.session._pool.jobs[-1]


def look(page: StudyPage) -> None:
    in_a_session(page._follow)


@pytest.fixture(scope="module")
def results() -> tuple[Result, ...]:
    return results_of(spec_of().study())


@pytest.fixture
def own() -> StudyPage:
    """A study of the visitor's own that has just begun."""
    page = visited(encode_study(decode_study("policies=gp-ucb-pe")[0]))
    page.session.settings.accept(**vars(spec_of()))
    click(page.form.run)
    return page


def finish(page: StudyPage, results: tuple[Result, ...]) -> None:
    for result in results:
        job_of(page).add(result)
    job_of(page).end()
    look(page)


def test_it_opens_with_settings_and_nothing_to_see() -> None:
    page = visited()
    assert "press Run study" in page._heading.object
    assert not page._results.visible
    assert not page._strip.visible
    assert page.copy.ask() == encode_study(StudyMoment(StudySettings().spec()))
    assert page.header == [page.copy]


def test_differences_are_from_a_policy_of_the_study(
    own: StudyPage, results: tuple[Result, ...]
) -> None:
    page = own
    finish(page, results)
    change(page.reference, "value", "GP-UCB-PE")
    assert page.session.reference == "GP-UCB-PE"
    assert page.axis.disabled  # differences have no log
    assert "minus=gp-ucb-pe" in page.copy.ask()
    assert "differ" in page.table.text.object
    change(page.reference, "value", page.reference.options[0])
    assert page.session.reference == ""
    assert not page.axis.disabled


def test_an_own_study_is_shown_while_it_runs(own: StudyPage, results: tuple[Result, ...]) -> None:
    page = own
    assert page._strip.visible
    assert page.stop.visible
    assert not page._results.visible
    assert "first results" in page._heading.object
    timer = page._following
    for number, result in enumerate(results, start=1):
        job_of(page).add(result)
        page.session._next_drawing = 0.0
        look(page)
        assert f"{number} of 9 runs." in page.progress.object
        assert page._results.visible
        assert all(button.disabled for button in page.downloads)
    assert not timer.stopped
    job_of(page).end()
    look(page)
    assert not any(button.disabled for button in page.downloads)
    assert timer.stopped
    assert ">Done.<" in page.progress.object
    assert not page.stop.visible
    assert not page.resume.visible
