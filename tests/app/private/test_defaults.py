"""Defaults that are remembered are those that Bokeh works out."""

from __future__ import annotations

import bokeh.models
import pytest
from bokeh.core.has_props import HasProps
from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.core.property.wrappers import PropertyValueContainer
from bokeh.document import Document
from bokeh.document.models import DocumentModelManager
from bokeh.model import Model
from bokeh.models import Plot, Range1d
from bokeh.themes import Theme

from ucbpe_app.private import bokeh as defaults

CLASSES = [
    one
    for one in vars(bokeh.models).values()
    if isinstance(one, type) and issubclass(one, Model) and not one.__dict__.get("__abstract__")
]


@pytest.mark.filterwarnings("ignore::bokeh.util.warnings.BokehDeprecationWarning")
def test_every_default_is_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(defaults, "_known", {})
    compared = 0
    for one in CLASSES:
        try:
            before, first, second = one(), one(), one()
            set_ = set(before._property_values)  # a figure brings some
        except TypeError:  # abstract, or with arguments
            continue
        for descriptor in (one.lookup(name) for name in one.properties()):
            if type(descriptor) is not PropertyDescriptor or descriptor.name in set_:
                continue
            try:
                wanted = descriptor._get(before)
            except Exception:  # noqa: BLE001 - one without a default
                continue
            for model in (first, second):
                got = defaults._remembered(descriptor, model)
                assert type(got) is type(wanted)
                if type(wanted) in defaults._PLAIN:
                    assert got == wanted or got != got
                    compared += 1
    assert compared > 5000
    assert len(defaults._known) > 2000


def test_a_theme_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(defaults, "_known", {})
    monkeypatch.setattr(PropertyDescriptor, "_get_default", defaults._remembered)
    plain = bokeh.models.LinearAxis()
    assert plain.axis_line_width == 1
    themed = bokeh.models.LinearAxis()
    Theme(json={"attrs": {"Axis": {"axis_line_width": 7}}}).apply_to_model(themed)
    assert themed.axis_line_width == 7
    assert bokeh.models.LinearAxis().axis_line_width == 1
    themed.axis_line_width = 3
    assert themed.axis_line_width == 3


def test_empty_defaults_are_let_go_and_those_in_use_are_kept() -> None:
    """A page keeps 2 MB less, and no change is lost."""
    document, held, other = Document(), Range1d(), Range1d()
    plot = Plot(x_range=held, y_range=other)
    document.add_root(plot)
    tags = held.tags  # whoever holds it may change it later
    for name in ("tags", "js_property_callbacks"):
        getattr(other, name)
    defaults.forget_defaults(document.models)
    assert "tags" in held._unstable_default_values
    assert not {"tags", "js_property_callbacks"} & set(other._unstable_default_values)
    assert not any(
        isinstance(value, PropertyValueContainer) and not value
        for model in document.models
        if model is not held
        for value in model._unstable_default_values.values()
    )
    tags.append("held")
    other.tags.append("other")
    assert (held.tags, other.tags) == (["held"], ["other"])
    defaults.forget_defaults(document.models)
    assert (held.tags, other.tags) == (["held"], ["other"])
    assert plot.toolbar is plot.toolbar  # a default that is a model stays


def test_they_are_let_go_whenever_models_come_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, name in (
        (PropertyDescriptor, "_get_default"),
        (HasProps, "themed_values"),
        (DocumentModelManager, "recompute"),
        *((PropertyValueContainer, f"{name}_owner") for name in ("_register", "_unregister")),
        (PropertyValueContainer, "__init__"),
    ):
        monkeypatch.setattr(kind, name, getattr(kind, name))
    defaults.remember_defaults()
    document, plot = Document(), Plot()
    document.add_root(plot)
    for _ in range(2):
        plot.renderers = []
        plot.x_range = Range1d()
        assert plot.x_range in set(document.models)
        for model in document.models:
            kept = model._unstable_default_values.values()
            assert not [one for one in kept if isinstance(one, PropertyValueContainer) and not one]


def test_a_list_tells_each_model_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("__init__", "_register_owner", "_unregister_owner"):
        monkeypatch.setattr(PropertyValueContainer, name, getattr(PropertyValueContainer, name))
    for kind, name in ((PropertyDescriptor, "_get_default"), (HasProps, "themed_values")):
        monkeypatch.setattr(kind, name, getattr(kind, name))
    defaults.remember_defaults()
    one, two, seen = Range1d(), Range1d(), list[str]()
    one.tags = [1]
    two.tags = one.tags
    one.on_change("tags", lambda attr, old, new: seen.append("one"))
    two.on_change("tags", lambda attr, old, new: seen.append("two"))
    tags = one.tags
    tags.append(2)
    assert seen == ["one", "two"]
    one.tags = []
    seen.clear()
    tags.append(3)
    assert (seen, two.tags, one.tags) == (["two"], [1, 2, 3], [])
