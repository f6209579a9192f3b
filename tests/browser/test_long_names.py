"""Column names without spaces, longer than any column: what stands beside them stays legible."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Lab
from tests.browser.test_problem import PATIENCE, Person

INPUT = "temperature_of_the_reactor_" * 6
OUTPUT = "yield_of_everything_" * 5
ROWS = "\n".join(f"S{i},{20 + i},{i % 5}.5,{i if i < 5 else ''}" for i in range(12))
# Of each that is visible: its text, the height of that in lines, and its width in letters.
SIZES = """all => all.filter(one => one.checkVisibility() && one.textContent).map(one => {
  const style = getComputedStyle(one)
  const range = document.createRange()
  range.selectNodeContents(one)
  const lines = range.getBoundingClientRect().height / parseFloat(style.lineHeight)
  return [one.textContent, lines, one.getBoundingClientRect().width / parseFloat(style.fontSize)]
})"""
PAST_THE_EDGE = """all => all.filter(one => one.checkVisibility()).map(one => {
  const range = document.createRange()
  range.selectNodeContents(one)
  return range.getBoundingClientRect().right - one.closest("tr").getBoundingClientRect().right
})"""


def test_columns_keep_their_width_and_values_are_whole(lab: Lab) -> None:
    lab.open("?page=problem")
    person = Person(lab.page)
    person.paste(f"sample,{INPUT},time,{OUTPUT}\n{ROWS}\n")
    person.page.get_by_role("button", name="Yes, optimise").filter(visible=True).click()
    person.press("Run an experiment")
    person.press("Propose batch 1")
    person.sees("4 results outstanding")
    region = person.page.get_by_role("region", name="Proposed rows")
    expect(region).to_be_visible(timeout=PATIENCE)
    # In the list of lengthscales and the card of the best, a value is in one line.
    values = person.page.locator("dd").evaluate_all(SIZES)
    assert len(values) >= 5
    assert all(lines < 1.5 for _, lines, _ in values), values
    # The long name is broken where the column is wide enough; the others keep their width.
    heads = region.locator("th").evaluate_all(SIZES)
    assert [name for name, lines, _ in heads if lines > 1.5] == [INPUT]
    assert all(width < 17 for _, _, width in heads), heads
    # On a phone no value is cut off.
    person.page.set_viewport_size({"width": 390, "height": 844})
    cells = region.locator(f'td[data-name="{INPUT}"]')
    expect(cells).to_have_count(4)
    assert all(edge <= 0 for edge in cells.evaluate_all(PAST_THE_EDGE))
