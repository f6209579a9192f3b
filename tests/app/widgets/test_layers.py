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
