"""Words that act, in a real browser: terms that light their marks."""

from __future__ import annotations

from tests.browser.conftest import Lab

_WIDTH = """
() => Bokeh.documents.flatMap((one) => [...one.all_models])
  .filter((one) => one.type === "Line" && one.y?.field === "mean")
  .map((one) => one.line_width.value)
"""


def test_a_term_lights_its_mark(lab: Lab) -> None:
    page = lab.page
    page.set_viewport_size({"width": 1366, "height": 900})
    lab.open("?preset=start")
    card = page.get_by_role("region", name="Lesson")
    assert page.evaluate(_WIDTH) == [2.5]
    card.get_by_text("line", exact=True).hover()
    page.wait_for_function(f"() => ({_WIDTH})()[0] > 5")
    card.get_by_text("band", exact=True).hover()
    page.wait_for_function(f"() => ({_WIDTH})()[0] === 2.5")
