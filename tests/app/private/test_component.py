"""Components of our own in a document: each shortcut ends where Panel's own way would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import panel as pn
import param
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc
from panel.models.esm import DataEvent

from ucbpe_app.private.panel import Component


class Lamp(Component):
    """Two values, and what was asked."""

    level = param.Integer(0)
    words = param.List([])
    _esm = "export function render() {}"

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.asked: list[Any] = []

    def _handle_msg(self, data: Any) -> None:
        self.asked.append((data, pn.state.curdoc, pn.state.busy))
        self.set_values(level=data, words=["on"])


@pytest.fixture
def lamp() -> Lamp:
    return Lamp()


@pytest.fixture
def document(lamp: Lamp) -> Iterator[Document]:
    document = Document()
    with set_curdoc(document):
        lamp.server_doc(document)
    return document


@pytest.fixture
def model(lamp: Lamp, document: Document) -> Any:
    (model,) = (one for one, _ in lamp._models.values())
    return model


def test_a_value_reaches_the_browser_and_is_not_taken_for_its_answer(
    lamp: Lamp, model: Any
) -> None:
    seen: list[int] = []
    lamp.param.watch(lambda event: seen.append(event.new), "level")
    lamp.level = 3
    lamp.words = ["a", "b"]
    assert (model.data.level, model.data.words) == (3, ["a", "b"])
    assert seen == [3]
    assert lamp._changing == {}


def test_a_value_of_the_browser_reaches_us(lamp: Lamp, model: Any, document: Document) -> None:
    lamp._events = {"level": 7}
    lamp._change_event(document)
    assert lamp.level == 7


def test_what_a_watcher_makes_of_the_browsers_value_goes_back(
    lamp: Lamp, model: Any, document: Document
) -> None:
    def correct(event: param.parameterized.Event) -> None:
        if event.new > 5:
            lamp.level = 5

    lamp.param.watch(correct, "level")
    model.data.level = 7  # as the browser has it
    lamp._events = {"level": 7}
    lamp._change_event(document)
    assert lamp.level == model.data.level == 5


def test_layout_and_style_sheets_are_panels_own(lamp: Lamp, model: Any) -> None:
    lamp.visible = False
    lamp.css_classes = ["dim"]
    lamp.stylesheets = [".dim { opacity: 0.5 }"]
    assert not model.visible
    assert "dim" in model.css_classes
    assert ".dim { opacity: 0.5 }" in model.stylesheets


def test_values_taken_together_are_told_once(lamp: Lamp) -> None:
    told: list[tuple[str, ...]] = []
    lamp.param.watch(lambda *events: told.append(tuple(e.name for e in events)), ["level", "words"])
    lamp.set_values(level=1, words=["x"])
    lamp.set_values(level=1, words=["x"])
    assert told == [("level", "words")]


def test_a_message_is_handled_in_its_document_and_keeps_nobody_busy(
    lamp: Lamp, document: Document
) -> None:
    lamp._process_bokeh_event(document, DataEvent(model=None, data=4))
    assert lamp.asked == [(4, document, False)]
    assert lamp.level == 4
    assert pn.state._busy_counter == []


def test_what_is_overridden_is_what_panel_calls() -> None:
    """Another Panel may call these by other names; then the shortcuts would be dead code."""
    callers: dict[str, Callable[..., Any]] = {
        "_process_bokeh_event": pn.custom.JSComponent._comm_event,
        "_update_properties": pn.custom.JSComponent._param_change,
        "_update_model": pn.custom.JSComponent._apply_update,
    }
    for name, caller in callers.items():
        assert name in caller.__code__.co_names


def test_a_message_before_the_page_is_loaded_waits(
    lamp: Lamp, document: Document, model: Any
) -> None:
    document._session_context = object  # type: ignore[assignment, method-assign]
    lamp._process_bokeh_event(document, DataEvent(model, 5))
    assert (lamp.asked, model.data.level) == ([], 0)
    pn.state._on_load(document)
    assert [data for data, *_ in lamp.asked] == [5]
    assert model.data.level == 5
    lamp._process_bokeh_event(document, DataEvent(model, 6))
    assert model.data.level == 6
