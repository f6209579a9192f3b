"""Factors on two settings, from where one began."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from ucbpe_app.pages.step.what_if import FACTORS, WhatIf
from ucbpe_app.run.settings import Settings
from ucbpe_core.errors import InputError


@pytest.fixture
def settings() -> Settings:
    settings = Settings()
    settings.accept(scale=0.3, lengthscale=0.65)
    return settings


@pytest.fixture
def what_if(settings: Settings) -> WhatIf:
    return WhatIf(settings)


@pytest.mark.parametrize("name", FACTORS)
def test_every_factor_is_of_the_value_one_began_with(
    settings: Settings, what_if: WhatIf, name: str
) -> None:
    began = getattr(settings, name)
    assert what_if.factor(name) == 1
    for factor in (*FACTORS[name], *reversed(FACTORS[name])):
        what_if.choose(name, factor)
        assert getattr(settings, name) == pytest.approx(factor * began, rel=1e-11)
        assert what_if.factor(name) == factor
    what_if.choose(name, 1)
    assert getattr(settings, name) == began


def test_a_value_of_ones_own_is_a_new_beginning(settings: Settings, what_if: WhatIf) -> None:
    what_if.choose("scale", 5)
    settings.accept(scale=0.9)
    assert what_if.factor("scale") == 1
    what_if.choose("scale", 5)
    assert settings.scale == 4.5
    assert what_if.factor("lengthscale") == 1


def test_undo_of_a_factor_goes_back_to_one(settings: Settings, what_if: WhatIf) -> None:
    before = asdict(settings.spec())
    what_if.choose("scale", 5)
    settings.accept(**before)
    assert what_if.factor("scale") == 1
    assert settings.scale == 0.3


def test_a_lesson_is_a_new_beginning(settings: Settings, what_if: WhatIf) -> None:
    settings.accept(scale=1.5, batch_size=7)  # five times, by chance
    assert what_if.factor("scale") == 1


def test_other_settings_change_nothing(settings: Settings, what_if: WhatIf) -> None:
    what_if.choose("scale", 5)
    settings.accept(batch_size=7)
    assert what_if.factor("scale") == 5


def test_a_kernel_without_a_lengthscale_has_no_factor_for_it(
    settings: Settings, what_if: WhatIf
) -> None:
    settings.accept(kernel="Polynomial")
    assert what_if.factor("lengthscale") is None
    assert what_if.factor("scale") == 1


def test_a_product_that_the_settings_refuse_changes_nothing(
    settings: Settings, what_if: WhatIf
) -> None:
    settings.accept(scale=1e308)
    with pytest.raises(InputError):
        what_if.choose("scale", 5)
    assert settings.scale == 1e308
    assert what_if.factor("scale") == 1
