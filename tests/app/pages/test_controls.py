"""Controls without a browser: they set what is right and refuse what is wrong."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import pytest

from tests.app.waiting import run
from ucbpe_app.lessons import offered
from ucbpe_app.pages.controls import Controls
from ucbpe_app.pages.session import Session
from ucbpe_app.pages.slider_field import LogSliderField
from ucbpe_app.pages.strip import SettingsStrip
from ucbpe_app.run.screen import GROUPS, SECTIONS
from ucbpe_core.errors import InputError
from ucbpe_core.problems.abalone import DATA_DIR


@pytest.fixture
def controls() -> Controls:
    session = Session(offered()[0])
    return Controls(session, offered()[0], SettingsStrip(session.settings))


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
    field = controls.fields["lengthscale"]
    assert isinstance(field, LogSliderField)
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
    for _ in range(2):
        choose(controls, "abalone")
        assert control.value == before.problem
        assert control.error_state
        assert f"Expected abalone.data at {without_abalone}" in control.helper_text
        assert f"{DATA_DIR} to the folder that holds abalone.data" in control.helper_text
        assert control.helper_text.endswith("The run is kept.")
        assert controls.session.settings.spec() == before
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
    return fields | {n for n in ("preset", "reset", "fit") if getattr(controls, n).visible}


def headings(controls: Controls) -> list[str]:
    return [title for title, heading in controls.form.headings.items() if heading.visible]


def test_hidden_controls_and_groups_are_not_offered_and_come_back(controls: Controls) -> None:
    controls.open()
    whole = shown(controls)
    # The first fields under the others have their names.
    named = [one for one in SECTIONS if one not in ("Problem", "Policy")]
    assert headings(controls) == [one for one in named if set(GROUPS[one]) & whole]
    controls.hide({"Belief", "batch_size", "preset"})
    assert shown(controls) == whole - GROUPS["Belief"] - {"batch_size", "preset"}
    assert headings(controls) == ["Confidence"]
    # A choice that would show a control does not show a hidden one; a hidden slider goes along.
    controls.session.settings.accept(kernel="Matérn", policy="GreedyUCB", schedule="Constant")
    assert not {"nu", "batch_size"} & shown(controls)
    assert "beta" in shown(controls)
    lengthscale = controls.fields["lengthscale"]
    assert isinstance(lengthscale, LogSliderField)
    assert not lengthscale.slider.visible
    controls.hide(())
    assert shown(controls) == (whole | {"nu", "beta"}) - {"delta"}
    assert lengthscale.slider.visible
