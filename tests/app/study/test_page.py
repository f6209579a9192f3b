"""The Study page without a browser: what it shows, asks of the session, and hands to be saved."""

from __future__ import annotations

import panel as pn
import pytest

from tests.app.study.conftest import ByHand, results_of, spec_of
from tests.app.waiting import change, click, in_a_session
from ucbpe_app.study import page as module
from ucbpe_app.study.job import StudyJob
from ucbpe_app.study.page import StudyPage
from ucbpe_app.study.plan import StudyMoment, StudySettings, decode_study, encode_study
from ucbpe_app.study.session import StudySession
from ucbpe_app.widgets.address import Navigation
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


def test_until_a_link_is_opened_nothing_stands_in_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(type(pn.state), "onload", lambda *_, **__: None)  # the page comes later
    page = StudyPage("policies=gp-ucb-pe")
    assert "wide-opening" in page.panel.css_classes
    assert not page._charts.visible
    assert not page._body.visible
    in_a_session(lambda: page.visit("policies=gp-ucb-pe"))
    assert "wide-opening" not in page.panel.css_classes


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
    click(page.act)
    return page


def finish(page: StudyPage, results: tuple[Result, ...]) -> None:
    for result in results:
        job_of(page).add(result)
    look(page)


def test_it_opens_with_settings_and_nothing_to_see() -> None:
    page = visited()
    assert "press Run study" in page.progress.object
    assert not page._body.visible
    assert all(hint.visible for hint in page._hints)
    assert page.act.label == "Run study"
    assert page.copy.ask() == encode_study(StudyMoment(StudySettings().spec()))
    assert page.copy in page.header


def test_the_reference_is_a_policy_of_the_study(
    own: StudyPage, results: tuple[Result, ...]
) -> None:
    page = own
    finish(page, results)
    assert page.reference.value == "GP-UCB-PE"
    change(page.reference, "value", "GP-BUCB")
    assert page.session.reference == "GP-BUCB"
    assert "minus=gp-bucb" in page.copy.ask()
    assert "difference to GP-BUCB" in page.ranking.table.object


def test_an_own_study_is_shown_while_it_runs(own: StudyPage, results: tuple[Result, ...]) -> None:
    page = own
    assert page.act.label == "Pause"
    assert "first results" in page.progress.object
    timer = page._following
    ordered = sorted(results, key=lambda one: one.replicate)
    for number, result in enumerate(ordered, start=1):
        job_of(page).add(result)
        page.session._next_drawing = 0.0
        look(page)
        assert f"{number} of 9 runs." in page.progress.object
        assert f"{number // 3} of 3 replicates" in page.progress.object
        assert page._body.visible == (number >= 3)
        assert not any(hint.visible == page._body.visible for hint in page._hints)
        assert all(button.disabled for button in page.downloads) == (number < 9)
        assert timer.stopped == (number == 9)
    assert ">Done.<" in page.progress.object
    assert page.act.label == "Run study"


def test_one_button_runs_pauses_and_resumes(own: StudyPage, results: tuple[Result, ...]) -> None:
    page = own
    job_of(page).add(results[0])
    click(page.act)
    assert job_of(page).cancelled.done()
    assert (page.act.label, ">Paused.<" in page.progress.object) == ("Resume", True)
    page.session.settings.accept(replicates=4)
    assert page.act.label == "Run study"
    page.session.settings.accept(replicates=3)
    click(page.act)
    assert (page.act.label, len(page.session._pool.jobs)) == ("Pause", 2)


def test_batches_or_time(own: StudyPage, results: tuple[Result, ...]) -> None:
    page = own
    finish(page, results)
    assert "Ranking after batch 5" in page.ranking.table.object
    change(page.axis, "value", True)
    assert "Ranking at time" in page.ranking.table.object
    assert "unit=time" in page.copy.ask()
    again = visited(page.copy.ask())
    assert again.axis.value
    change(page.axis, "value", False)
    assert "Ranking after batch 5" in page.ranking.table.object


def test_where_batches_do_not_compare_there_is_only_time() -> None:
    page = visited()
    for way, forced in (("both", True), ("one by one", False)):
        spec = spec_of(policies=("GP-UCB-PE",), results=way)
        page.session.settings.accept(**vars(spec))
        page.session.start()
        finish(page, results_of(spec.study()))
        assert (page.axis.disabled, page.axis.value) == (forced, forced)
        assert not page.session.over_time
        page.charts.tabs.value = "full_cumulative_regret"
        assert ("cannot be compared" in page.charts.chart._title.object) == forced
