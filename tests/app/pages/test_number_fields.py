"""Numbers as people type them, and sliders that agree with their fields."""

from __future__ import annotations

import math

import pytest

from ucbpe_app.lessons import offered
from ucbpe_app.pages.controls import Controls
from ucbpe_app.pages.fields import shown
from ucbpe_app.pages.session import Session
from ucbpe_app.pages.slider_field import LogSliderField
from ucbpe_app.pages.strip import SettingsStrip


@pytest.fixture
def controls() -> Controls:
    session = Session(offered()[0])
    return Controls(session, offered()[0], SettingsStrip(session.settings))


def slider(controls: Controls, name: str) -> LogSliderField:
    field = controls.fields[name]
    assert isinstance(field, LogSliderField)
    return field


@pytest.mark.parametrize(("text", "value"), [("0,3", 0.3), ("−0,25", -0.25), ("1,5e1", 15.0)])
def test_a_decimal_comma_is_taken_in_every_field(
    controls: Controls, text: str, value: float
) -> None:
    controls.fields["mean"].control.value = text
    assert controls.session.settings.mean == value
    assert not controls.fields["mean"].control.error_state


def test_a_comma_with_two_meanings_is_refused_with_both(controls: Controls) -> None:
    field = controls.fields["mean"]
    field.control.value = "1,500"
    assert field.control.error_state
    assert "can be read in two ways" in field.control.helper_text
    assert "rite 1500 or 1.5" in field.control.helper_text
    assert controls.session.settings.mean == 0.0
    field.control.value = "1500"
    assert controls.session.settings.mean == 1500


@pytest.mark.parametrize("name", ["lengthscale", "variance", "scale", "beta", "noise_variance"])
def test_the_bubble_shows_what_the_field_shows(controls: Controls, name: str) -> None:
    field = slider(controls, name)
    assert field.slider.value_label == field.control.value
    for offset in (-0.75, 1.25):
        field.slider.value += offset
        assert field.slider.value_label == field.control.value


def test_what_the_browser_writes_itself_is_not_written_until_it_ends(controls: Controls) -> None:
    field, settings = slider(controls, "lengthscale"), controls.session.settings
    field.leave_to_browser(on=True)
    field.slider.value = 0.5
    assert settings.lengthscale == float(f"{10**0.5:.3g}")
    assert field.control.value == field.slider.value_label == "0.65"
    settings.lengthscale = 1.3  # by anything but the slider, as Undo
    assert field.control.value == field.slider.value_label == "1.3"
    field.slider.value = -0.5
    field.leave_to_browser(on=True)  # what the server draws, it writes
    assert field.control.value == field.slider.value_label == shown(settings.lengthscale)
    field.slider.value = 0.25
    field.leave_to_browser(on=False)
    assert field.control.value == field.slider.value_label == shown(settings.lengthscale)
    assert field.slider.value == 0.25  # the thumb stays where it is


@pytest.mark.parametrize("text", ["1e-5", "0,002", "5000"])
def test_a_typed_value_is_never_beyond_the_slider(controls: Controls, text: str) -> None:
    field = slider(controls, "scale")
    field.control.value = text
    value = controls.session.settings.scale
    assert value == float(text.replace(",", "."))
    assert field.slider.start <= field.slider.value <= field.slider.end
    assert field.slider.value == pytest.approx(math.log10(value))
    field.control.value = "1"
    assert (field.slider.start, field.slider.end) == (-1.0, 1.0)


@pytest.mark.parametrize(
    ("value", "text"),
    [(4e4, "40000"), (123456.0, "123500"), (0.00012, "0.00012"), (2e9, "2e+09"), (0.3, "0.3")],
)
def test_a_number_is_written_out_where_people_write_it_out(value: float, text: str) -> None:
    assert shown(value) == text
