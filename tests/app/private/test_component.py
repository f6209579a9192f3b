"""A message that comes before its page is loaded waits."""

from __future__ import annotations

from typing import Any

import panel as pn
import param
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc
from panel.models.esm import DataEvent

from ucbpe_app.private.panel import Component


class Lamp(Component):
    """A value that a message sets."""

    level = param.Integer(0)
    _esm = "export function render() {}"

    def receive(self, data: Any) -> None:
        self.level = data


def levels(lamp: Any) -> list[int]:
    """What the browser has after a message before its page is loaded, then, and after another."""
    document = Document()
    with set_curdoc(document):
        lamp.server_doc(document)
    ((model, _),) = lamp._models.values()
    document._session_context = object  # type: ignore[assignment, method-assign]
    found = list[int]()
    for act in (
        lambda: lamp._process_bokeh_event(document, DataEvent(model, 5)),
        lambda: pn.state._on_load(document),
        lambda: lamp._process_bokeh_event(document, DataEvent(model, 6)),
    ):
        act()
        found.append(model.data.level)
    return found


def test_a_message_before_the_page_is_loaded_waits() -> None:
    assert levels(Lamp()) == [0, 5, 6]


@pytest.mark.parametrize("value", [3, 4])
def test_a_value_goes_to_the_browser(value: int) -> None:
    lamp, document = Lamp(), Document()
    with set_curdoc(document):
        lamp.server_doc(document)
    ((model, _),) = lamp._models.values()
    lamp.level = value
    assert model.data.level == value
