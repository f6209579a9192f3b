"""The Study page without a browser: what it shows, asks of the session, and hands to be saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from types import SimpleNamespace
from typing import Any

import panel as pn
import pytest

from tests.app.study.conftest import ByHand, results_of, spec_of
from tests.app.waiting import change, click, in_a_session, in_sight, words
from ucbpe_app.render.markup import Markup
from ucbpe_app.study import page as module
from ucbpe_app.study.page import StudyPage
from ucbpe_app.study.plan import StudyMoment, StudySettings, decode_study, encode_study
from ucbpe_app.study.session import StudySession
from ucbpe_app.widgets.address import Navigation
from ucbpe_core.study import Result


class Timer:
    """What the page has looked at again and again, which the test does."""

    def __init__(self, look: Callable[[], Any], *_: object) -> None:
        self.look, self.stopped = look, False

    def stop(self) -> None:
        self.stopped = True


@pytest.fixture(autouse=True)
def pool(monkeypatch: pytest.MonkeyPatch) -> ByHand:
    """Whose results come from the test; between two looks at a clock there is time to draw."""
    pool, clock = ByHand(), SimpleNamespace(monotonic=count(step=10.0).__next__)
    monkeypatch.setattr(module, "StudySession", lambda: StudySession(pool))
    monkeypatch.setattr("ucbpe_app.study.session.time", clock)
    return pool


@pytest.fixture(autouse=True)
def timers(monkeypatch: pytest.MonkeyPatch) -> list[Timer]:
    made = list[Timer]()

    def add(*given: Any) -> Timer:
        made.append(Timer(*given))
        return made[-1]

    monkeypatch.setattr(pn.state, "add_periodic_callback", add)
    return made


def visited(query: str = "", navigation: Navigation | None = None) -> StudyPage:
    return in_a_session(lambda: StudyPage(query, navigation))


def shown(page: StudyPage) -> str:
    """What its charts and ranking are of."""
    words = [one for one in page.panel.select(Markup) if "An example of what" in one.object]
    (example,) = {in_sight(one, page.panel) for one in words}
    (own,) = {in_sight(one, page.panel) for one in page.downloads}
    assert in_sight(page.charts.chart.panel, page.panel) == (example or own)
    return "an example" if example else "a study" if own else "nothing"


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


@pytest.fixture
def finish(pool: ByHand, timers: list[Timer]) -> Callable[..., None]:
    """Have results come, and the page look at them."""

    def finished(results: Iterable[Result]) -> None:
        for result in results:
            pool.jobs[-1].add(result)
        in_a_session(timers[-1].look)

    return finished


def test_it_opens_with_settings_and_an_example() -> None:
    page = visited()
    assert "press Run study" in page.progress.object
    assert shown(page) == "an example"
    assert "by mean of 8 complete replicates" in page.ranking.table.object
    assert page.session.results is None
    assert page.act.label == "Run study"
    assert page.copy.ask() == encode_study(StudyMoment(StudySettings().spec()))
    assert page.copy in page.header


def test_the_reference_is_a_policy_of_the_study(
    own: StudyPage, results: tuple[Result, ...], finish: Callable[..., None]
) -> None:
    page = own
    finish(results)
    assert page.reference.value == "GP-UCB-PE"
    change(page.reference, "value", "GP-BUCB")
    assert page.session.reference == "GP-BUCB"
    assert "minus=gp-bucb" in page.copy.ask()
    assert "difference to GP-BUCB" in page.ranking.table.object


def test_an_own_study_is_shown_while_it_runs(
    own: StudyPage,
    results: tuple[Result, ...],
    finish: Callable[..., None],
    timers: list[Timer],
) -> None:
    page = own
    assert page.act.label == "Pause"
    assert "first results" in page.progress.object
    ordered = sorted(results, key=lambda one: one.replicate)
    for number, result in enumerate(ordered, start=1):
        finish([result])
        assert f"{number} of 9 runs." in page.progress.object
        assert f"{number // 3} of 3 replicates" in page.progress.object
        assert shown(page) == ("nothing" if number < 3 else "a study")
        assert all(button.disabled for button in page.downloads) == (number < 9)
        assert timers[-1].stopped == (number == 9)
    assert ">Done.<" in page.progress.object
    assert page.act.label == "Run study"


def test_one_button_runs_pauses_and_resumes(
    own: StudyPage, results: tuple[Result, ...], pool: ByHand
) -> None:
    page = own
    pool.jobs[-1].add(results[0])
    click(page.act)
    assert pool.jobs[-1].cancelled.done()
    assert (page.act.label, ">Paused.<" in page.progress.object) == ("Resume", True)
    page.session.settings.accept(replicates=4)
    assert page.act.label == "Run study"
    page.session.settings.accept(replicates=3)
    click(page.act)
    assert (page.act.label, len(pool.jobs)) == ("Pause", 2)


def test_batches_or_time(
    own: StudyPage, results: tuple[Result, ...], finish: Callable[..., None]
) -> None:
    page = own
    finish(results)
    assert "Ranking after batch 5" in page.ranking.table.object
    change(page.axis, "value", True)
    assert "Ranking at time" in page.ranking.table.object
    assert "unit=time" in page.copy.ask()
    again = visited(page.copy.ask())
    assert again.axis.value
    change(page.axis, "value", False)
    assert "Ranking after batch 5" in page.ranking.table.object


def test_where_batches_do_not_compare_there_is_only_time(finish: Callable[..., None]) -> None:
    page = visited()
    for way, forced in (("both", True), ("one by one", False)):
        spec = spec_of(policies=("GP-UCB-PE",), results=way)
        page.session.settings.accept(**vars(spec))
        page.session.start()
        finish(results_of(spec.study()))
        assert (page.axis.disabled, page.axis.value) == (forced, forced)
        assert not page.session.over_time
        page.charts.tabs.value = "full_cumulative_regret"
        assert ("cannot be compared" in words(page.charts.chart.panel)) == forced
