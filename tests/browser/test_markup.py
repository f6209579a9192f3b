"""Text that changes at a step: the browser shows what it is told, and keeps what stays."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Lab
from tests.browser.student import Student

# Of every text: what it is told, as the browser writes it, and what it shows.
TEXTS = """
() => {
  const found = []
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.matches(".markup")) { found.push(node) }
      if (node.shadowRoot) { walk(node.shadowRoot) }
    }
  }
  walk(document)
  // In one order: an attribute that is set later stands later.
  const written = (node) => {
    const copy = node.cloneNode(true)
    for (const one of copy.querySelectorAll("*")) {
      const all = [...one.attributes].map(({name, value}) => [name, value]).sort()
      for (const [name] of all) { one.removeAttribute(name) }
      for (const [name, value] of all) { one.setAttribute(name, value) }
    }
    return copy.innerHTML
  }
  const told = [...Bokeh.documents[0].all_models]
    .filter((model) => model.type.startsWith("Markup")).map((model) => {
      const wanted = document.createElement("div")
      wanted.innerHTML = model.object
      return written(wanted)
    })
  return [told.sort(), found.map(written).sort()]
}
"""
MARK = """
(headings) => headings.forEach((heading) => { heading.kept = true })
"""


@pytest.mark.slow
@pytest.mark.parametrize("lesson", ["start", "himmelblau"])
def test_every_event_is_told_word_by_word(lab: Lab, lesson: str) -> None:
    student = Student(lab, lesson)
    seen, start = set[str](), student.replay.batch_start(3)
    keys = [("Home", 0), *(("ArrowRight", i) for i in range(1, start + 3))]
    for key, index in [*keys, ("Shift+ArrowLeft", start), ("ArrowLeft", start - 1)]:
        lab.page.keyboard.press(key)
        student.sees(index)
        told, shown = lab.page.evaluate(TEXTS)
        assert shown == told
        seen.update(shown)
    assert len(seen) > len(shown) + 10


@pytest.mark.slow
def test_what_stays_is_not_written_again(lab: Lab) -> None:
    student = Student(lab, "start")
    headings = lab.page.locator(".markup h2")
    headings.evaluate_all(MARK)
    count = headings.count()
    assert count >= 2
    student.button("Next event").click()
    student.sees(1)
    assert headings.evaluate_all("(all) => all.filter((one) => one.kept).length") == count
