"""Two rules side by side: the run's own numbers, what is changed, and the line that is current."""

from __future__ import annotations

import re

import pytest

from ucbpe_app.components.rules import RulesView
from ucbpe_app.lessons import find
from ucbpe_app.pages.layers import LayerChoice
from ucbpe_app.run.cache import load
from ucbpe_app.run.notation import event_of
from ucbpe_app.run.replay import Replay
from ucbpe_app.run_view import RunView


@pytest.fixture(scope="module")
def vizier() -> Replay:
    lesson = find("vizier")
    assert lesson is not None
    assert "rules" in lesson.layers
    return load(lesson.spec())


def lit(html: str) -> list[str]:
    """The first cells of the lines that are current."""
    return re.findall(r'<tr class="lit" aria-current="step"><td>(.*?)</td>', html)


@pytest.mark.parametrize(
    ("event", "current"),
    [
        ("3.posterior", []),
        ("3.pick.0", ["x⁰"]),
        ("3.region", ["y•", "R⁺"]),
        ("3.pick.1", ["xᵏ"]),
        ("3.observe", []),
    ],
)
def test_the_current_line_is_that_of_the_event(
    vizier: Replay, event: str, current: list[str]
) -> None:
    view = RulesView()
    view.load(vizier.trace)
    view.update(event_of(event))
    assert [one.split(" ")[0] for one in lit(view.table.object)] == current


def test_what_is_changed_is_marked_with_the_numbers_of_the_policy(vizier: Replay) -> None:
    view, policy = RulesView(), vizier.trace.policy
    view.load(vizier.trace)
    view.update(event_of("1.pick.0"))
    changed = " ".join(re.findall("<b>(.*?)</b>", view.table.object))
    for number in (policy.coefficient, policy.region_coefficient, policy.penalty):
        assert f"{number:g}" in changed
    assert f"{100 - 100 * policy.pe_probability:g} %" in changed
    assert f"{100 * policy.ucb_probability:g} %" in changed
    assert "R⁺" not in changed


def test_it_stands_in_place_of_the_regret_where_there_are_two_rules(
    vizier: Replay, replay: Replay
) -> None:
    view = RunView()
    layers = LayerChoice({"truth", "plane", "rules"})
    view.load(vizier, 3, layers.layers)
    assert view.shows_rules
    assert view.rules.panel in view.reasons.objects
    assert view.regret.panel not in view.reasons.objects
    view.choose(LayerChoice({"truth", "plane"}).layers)
    assert view.rules.panel not in view.reasons.objects
    assert view.regret.panel in view.reasons.objects
    view.load(replay, 0, layers.layers)
    assert not view.shows_rules
    assert view.regret.panel in view.reasons.objects
    for two_rules in (False, True):
        layers.offer(inputs=1, two_rules=two_rules)
        assert ("rules" in layers.panel.options.values()) == two_rules
