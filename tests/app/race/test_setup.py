"""What a race is made of, and the runs that follow from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ucbpe_app.race.setup import Configuration, Setup, Unit, labels, race_of, summary
from ucbpe_app.run.settings import RunSpec
from ucbpe_core.errors import InputError


def sizes(setup: Setup) -> list[tuple[int, int]]:
    """(T, K) of each run."""
    return [(run.batches, run.batch_size) for run in setup.runs()]


def of(spec: RunSpec, *changes: dict[str, object], unit: Unit = Unit.ITERATIONS) -> Setup:
    return Setup(tuple(Configuration(replace(spec, **one)) for one in changes), unit)


def test_a_run_is_raced_by_three_other_policies_in_the_same_belief(spec: RunSpec) -> None:
    for policy in ("GP-UCB-PE", "GreedyUCB", "Random search"):
        setup = race_of(replace(spec, policy=policy))
        policies = [one.settings.policy for one in setup.configurations]
        assert policies[0] == policy
        assert len(set(policies)) == 4
        assert {replace(one.settings, policy=policy) for one in setup.configurations} == {
            replace(spec, policy=policy)
        }


def test_at_equal_evaluations_the_largest_batch_decides(spec: RunSpec) -> None:
    """GP-UCB makes T K iterations; a K that does not divide T K stops before it."""
    changes = ({"batch_size": 10}, {"batch_size": 4}, {"batch_size": 7}, {"policy": "GP-UCB"})
    setup = of(replace(spec, batches=12), *changes, unit=Unit.EVALUATIONS)
    assert sizes(setup) == [(12, 10), (30, 4), (17, 7), (120, 1)]
    assert all(T * K <= 120 < (T + 1) * K for T, K in sizes(setup))


@pytest.mark.parametrize(
    ("batches", "K", "fits"), [(20, 10, True), (21, 10, False), (25, 8, True), (26, 8, False)]
)
def test_a_sequential_run_has_at_most_200_batches(
    spec: RunSpec, batches: int, K: int, fits: bool
) -> None:
    """The limit of the Step page, where the run can be opened."""
    long = replace(spec, batches=batches, batch_size=K)
    setup = of(long, {}, {"policy": "GP-UCB"}, unit=Unit.EVALUATIONS)
    assert replace(setup, unit=Unit.ITERATIONS).runs()
    if fits:
        assert sizes(setup)[1] == (batches * K, 1)
        return
    with pytest.raises(InputError, match=r"at most 200 batches of configuration B; got 2\d\d"):
        setup.runs()


def test_configurations_come_and_go(setup: Setup) -> None:
    fewer = setup.removing(1)
    assert fewer.configurations == (setup.configurations[0], *setup.configurations[2:])
    assert fewer.adding().configurations[-1].settings.policy == "GreedyUCB"  # the one not there
    named = fewer.changing(1, replace(fewer.configurations[1], label="wide"))
    twice = named.duplicating(1)
    assert [one.label for one in twice.configurations] == ["", "wide", "", ""]
    assert twice.configurations[2].settings == twice.configurations[1].settings
    full = twice.removing(2)
    while len(full.configurations) < 8:
        full = full.adding()
    assert len({one.settings.policy for one in full.configurations}) == 8
    with pytest.raises(InputError, match="2 to 8"):
        full.adding()
    with pytest.raises(InputError, match="2 to 8"):
        full.duplicating(0)


def test_labels_say_what_sets_configurations_apart(spec: RunSpec) -> None:
    def called(*changes: dict[str, object]) -> tuple[str, ...]:
        return labels(of(spec, *changes).configurations)

    assert called({}, {"policy": "GP-UCB"}) == ("GP-UCB-PE", "GP-UCB")
    assert called({}, {"batch_size": 8}, {"policy": "GreedyUCB"}) == (
        "GP-UCB-PE, K = 4",
        "GP-UCB-PE, K = 8",
        "GreedyUCB",
    )
    assert called({}, {"lengthscale": 0.1})[1] == "GP-UCB-PE, ℓ 0.1"
    assert called({}, {"kernel": "Matérn"}) == (
        "GP-UCB-PE, RBF kernel",
        "GP-UCB-PE, Matérn kernel, ν 1.5",
    )
    # A setting that neither makes use of tells nothing apart.
    assert called({}, {"nu": 0.5, "beta": 9.0}) == ("GP-UCB-PE (A)", "GP-UCB-PE (B)")
    gp_ucb = {"policy": "GP-UCB"}
    assert called(gp_ucb, {**gp_ucb, "batch_size": 9}) == ("GP-UCB (A)", "GP-UCB (B)")


def test_a_summary_tells_k_the_scale_and_the_multiplier(spec: RunSpec) -> None:
    assert summary(Configuration(spec), 4.0) == "K = 4, √β = 4"
    scaled = replace(spec, scale=0.2, policy="GP-UCB")
    assert summary(Configuration(scaled), 2.531) == "K = 1, scale c 0.2, √β = 2.53"
