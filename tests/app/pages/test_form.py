"""A form for settings: what a page adds to it, and what it shows."""

from __future__ import annotations

import panel as pn
import pytest

from ucbpe_app.pages.fields import NumberField
from ucbpe_app.pages.form import SettingsForm
from ucbpe_app.pages.slider_field import LogSliderField
from ucbpe_app.run.settings import Settings

SECTIONS = {"Belief": (("kernel",), ("nu", "variance")), "": (("beta",),)}


@pytest.fixture
def settings() -> Settings:
    return Settings()


def test_fields_stand_in_sections_with_what_is_under_them(settings: Settings) -> None:
    under, last = pn.pane.HTML("under kernel"), pn.pane.HTML("last of Belief")
    settings.accept(schedule="Constant")  # which has a beta
    form = SettingsForm(settings, SECTIONS, under={"kernel": (under,), "Belief": (last,)})
    fields = form.fields
    heading, kernel, below, row, end, beta, slider = form.__panel__()
    assert (heading, kernel, below, end) == (
        form.headings["Belief"], fields["kernel"].control, under, last,
    )  # fmt: skip
    assert list(row) == [fields["nu"].control, fields["variance"].control]
    assert [beta, slider] == fields["beta"].parts


def test_a_row_is_laid_out_when_it_is_first_shown_and_then_stays(settings: Settings) -> None:
    form = SettingsForm(settings, {"Belief": (("kernel",), ("nu",), ("variance",))})
    heading, kernel, variance, slider = form.__panel__()
    assert "control" not in vars(form.fields["nu"])
    settings.nu = 1.5
    settings.accept(kernel="Matérn")
    nu = form.fields["nu"].control
    assert list(form.__panel__()) == [heading, kernel, nu, variance, slider]
    assert (nu.value, nu.visible) == ("1.5", True)
    settings.accept(kernel="RBF")
    assert list(form.__panel__()) == [heading, kernel, nu, variance, slider]
    assert not nu.visible


def test_sliders_are_where_the_list_of_settings_has_them(settings: Settings) -> None:
    form = SettingsForm(settings, SECTIONS)
    assert isinstance(form.fields["variance"], LogSliderField)
    assert type(form.fields["nu"]) is NumberField
    plain = SettingsForm(settings, SECTIONS, sliders=False)
    assert type(plain.fields["variance"]) is NumberField
