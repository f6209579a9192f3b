"""A curve under the hand: it follows a point while that is dragged, and a free hand draws one."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Lab
from tests.browser.student import painted
from tests.browser.test_problem import PATIENCE, Person, settled
from ucbpe_app.pages.problem.drawing import DrawnCurve

# The points and the curve that the browser draws.
_DRAWN = """
() => {
  const models = [...Bokeh.documents[0].all_models]
  const figure = models.find(({type, css_classes}) => type === "Figure"
    && [...css_classes ?? []].includes("lab-drawing"))
  const column = ({data}, name) => [...data instanceof Map ? data.get(name) : data[name]]
  const [line, points] = figure.renderers.map(({data_source}) => data_source)
  return [line, points].map((source) => [column(source, "x"), column(source, "y")])
}
"""


def follows(page: Page) -> tuple[np.ndarray, np.ndarray]:
    """The points; the curve on screen must be the one through them."""
    (x, y), points = page.evaluate(_DRAWN)
    curve = DrawnCurve(tuple(zip(*points, strict=True)))
    np.testing.assert_allclose(y, curve.values(np.array(x)), atol=1e-5)
    return np.array(points[0]), np.array(points[1])


@pytest.mark.slow
def test_the_curve_follows_a_point_that_is_dragged_and_then_the_free_hand(lab: Lab) -> None:
    page, height = lab.page, lab.page.get_by_label("f of point 4", exact=True)
    lab.open("?page=problem")
    person = Person(page)
    person.step("Drawn curve")
    expect(height).to_have_value("0.9", timeout=PATIENCE)
    follows(page)
    x, y, higher = settled(page)
    page.mouse.move(x, y)
    page.mouse.down()
    for share in (0.3, 0.6, 0.9):
        page.mouse.move(x, y + share * (higher - y))
    painted(page)
    _, heights = follows(page)  # the button is still down
    assert heights[3] > 1.5
    expect(height).to_have_value("0.9")
    page.mouse.up()
    expect(height).not_to_have_value("0.9")
    follows(page)
    person.press("Undo")
    expect(height).to_have_value("0.9")

    # A drag beside the points draws.
    before = page.evaluate(_DRAWN)[0]
    x, y, higher = settled(page)
    top = y + 0.8 * (higher - y)
    page.mouse.move(x - 60, top)
    page.mouse.down()
    for step in range(1, 25):
        page.mouse.move(x - 60 + 5 * step, top + 8 * np.sin(step))
    painted(page)
    during = page.evaluate(_DRAWN)[0]
    assert max(during[1]) > max(before[1]) - 1
    assert during != before
    page.mouse.up()
    expect(page.get_by_text("7 points.")).to_have_count(0)
    x, y = follows(page)
    assert 7 < len(x) <= 40
    person.press("Undo")
    expect(height).to_have_value("0.9")

    # Without a mouse.
    height.fill("0,5")
    height.press("Enter")
    expect(height).to_have_value("0.5")
    person.press("Remove point 2")
    expect(page.get_by_label("x of point 2", exact=True)).to_have_value("3")
    person.press("Simulate this curve")
    person.sees("Batch 1 of 10")
