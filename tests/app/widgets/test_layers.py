"""Which layers are offered, and that a choice outlives a picture that cannot show it."""

from __future__ import annotations

import pytest

from ucbpe_app.run.screen import Layers
from ucbpe_app.widgets.link_bar import LayerChoice

LATER = ["plane", "stop", "draws", "prior"]


@pytest.fixture
def choice() -> LayerChoice:
    return LayerChoice({"truth", "noisy"})


def test_the_buttons_show_the_choice_and_change_it(choice: LayerChoice) -> None:
    assert choice.layers == Layers(truth=True, noisy=True)
    assert set(choice.panel.value) == {"truth", "noisy"}
    choice.panel.value = ["log"]
    assert choice.layers == Layers(truth=False, log=True)
    choice.chosen = frozenset({"bounds"})
    assert choice.panel.value == ["bounds"]


def test_a_layer_not_offered_is_kept_until_it_is_offered_again(choice: LayerChoice) -> None:
    seen = list[frozenset[str]]()
    choice.param.watch(lambda event: seen.append(event.new), "chosen")
    choice.offer(inputs=2)
    assert "noisy" not in choice.panel.options.values()
    assert choice.panel.value == ["truth"]
    assert choice.layers.noisy
    choice.panel.value = ["truth", "log"]
    choice.offer(inputs=1)
    assert set(choice.panel.value) == {"truth", "noisy", "log"}
    assert seen == [frozenset({"truth", "noisy", "log"})]


def test_a_hidden_layer_is_not_offered_and_stays_as_it_is(choice: LayerChoice) -> None:
    choice.hide({"truth", "log"})
    assert list(choice.panel.options.values()) == ["noisy", "bounds", *LATER]
    assert choice.layers == Layers(truth=True, noisy=True)
    choice.panel.value = ["bounds"]
    assert choice.layers == Layers(truth=True, bounds=True)
    choice.offer(inputs=2)
    assert list(choice.panel.options.values()) == ["bounds", *LATER]
    choice.hide({"Layers"})
    assert not choice.panel.visible
    choice.hide(())
    choice.offer(inputs=1)
    assert choice.panel.visible
    offered = {"truth", "noisy", "log", "bounds", *LATER}
    assert set(choice.panel.options.values()) == offered
    assert choice.layers == Layers(truth=True, bounds=True)


def test_the_truth_is_not_pressed_while_picks_are_predicted(choice: LayerChoice) -> None:
    """It is hidden then, and comes back: when predicting ends, or when it is pressed itself."""
    choice.toggle("predict")
    assert choice.panel.value == ["noisy"]
    assert choice.layers == Layers(truth=True, noisy=True, predict=True)
    assert not choice.layers.shown.truth
    choice.panel.value = ["noisy", "log"]
    assert choice.layers == Layers(truth=True, noisy=True, log=True, predict=True)
    choice.toggle("predict")
    assert set(choice.panel.value) == {"truth", "noisy", "log"}
    assert choice.layers.shown.truth

    choice.toggle("predict")
    choice.panel.value = [*choice.panel.value, "truth"]
    assert set(choice.panel.value) == {"truth", "noisy", "log"}
    assert choice.layers == Layers(truth=True, noisy=True, log=True)


@pytest.mark.parametrize("added", [[], ["log"]])
def test_a_link_that_predicts_has_the_truth_for_afterwards(added: list[str]) -> None:
    choice = LayerChoice({"truth", "predict"})
    assert choice.panel.value == []
    choice.panel.value = added
    assert choice.chosen == {"truth", "predict", *added}
