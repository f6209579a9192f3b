"""The Race page without a browser: it hands states to the views, and asks for races."""

from __future__ import annotations

from dataclasses import replace

import param
import pytest

from tests.app.waiting import change, click, in_a_session, tap, words
from ucbpe_app.links import decode, usual
from ucbpe_app.race.link import RaceMoment, encode_race
from ucbpe_app.race.page import RacePage
from ucbpe_app.race.setup import MOST, Setup, Unit, race_of
from ucbpe_app.widgets.address import Navigation


def opened(query: str, navigation: Navigation | None = None) -> RacePage:
    return in_a_session(lambda: RacePage(query, navigation))


def press(page: RacePage, place: int | None) -> None:
    in_a_session(lambda: page.form.cards.receive({"place": place}))


@pytest.fixture(scope="module")
def setup() -> Setup:
    return race_of(replace(usual("multimodal"), batch_size=4, batches=5, initial=3, seed=2))


@pytest.fixture
def race(setup: Setup) -> RacePage:
    return opened(encode_race(RaceMoment(setup, 2)))


def test_the_other_pages_are_offered_the_first_run(setup: Setup) -> None:
    navigation = Navigation({"step": "Step", "race": "Race"}, "race")
    page = opened(encode_race(RaceMoment(setup)), navigation)
    html = str(navigation.panel.object)
    assert "b.policy" not in html
    query = html.split('href="?')[1].split('"')[0].replace("&amp;", "&")
    moment, errors = decode(query)
    assert errors == ()
    assert moment.settings == page.state.race.runners[0].settings


def test_a_setting_refused_by_its_run_is_told_at_its_control(race: RacePage, setup: Setup) -> None:
    press(race, 2)
    assert race.form.editor.visible
    control = race.form.fields["noise_variance"].control
    change(control, "value", "0")
    assert control.error_state
    assert "noise variance above 0" in control.helper_text
    assert race.state.setup == race.state.race.setup == setup
    assert race.state.chosen == 2


def test_a_race_too_long_is_refused_above_the_pictures(setup: Setup) -> None:
    long = setup.sharing(batches=51)
    page = opened(encode_race(RaceMoment(long)))
    change(page.unit, "value", Unit.EVALUATIONS)
    assert page.notice.panel.visible
    assert "at most 200 batches of configuration D" in words(page.notice.panel)
    assert page.unit.value is Unit.ITERATIONS
    assert page.state.race.setup == long
    change(page.form.fields["batches"].control, "value", "5")
    assert not page.notice.panel.visible


@pytest.mark.parametrize("there", [False, True])
def test_a_long_race_shows_its_share_and_can_be_stopped(race: RacePage, there: bool) -> None:
    """The race before stays; a link that is stopped leads to the usual race, and says so."""
    long = race_of(replace(usual("gaussian_mixture"), batch_size=10, batches=100, seed=7))
    while len(long.configurations) < MOST:
        long = long.adding()
    seen = list[str]()

    def stop_at_once(page: RacePage) -> RacePage:
        def stop(event: param.parameterized.Event) -> None:
            if event.new is not None and not seen:
                seen.append(page.share.object)
                assert page.stop in page._over.objects[-1]
                page.stop.clicks += 1

        page.state.param.watch(stop, "busy")
        return page

    if there:
        before = race.state.race
        in_a_session(lambda: stop_at_once(race).state.ask(long))
        assert race.state.setup == before.setup
        assert race.state.race is before
    else:
        race = in_a_session(lambda: stop_at_once(RacePage(encode_race(RaceMoment(long)))))
        assert race.state.race.setup != long
        assert "got Stop" in race.notice._list.object
        assert "wide-opening" not in race.panel.css_classes
    assert "Computing the race: " in seen[0]
    assert [*race._over.objects] == [race.notice.panel]


def test_a_click_on_the_regret_goes_to_the_last_place_before_it(race: RacePage) -> None:
    figure = race.regret.figure
    for x in (3.4, None, float("nan")):  # the others are beside the axes
        tap(figure, x)
        assert race.timeline.index == 3
    tap(figure, -9)
    assert race.timeline.index == 0
    tap(figure, 99)
    assert race.timeline.index == 5


def test_layers_of_a_single_run_are_not_offered(race: RacePage) -> None:
    assert list(race.layers.panel.options) == ["True f"]
    race.layers.panel.value = []
    for picture in race.multiples.pictures:
        assert "truth" not in {one.role for one in picture.picture.plots["small"].marks}
    assert race.copy.ask().count("show=&") == 1


def test_a_configuration_is_added_copied_and_removed(race: RacePage, setup: Setup) -> None:
    form, state = race.form, race.state
    press(race, 1)
    click(form.remove)
    assert state.race.setup == setup.removing(1)
    assert not form.editor.visible
    press(race, 2)
    assert (state.chosen, form.cards.chosen) == (2, 2)
    click(form.duplicate)
    assert state.race.setup == setup.removing(1).duplicating(2)
    assert not form.duplicate.disabled
    for _ in range(5):  # the last is a click that comes late
        press(race, None)
    assert len(state.setup.configurations) == 8
    press(race, 2)
    assert form.duplicate.disabled
    press(race, state.chosen)
    assert form.cards.chosen == -1


def test_the_timeline_has_a_button_for_each_batch_and_the_address_follows(race: RacePage) -> None:
    items = race.timeline.items
    assert [(one["label"], one["index"]) for one in items] == [(str(t), t) for t in range(1, 6)]
    in_a_session(lambda: race.state.go(4))
    assert "at=4" in race.copy.query
    assert race.timeline.status.startswith(race.table.verdict.object[3:20])
