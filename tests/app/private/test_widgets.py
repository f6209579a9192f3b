"""Widgets of which less is kept are told of all that a browser can change."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import panel as pn
import panel_material_ui as pmui
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc
from panel_material_ui.base import MaterialComponent
from panel_material_ui.widgets.base import MaterialWidget

import ucbpe_app
from ucbpe_app.components.drawer import DrawerButton
from ucbpe_app.components.timeline import Timeline
from ucbpe_app.private.panel import (
    CHANGED_BY_BROWSERS,
    Component,
    forget_unused,
    make_parts_light,
    objects_of,
)
from ucbpe_app.private.param import UNUSED

USED = re.compile(r"\bpmui\.([A-Z]\w+)")
SETTER = re.compile(r"\[\s*\w*\s*,\s*\w+\s*\]\s*=\s*model\.useState\(\"(\w+)\"\)|model\.(\w+) = ")
SOURCES = Path(ucbpe_app.__file__).parent
WIDGETS = {
    name
    for path in SOURCES.rglob("*.py")
    for name in USED.findall(path.read_text(encoding="utf-8"))
    if issubclass(getattr(pmui, name), MaterialWidget | pmui.Typography)
}


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    for one in (MaterialWidget, pmui.Typography, pn.Column):
        monkeypatch.setattr(one, "_link_props", one._link_props)
    for one, name in ((MaterialComponent, "_process_importmap"), (Component, "_render_esm")):
        monkeypatch.setattr(one, name, getattr(one, name))
    make_parts_light()


@pytest.mark.parametrize("name", sorted(WIDGETS))
def test_what_the_script_of_a_widget_changes_is_followed(name: str) -> None:
    script = getattr(pmui, name)._esm_base
    (path,) = Path(pmui.__file__).parent.rglob(script)
    found = SETTER.findall(path.read_text(encoding="utf-8"))
    assert {first or second for first, second in found} <= CHANGED_BY_BROWSERS


@pytest.mark.usefixtures("light")
def test_values_go_both_ways_and_looks_to_the_browser() -> None:
    widget, document = pmui.TextInput(label="a", value="1"), Document()
    with set_curdoc(document):
        widget.server_doc(document)
    ((model, _),) = widget._models.values()
    values: Any = model.data
    assert set(values._callbacks) == {"value", "value_input"}
    widget.param.update(value="2", label="b")
    assert (values.value, values.label) == ("2", "b")
    values.value = "3"
    assert widget.value == "3"
    assert DrawerButton._render_esm() is DrawerButton._render_esm()
    assert DrawerButton._render_esm() != Timeline._render_esm()
    first, second = (pmui.TextInput._process_importmap() for _ in range(2))
    assert first is second
    assert first is not pmui.Select._process_importmap()


def test_a_pane_goes_on_without_what_no_page_uses() -> None:
    pane, document = pn.pane.HTML("a"), Document()
    with set_curdoc(document):
        pn.Column(pane).server_doc(document)
    before = len(pane._internal_callbacks)
    forget_unused(objects_of(document))
    assert before - len(pane._internal_callbacks) == len(UNUSED)
    assert not pane.layout.objects
    ((model, _),) = pane._models.values()
    pane.param.update(object="b", visible=False)
    assert (model.text, model.visible) == ("b", False)
