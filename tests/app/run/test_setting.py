"""The list of settings: where each stands, and what it can be."""

from __future__ import annotations

import param
import pytest

from ucbpe_app.run.setting import Setting, arranged, check_value, paired
from ucbpe_core.errors import InputError


def placed(section: str, *, beside: bool = False) -> Setting:
    return Setting(param.Number(0.0), section, "a number", beside=beside)


def test_settings_stand_under_their_headings_in_order() -> None:
    settings = {"a": placed("One"), "b": placed("Two"), "c": placed("One"), "d": placed("Two")}
    settings["e"] = placed("One", beside=True)
    assert arranged(settings) == {"One": (("a",), ("c", "e")), "Two": (("b",), ("d",))}


def test_pairs_leave_wide_settings_alone() -> None:
    assert paired("abcdef", "ad") == (("a",), ("b", "c"), ("d",), ("e", "f"))
    assert paired("abc", "") == (("a", "b"), ("c",))


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), "much", None])
def test_a_value_out_of_bounds_is_refused_with_what_can_be(value: object) -> None:
    parameter = param.Number(1.0, bounds=(0, None), inclusive_bounds=(False, True), label="Noise")
    check_value(parameter, 0.5)
    with pytest.raises(InputError, match="Noise to be a number above 0"):
        check_value(parameter, value)
