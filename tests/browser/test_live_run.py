"""A slider that is dragged on the Step page: its runs are computed and drawn by the browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Lab
from tests.browser.fresh import is_as_fresh
from tests.browser.no_engine import NO_ENGINE
from tests.browser.pointing import number_field, place, settled_place
from tests.browser.student import Student, painted, thumb
from tests.browser.wire import Wire
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import closest

GATE = (pytest.mark.slow, pytest.mark.gate)
# What is drawn of the posterior mean: a curve, or the large map, or else the second small one.
_MEAN = """
() => {
  const page = Bokeh.documents[0]
  const {targets, event} = [...page._all_models.values()].find(({data}) => data?.targets).data
  const map = ["posterior", "observe"].includes(event.kind) ? "map" : "second"
  const {data} = page.get_model_by_id(targets["function.mean"] ?? targets[`${map}.values`])
  const columns = data instanceof Map ? Object.fromEntries(data) : data
  return Array.from(columns.y?.length > 1 ? columns.y : columns.image[0])
}
"""
_PLACED = """
() => [...Bokeh.documents[0]._all_models.values()].find(({data}) => data?.targets).data.placed
"""
_BEGUN = (
    "() => [...Bokeh.documents[0]._all_models.values()]"
    ".some(({data}) => data?.targets && data.setting)"
)


@pytest.fixture
def held(line: Wire) -> Iterator[Wire]:
    yield line
    line.restore()


def start_drag(page: Page, name: str) -> tuple[float, float]:
    """Press the thumb of a slider, which the browser then draws the runs of; where it is."""
    x, y = thumb(page, f"{name} slider")
    page.mouse.move(x, y)
    page.mouse.down()
    behind = page.get_by_text(re.compile("^before: "))
    value = page.get_by_label(name, exact=True).input_value()
    expect(behind.first).to_have_text(re.compile(f" {value}$"))
    return x, y


@pytest.mark.parametrize(
    ("slug", "name", "field", "late"),
    [
        ("start", "Lengthscale", "lengthscale", False),  # whole, in the page
        # The event in the page, all in a worker; then all of it in a worker.
        pytest.param("himmelblau", "Scale c", "scale", False, marks=pytest.mark.slow),
        pytest.param("himmelblau", "Lengthscale", "lengthscale", True, marks=GATE),
    ],
)
def test_the_browser_draws_the_run_while_nothing_comes_from_the_server(
    lab: Lab, held: Wire, slug: str, name: str, field: str, late: bool
) -> None:
    lab.url = held.url
    student, page = Student(lab, slug, truth=True), lab.page  # the regret names the run before
    if late:
        page.keyboard.press("End")
        student.sees(len(student.replay.events) - 1)
    run, before = page.locator(".run"), student.replay.trace.digest
    x, y = start_drag(page, name)
    page.wait_for_function(_BEGUN)
    held.hold()
    drawn = page.evaluate(_MEAN)
    page.mouse.move(x + 12, y)
    page.wait_for_function(f"before => String(({_MEAN})()) !== before", arg=_text(drawn))
    expect(run).to_have_attribute("data-digest", before)  # the server has said nothing
    drawn = page.evaluate(_MEAN)
    written = page.get_by_label(name, exact=True).input_value()
    held.restore()
    expect(run).not_to_have_attribute("data-digest", before)  # at rest
    expect(page.get_by_label(name, exact=True)).to_have_value(written)
    value = float(written)
    other = load(replace(student.spec, **{field: value}))
    expect(run).to_have_attribute("data-digest", other.trace.digest)
    event = student.replay.events[int(page.get_by_label("Event", exact=True).input_value())]
    frame = other.frame(closest(other.events, event))
    known = np.sort(frame.mean)
    assert np.allclose(np.sort(drawn), known, rtol=1e-5, atol=1e-6 * np.ptp(known))
    page.mouse.move(x - 9, y)
    page.mouse.up()
    page.mouse.move(0, 0)  # over the slider the value would be shown
    expect(page.get_by_text(re.compile("^before: "))).to_have_count(0)
    is_as_fresh(page)


def grab(page: Page, across: float, up: float, rest: int = 0) -> None:
    """Begin to drag a measurement, after the pointer has rested on it for some ms."""
    page.mouse.move(across, up)
    page.mouse.down()
    page.wait_for_timeout(rest)
    page.mouse.move(across, up - 15, steps=3)
    page.wait_for_function(_BEGUN)
    # Until the server draws, a quarter of a second later, the line of the regret has a name, too.
    expect(page.get_by_text("before: as it was").first).to_be_visible()


# A pointer that rests before it moves is a press to Bokeh, and no drag.
@pytest.mark.slow
@pytest.mark.parametrize("rest", [pytest.param(0, marks=pytest.mark.gate), 600])
def test_a_measurement_is_dragged_undone_left_out_and_put_back(
    lab: Lab, held: Wire, rest: int
) -> None:
    lab.url = held.url
    student, page = Student(lab, "regions", truth=True), lab.page
    run, made = page.locator(".run"), student.replay.trace.history.measured[1]
    x = float(student.replay.scene.candidates[made.index, 0])
    across, up = settled_place(page, "curve", x, float(made.y or 0.0))
    steps_at = page.locator(".reason ol").bounding_box()
    grab(page, across, up, rest)
    # It rests: on a slow machine, what the server says of that would else arrive after the hold.
    expect(run).not_to_have_attribute("data-digest", student.replay.trace.digest)
    held.hold()
    drawn, before = page.evaluate(_MEAN), run.get_attribute("data-digest")
    page.mouse.move(across, up - 60)
    page.wait_for_function(f"before => String(({_MEAN})()) !== before", arg=_text(drawn))
    expect(run).to_have_attribute("data-digest", before or "")  # the server has said nothing
    drawn, (number, y) = page.evaluate(_MEAN), page.evaluate(_PLACED)
    assert number == 1
    assert y > (made.y or 0.0) + 0.5
    held.restore()
    page.mouse.up()
    other = load(student.spec, moved=((1, y),))
    expect(run).to_have_attribute("data-digest", other.trace.digest)
    event = student.replay.events[int(page.get_by_label("Event", exact=True).input_value())]
    frame = other.frame(closest(other.events, event))
    assert np.allclose(drawn, frame.mean, rtol=1e-5, atol=1e-6)
    expect(page.get_by_role("region", name="Why this point")).to_contain_text("moved by hand")
    assert page.locator(".reason ol").bounding_box() == steps_at
    expect(page.get_by_text(re.compile("^before: "))).to_have_count(0)
    is_as_fresh(page)
    while (now := run.get_attribute("data-digest")) != student.replay.trace.digest:
        page.get_by_role(
            "button", name="Undo"
        ).click()  # where it rested for long is a step as well
        expect(run).not_to_have_attribute("data-digest", now or "")
    two_clicks_at_once_leave_out_two(student, held)
    without = load(student.spec, moved=((1, None),))
    # A double click has moved the axes back, too.
    page.mouse.click(*settled_place(page, "curve", x, float(made.y or 0.0)))
    expect(run).to_have_attribute("data-digest", without.trace.digest)
    page.mouse.click(*settled_place(page, "curve", x, float(made.y or 0.0)))
    expect(run).to_have_attribute("data-digest", student.replay.trace.digest)
    number_field(page).fill(str(made.index))
    number_field(page).press("Enter")
    page.keyboard.press("Alt+Delete")
    expect(run).to_have_attribute("data-digest", without.trace.digest)


def two_clicks_at_once_leave_out_two(student: Student, line: Wire) -> None:
    """And two more, which are a double click to Bokeh as well, put them back."""
    page, scene = student.page, student.replay.scene
    made = enumerate(student.replay.trace.history.measured[1:3], 1)
    where = [(i, scene.candidates[one.index, 0], one.y or 0.0) for i, one in made]
    left_out = load(student.spec, moved=tuple((i, None) for i, *_ in where))
    for replay in (left_out, student.replay):
        places = [place(page, "curve", float(x), y) for _, x, y in where]
        line.hold()  # nothing is drawn between the two
        for at in places:
            page.mouse.click(*at)
        line.restore()
        expect(page.locator(".run")).to_have_attribute("data-digest", replay.trace.digest)
        painted(page)


@pytest.mark.parametrize(
    ("slug", "name", "field"),
    [
        pytest.param("start", "Lengthscale", "lengthscale", marks=GATE),
        pytest.param("himmelblau", "Scale c", "scale", marks=pytest.mark.slow),
    ],
)
def test_keys_of_a_slider_draw_runs_while_nothing_comes_from_the_server(
    lab: Lab, held: Wire, slug: str, name: str, field: str
) -> None:
    lab.url = held.url
    student, page = Student(lab, slug), lab.page
    run, before = page.locator(".run"), student.replay.trace.digest
    page.get_by_label(name, exact=True).focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("slider", name=f"{name} slider")).to_be_focused()
    page.wait_for_function(_BEGUN)
    held.hold()
    drawn = page.evaluate(_MEAN)
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    page.wait_for_function(f"before => String(({_MEAN})()) !== before", arg=_text(drawn))
    expect(run).to_have_attribute("data-digest", before)  # the server has said nothing
    expect(page.get_by_text(re.compile("^before: "))).to_have_count(0)
    held.restore()
    expect(run).not_to_have_attribute("data-digest", before)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Tab")
    expect(page.get_by_role("slider", name=f"{name} slider")).not_to_be_focused()
    is_as_fresh(page)
    value = float(page.get_by_label(name, exact=True).input_value())
    other = load(replace(student.spec, **{field: value}))
    expect(run).to_have_attribute("data-digest", other.trace.digest)


def _text(values: list[float]) -> str:
    return ",".join(map(str, values))


@pytest.mark.parametrize("slug", ["start", pytest.param("himmelblau", marks=pytest.mark.slow)])
def test_without_an_engine_the_server_draws(lab: Lab, slug: str) -> None:
    lab.page.add_init_script(NO_ENGINE)
    student, page = Student(lab, slug, truth=True), lab.page
    before = student.replay.trace.digest
    x, y = start_drag(page, "Lengthscale")
    for pixels in (8, 16):
        page.mouse.move(x + pixels, y)
        expect(page.locator(".run")).not_to_have_attribute("data-digest", before)
        before = page.locator(".run").get_attribute("data-digest") or ""
    page.mouse.up()
    value = float(page.get_by_label("Lengthscale", exact=True).input_value())
    last = load(replace(student.spec, lengthscale=value))
    expect(page.locator(".run")).to_have_attribute("data-digest", last.trace.digest)
