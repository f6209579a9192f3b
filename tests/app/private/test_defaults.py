"""Defaults that are remembered are those that Bokeh works out."""

from __future__ import annotations

import bokeh.models
import pytest
from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.model import Model
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
