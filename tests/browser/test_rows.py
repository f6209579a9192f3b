"""Your problem: what is typed in a list of rows and not recorded."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.view import show
from ucbpe_app.problem.rows import RowsPage, RowText
from ucbpe_app.problem.views import RowsView

_KEPT = """async () => {
  const detail = []
  window.dispatchEvent(new CustomEvent("ucbpe-return", {detail}))
  return (await Promise.all(detail)).every(Boolean)
}"""


def rows(*numbers: int) -> dict[str, object]:
    """A page with these rows."""
    made = [RowText(f"c{j}", f"candidate {j}", "", (str(j),), "") for j in numbers]
    page = RowsPage(("row",), ("number",), tuple(made), 0, 2, 4)
    return page._asdict() | {"rows": [row._asdict() for row in made]}


@pytest.mark.parametrize("keeps", [False, True])
def test_what_is_typed_and_not_recorded(page: Page, keeps: bool) -> None:
    """The browser has that of the open batch; of other lists it is in the fields alone."""
    page.route("**/*", lambda route: route.fulfill(body="<p>", content_type="text/html"))
    page.goto("http://127.0.0.1/")  # which can keep something
    view = RowsView(lambda *_: None, identity="first", keeps=keeps, field="result")
    names = ("identity", "keeps", "field", "caption", "status", "output", "verb", "noun", "remove",
             "actions", "nothing", "clears", "faults", "fault", "settled", "busy")  # fmt: skip
    values = {name: getattr(view, name) for name in names} | {"page": rows(0, 1)}
    show(page, RowsView._esm, values)
    field, record = page.get_by_label("result, candidate 1"), page.get_by_role("button").last
    assert page.evaluate(_KEPT)
    field.fill("7.5")
    assert page.evaluate(_KEPT) == keeps
    # What is left is checked; what is marked is not recorded, until it is changed.
    field.fill("abc")
    page.get_by_label("result, candidate 0").focus()
    assert page.evaluate("sent.splice(0)") == [{"check": {"c1": "abc"}}]
    page.evaluate("answer({faults: {c1: 'Expected a number.'}})")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(record).to_be_disabled()
    field.fill("7.5")
    expect(record).to_be_enabled()
    page.evaluate("answer({faults: {}})")
    # Another page of the list: what is not in sight is not recorded, and is there on the way back.
    page.evaluate("(page) => answer({page})", rows(2, 3))
    expect(record).to_be_disabled()
    page.get_by_label("result, candidate 2").fill("1")
    record.click()
    assert page.evaluate("sent.filter(({tell}) => tell)") == [{"tell": {"c2": "1"}, "request": 1}]
    page.evaluate("(page) => answer({page})", rows(0, 1))
    expect(field).to_have_value("7.5")
    # Not in another experiment.
    page.evaluate("answer({identity: 'second'})")
    expect(field).to_have_value("")
    page.evaluate("answer({identity: 'first'})")
    expect(field).to_have_value("7.5" if keeps else "")
