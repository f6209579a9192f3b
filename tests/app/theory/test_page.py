"""The Theory page without a browser: it shows the theory of the run on screen."""

from __future__ import annotations

import numpy as np
import pytest

from tests.app.theory.conftest import spec_of
from tests.app.waiting import change, click, in_a_session, in_sight, tap
from ucbpe_app.lessons import find
from ucbpe_app.links import Moment, decode, encode
from ucbpe_app.pictures.picture import Picture
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.theory.page import TheoryPage
from ucbpe_app.widgets.address import Navigation


def visited(query: str, navigation: Navigation | None = None) -> TheoryPage:
    """A page that has opened its query."""
    return in_a_session(lambda: TheoryPage(query, navigation))


@pytest.fixture
def first() -> TheoryPage:
    return visited("")


def test_it_opens_on_a_run_in_which_f_stays_in_its_band(first: TheoryPage) -> None:
    trace, truth = first.session.replay.trace, first.session.replay.scene.truth
    for decision in trace.decisions:
        posterior = trace.before(decision.t)
        assert np.all(np.abs(truth - posterior.mean) <= decision.sqrt_beta * posterior.std)
    assert first.links.origin.preset == "regions"
    assert not first.links.notice.panel.visible


def test_its_link_restores_it() -> None:
    moment = Moment(
        spec_of(problem="thin_peak", scale=0.3, batches=3),
        Event(2, Kind.PICK, 1),
        frozenset({"log"}),
        frozenset({"Policy", "batch_size"}),
    )
    page = visited(encode(moment))
    query = page.links.copy.ask()
    assert query.startswith("page=theory&")
    opened, errors = decode(query.removeprefix("page=theory&"))
    assert not errors
    assert (opened.settings, opened.event) == (moment.settings, moment.event)
    assert (opened.layers, opened.hidden) == (moment.layers, moment.hidden)
    assert opened.digest == page.session.replay.trace.digest[:16]
    assert page.links.copy.digest == page.session.replay.trace.digest
    assert not page.controls.fields["policy"].control.visible
    again = visited(query.removeprefix("page=theory&"))
    assert again.links.copy.ask() == query
    assert again.statements.object == page.statements.object


def test_a_bad_field_is_told() -> None:
    page = visited("preset=thin-peak&T=zero")
    assert page.links.notice.panel.visible
    assert page.session.settings.problem == "thin_peak"
    assert page.links.origin.preset == "thin-peak"
    page.controls.on_reset()
    regular = find("thin-peak")
    assert regular is not None
    assert page.session.settings.spec() == regular.spec()


def marked(picture: Picture) -> list[float]:
    """Where the batch begins that is marked, if one is."""
    (plot,) = picture.plots.values()
    (now,) = [one for one in plot.marks if one.role == "now"]
    return now.columns["left"].tolist()


def test_a_change_of_settings_brings_other_evidence() -> None:
    page = visited("preset=start")
    page.charts.batch.value = 4
    assert marked(page.charts.chart.picture) == [3.5]
    change(page.controls.fields["scale"].control, "value", "0.01")
    assert page.state.run_theory.sqrt_beta[0] == pytest.approx(0.2)  # the root of 0.01 * 4
    assert "f stays in its band</th><td>1–8</td>" in page.statements.object
    assert page.charts.batch.value == page.state.run_theory.batches
    assert marked(page.charts.chart.picture) == []
    assert "scale=0.01" in page.links.copy.ask()


def test_a_click_in_the_chart_marks_its_batch(first: TheoryPage) -> None:
    """As the field does; what is beside the batches is the nearest."""
    charts = first.charts
    tap(charts.chart.figure, 7.2)
    assert (charts.batch.value, marked(charts.chart.picture)) == (7, [6.5])
    tap(charts.chart.figure, -3.0)
    assert charts.batch.value == 1


def test_a_count_is_started_shown_and_forgotten(
    first: TheoryPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ucbpe_app.theory.views.REPLICATES", 20)
    page = first
    click(page.count.start)
    assert page.state.count.tally.done
    assert page.count.start.visible
    assert not page.count.stop.visible
    left = page.state.count.tally.prior.left
    assert f"f left its band in {left} of 20 new draws" in page.count.asked.object
    shares = page.charts.chart.picture.plots["proved"].marks
    assert [len(one.columns["x"]) for one in shares if one.role == "regret"] == [8]
    change(page.controls.fields["batches"].control, "value", "3")
    assert page.state.count.tally is None
    assert "How often does f leave its band?" in page.count.asked.object


def test_a_run_without_a_theory_says_why() -> None:
    """Measurements of other settings: no lemma is about them, and none of another run is shown."""
    moment = Moment(spec_of(lengthscale=0.4), data=spec_of())
    page = visited(encode(moment))
    assert page.session.replay.trace.hold_data
    assert "No theory for this run." in page.verdict.said
    assert not in_sight(page.charts.chart.panel, page.panel)
    change(page.controls.fields["batches"].control, "value", "3")
    assert page.state.error is None
    assert in_sight(page.charts.chart.panel, page.panel)
    assert page.state.run_theory.batches == 3
