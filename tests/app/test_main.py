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


FLAG, NAMED = {"own": [b"1"]}, {"problem": [b"own-" + b"0" * 32]}


@pytest.mark.parametrize(
    ("name", "fields", "said"),
    [
        *((name, FLAG, "not all of its values are known") for name in ("race", "step", "theory")),
        *((name, NAMED, "") for name in ("race", "step", "theory", "problem")),
        ("study", FLAG, "not all of its values are known"),
        ("study", NAMED, "A study runs on problems of the laboratory"),
        ("problem", FLAG, ""),
    ],
)
def test_a_page_says_that_a_table_of_ones_own_is_not_on_it(
    name: str, fields: dict[str, list[bytes]], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, loaded = list[tuple[str, int]](), list[object]()

    class Notifications:
        def warning(self, text: str, duration: int) -> None:
            told.append((text, duration))

    state = type(pn.state)
    monkeypatch.setattr(state, "notifications", property(lambda _: Notifications()))
    monkeypatch.setattr(state, "onload", lambda _, callback, **__: loaded.append(callback))
    found, query = asked(monkeypatch, page=[name.encode()], K=[b"3"], **fields)
    assert (found, query.endswith("K=3") or "problem=own-" in query) == (name, True)
    assert "own=" not in query
    main.page()
    for callback in loaded:
        if getattr(callback, "__name__", "") == "<lambda>":
            callback()  # type: ignore[operator]
    assert len(told) == bool(said)
    assert all(said in text and duration >= 10_000 for text, duration in told)


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
    connection._handle_msg({"beat": 3})
    assert connection.answered == 3
