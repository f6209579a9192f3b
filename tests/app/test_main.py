"""Which page an address opens."""

from __future__ import annotations

import panel as pn
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from ucbpe_app import main
from ucbpe_app.widgets.address import Connection


def asked(monkeypatch: pytest.MonkeyPatch, **fields: list[bytes]) -> tuple[str, str]:
    monkeypatch.setattr(type(pn.state), "session_args", property(lambda _: fields))
    return main._asked()


def test_a_page_that_there_is_not_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    name, _ = asked(monkeypatch, page=[b"nowhere"])
    assert name == "step"
    assert main._missing(name) == "There is no page 'nowhere'; this is Step."
    for page in main.PAGES:
        name, _ = asked(monkeypatch, page=[page.encode()])
        assert main._missing(name) == ""


def test_a_visitor_leaves_nobody_behind_who_is_told_of_every_click() -> None:
    """Else each visit would make every later step of everybody slower."""
    main.page()
    before = len(main._followers())
    for _ in range(2):
        assert main.laboratory().busy is False
    assert len(main._followers()) == before


def test_what_a_visitor_computes_ends_with_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[object] = []
    monkeypatch.setattr(main, "leave", left.append)
    document = Document()
    with set_curdoc(document):
        main.page()
    for callback in document.session_destroyed_callbacks:
        callback(None)
    assert left == [document]
    # Bokeh resumes no session, and says nothing: the page does, and loads itself again.
    assert not document.config.reconnect_session
    assert not document.config.notify_connection_status


def test_a_page_is_answered_that_asks_whether_anybody_is_there() -> None:
    connection = Connection()
    connection.receive({"beat": 3})
    assert connection.answered == 3
