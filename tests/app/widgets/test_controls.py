"""Controls without a browser: they set what is right and refuse what is wrong."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import pytest

from tests.app.waiting import run
from ucbpe_app.lessons import offered
from ucbpe_app.run.screen import GROUPS, SECTIONS
from ucbpe_app.widgets.controls import Controls
from ucbpe_app.widgets.fields import shown as written
from ucbpe_app.widgets.session import Session
from ucbpe_app.widgets.slider_field import LogSliderField
from ucbpe_app.widgets.strip import SettingsStrip
from ucbpe_core.errors import InputError
from ucbpe_core.problems.abalone import DATA_DIR


@pytest.fixture
def controls() -> Controls:
    session = Session(offered()[0])
    return Controls(session, SettingsStrip(session.settings))


@pytest.mark.parametrize(
    ("name", "text"), [("lengthscale", "0"), ("batch_size", "2.5"), ("mean", "x"), ("delta", "1")]
)
def test_a_refused_value_stays_in_its_field_with_a_notice(
    controls: Controls, name: str, text: str
) -> None:
    before = controls.session.settings.spec()
    field = controls.fields[name]
    field.control.value = text
    assert controls.session.settings.spec() == before
    assert field.control.error_state
    assert field.control.helper_text.startswith(f"{field.control.label} must be ")
    assert f"got {text}" in field.control.helper_text
    assert field.control.value == text
    field.control.value = field.write(getattr(before, name))
    assert not field.control.error_state
    assert field.control.helper_text == ""


def test_a_refused_run_is_told_at_the_control_that_caused_it(controls: Controls) -> None:
    controls.session.invalid = (("initial",), InputError("fewer", "500", "lower initial"))
    assert controls.fields["initial"].control.error_state
    assert "Lower initial." in controls.fields["initial"].control.helper_text


def test_a_slider_moves_its_number_on_a_log_scale(controls: Controls) -> None:
    field = slider(controls, "lengthscale")
    assert field.slider.value == math.log10(0.65)
    field.slider.value = 0.5
    expected = float(f"{math.sqrt(10):.3g}")
    assert controls.session.settings.lengthscale == expected
    assert field.control.value == f"{expected:.4g}"
    assert field.slider.value == 0.5
    field.control.value = "0.065"
    assert field.slider.value == pytest.approx(math.log10(0.065))


def choose(controls: Controls, problem: str) -> None:
    """Choose as a browser does, on a running event loop, until it is taken or refused."""
    control = controls.fields["problem"].control

    async def chosen() -> None:
        control.value = problem
        while controls.session.settings.problem != problem and not control.error_state:
            await asyncio.sleep(0.01)

    run(chosen())


def test_a_problem_that_cannot_be_had_leaves_a_notice_and_can_be_tried_again(
    controls: Controls, without_abalone: Path
) -> None:
    before, control = controls.session.settings.spec(), controls.fields["problem"].control
    replay = controls.session.replay
    for _ in range(2):
        choose(controls, "abalone")
        assert control.value == before.problem
        assert control.error_state
        assert f"Expected abalone.data at {without_abalone}" in control.helper_text
        assert f"{DATA_DIR} to the folder that holds abalone.data" in control.helper_text
        assert control.helper_text.endswith("The run is kept.")
        assert controls.session.settings.spec() == before
        assert (controls.session.replay, controls.session.busy) == (replay, None)
        control.error_state = False  # so that the next refusal shows itself
    control.error_state = True
    choose(controls, "himmelblau")
    assert controls.session.settings.problem == "himmelblau"
    assert not control.error_state
    assert control.helper_text == ""


@pytest.mark.parametrize(
    ("change", "shown", "hidden"),
    [
        ({"kernel": "Matérn"}, ["nu", "lengthscale"], ["degree", "offset"]),
        ({"kernel": "Polynomial"}, ["degree", "offset"], ["nu", "lengthscale"]),
        ({"schedule": "Constant"}, ["beta"], ["delta"]),
        ({"schedule": "Compact cube"}, ["delta"], ["beta"]),
        ({"policy": "GP-UCB"}, ["batches"], ["batch_size"]),
    ],
    ids=str,
)
def test_only_controls_that_matter_are_shown(
    controls: Controls, change: dict[str, str], shown: list[str], hidden: list[str]
) -> None:
    controls.session.settings.accept(**change)
    assert all(controls.fields[name].control.visible for name in shown)
    assert not any(controls.fields[name].control.visible for name in hidden)


def shown(controls: Controls) -> set[str]:
    """Names of what the column offers."""
    fields = {name for name, field in controls.fields.items() if field.control.visible}
    return fields | {n for n in ("reset", "fit") if getattr(controls, n).visible}


def headings(controls: Controls) -> list[str]:
    return [title for title, heading in controls.form.headings.items() if heading.visible]


def test_hidden_controls_and_groups_are_not_offered_and_come_back(controls: Controls) -> None:
    controls.open()
    whole = shown(controls)
    # The first fields under the others have their names.
    named = [one for one in SECTIONS if one not in ("Problem", "Policy")]
    assert headings(controls) == [one for one in named if set(GROUPS[one]) & whole]
    controls.hide({"Belief", "batch_size", "preset"})
    assert shown(controls) == whole - GROUPS["Belief"] - {"batch_size"}
    assert not controls.lessons
    assert headings(controls) == ["Confidence"]
    # A choice that would show a control does not show a hidden one; a hidden slider goes along.
    controls.session.settings.accept(kernel="Matérn", policy="GreedyUCB", schedule="Constant")
    assert not {"nu", "batch_size"} & shown(controls)
    assert "beta" in shown(controls)
    lengthscale = slider(controls, "lengthscale")
    assert not lengthscale.slider.visible
    controls.hide(())
    assert controls.lessons
    assert shown(controls) == (whole | {"nu", "beta"}) - {"delta"}
    assert lengthscale.slider.visible


# Numbers as people type them, and sliders that agree with their fields.


def slider(controls: Controls, name: str) -> LogSliderField:
    field = controls.fields[name]
    assert isinstance(field, LogSliderField)
    return field


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
    assert field.control.value == field.slider.value_label == written(settings.lengthscale)
    field.slider.value = 0.25
    field.leave_to_browser(on=False)
    assert field.control.value == field.slider.value_label == written(settings.lengthscale)
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
    assert written(value) == text
