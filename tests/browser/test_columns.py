"""No column is shorter than what is in it: what follows would lie on top of its end."""

import pytest

from tests.browser.conftest import Lab
from tests.browser.student import present
from ucbpe_app.main import PAGES

SLACK = 10  # px: the margin of a last child

# Columns that do not scroll, with their height and that of their content.
OVERFLOWING = """
(slack) => {
  const found = []
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (!node.shadowRoot) { continue }
      const column = node.className.includes("layout-Column") && node.clientHeight > 0
      if (column && getComputedStyle(node).overflowY === "visible"
          && node.scrollHeight > node.clientHeight + slack) {
        found.push([node.className, node.clientHeight, node.scrollHeight])
      }
      walk(node.shadowRoot)
    }
  }
  walk(document)
  return found
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
@pytest.mark.parametrize("name", PAGES)
def test_every_column_holds_its_content(lab: Lab, name: str, size: tuple[int, int]) -> None:
    lab.page.set_viewport_size({"width": size[0], "height": size[1]})
    lab.open(f"?page={name}")
    assert "layout-Column" in lab.page.evaluate("Bokeh.index.roots[0].shadow_el.innerHTML")
    lab.page.wait_for_function(f"() => ({OVERFLOWING})({SLACK}).length === 0")


@pytest.mark.slow
@pytest.mark.parametrize("lesson", ["start", "himmelblau"])
def test_so_does_it_when_presented(lab: Lab, lesson: str) -> None:
    lab.open(f"?preset={lesson}")
    present(lab.page)
    lab.page.wait_for_function(f"() => ({OVERFLOWING})({SLACK}).length === 0")
