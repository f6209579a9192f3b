"""Settings hold only what makes a run."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
import param
import pytest

from ucbpe_app.run.notation import short
from ucbpe_app.run.prior import describe, suggested, tied
from ucbpe_app.run.setting import Setting, arranged, paired
from ucbpe_app.run.settings import (
    PROBLEM_NAMES,
    SETTINGS,
    SHARED,
    RunSpec,
    Settings,
    names_of,
    problem_of,
)
from ucbpe_core import RBF, ConstantBeta, FiniteBeta, GaussianProcess, Matern
from ucbpe_core.errors import InputError
from ucbpe_core.gp.kernels import Kernel, Linear, Periodic, Polynomial
from ucbpe_core.policies import POLICIES
from ucbpe_core.policies.schedules import CompactBeta
from ucbpe_core.problems import PROBLEMS

# Those whose decision plane is the main picture, with the number of their inputs.
MANY_INPUTS = {"mackey_glass": 6, "tsunami": 5, "abalone": 8}
NOT_SHIPPED = {"abalone"}  # its data file may not be here
BAD: list[dict[str, Any]] = [
    {"lengthscale": 0},
    {"lengthscale": float("nan")},
    {"lengthscale": "long"},
    {"noise_variance": -0.01},
    {"mean": float("inf")},
    {"batches": True},
    {"nu": 1001},
    {"delta": 1},
    {"mean": -1e300},
    *({name: 1e300} for name in ("lengthscale", "variance", "noise_variance", "scale", "offset")),
    {"batch_size": 2.5},
    {"batches": 200, "batch_size": 50},
    {"kernel": "unknown"},
]


@pytest.mark.parametrize("change", BAD, ids=str)
def test_bad_values_are_refused_and_nothing_changes(change: dict[str, Any]) -> None:
    settings = Settings()
    before = settings.spec()
    with pytest.raises(InputError) as refusal:
        settings.accept(**change)
    assert settings.spec() == before
    assert refusal.value.expected
    assert refusal.value.got
    assert refusal.value.remedy


def test_one_bad_value_refuses_the_whole_change() -> None:
    settings = Settings()
    with pytest.raises(InputError):
        settings.accept(batch_size=7, lengthscale=0)
    assert settings.batch_size == 4


def test_several_values_change_in_one_notification() -> None:
    settings, seen = Settings(), list[int]()
    settings.param.watch(lambda *events: seen.append(len(events)), ["variance", "scale"])
    settings.accept(variance=3.0, scale=0.2)
    assert seen == [2]


def test_the_spec_builds_what_it_says() -> None:
    settings = Settings()
    settings.accept(kernel="Matérn", nu=2.5, lengthscale=0.3, variance=2.0, mean=1.0)
    assert settings.spec().build_gp() == GaussianProcess(Matern(0.3, 2.0, nu=2.5), 0.01, 1.0)
    settings.accept(kernel="Polynomial", degree=3, offset=0.5)
    assert settings.spec().build_kernel() == Polynomial(3, 0.5, 2.0)
    settings.accept(schedule="Finite set", delta=0.2, scale=0.5)
    assert settings.spec().build_schedule() == FiniteBeta(0.2, 0.5)
    settings.accept(schedule="Constant", beta=9.0, scale=1.0)
    assert settings.spec().build_schedule() == ConstantBeta(9.0)
    settings.accept(problem="himmelblau", schedule="Compact cube", delta=0.1)
    assert settings.spec().build_schedule() == CompactBeta(0.1, r=10.0)
    settings.accept(problem="tsunami")  # a cube that holds all candidates
    longest = np.ptp(PROBLEMS["tsunami"]().candidates, axis=0).max()
    assert settings.spec().build_schedule() == CompactBeta(0.1, r=longest)
    settings.accept(policy="GP-UCB")
    assert settings.spec().build_policy().batch_size == 1


def test_only_policies_that_draw_are_given_a_seed_and_it_is_0() -> None:
    """Whatever the noise seed: a link means the same picks."""
    for name, policy in POLICIES.items():
        built = replace(Settings().spec(), policy=name, batch_size=3, seed=7).build_policy()
        size = {} if name == "GP-UCB" else {"batch_size": 3}
        seed = {"seed": 0} if "seed" in signature(policy).parameters else {}
        assert built == policy(**size, **seed)


@pytest.mark.parametrize("gp", [
    GaussianProcess(RBF(0.3, 2.0), 0.1, 1.0),
    GaussianProcess(Matern(0.3, 2.0, nu=2.5), 0.1, 1.0),
    GaussianProcess(Polynomial(3, 0.5, 2.0), 0.1, 1.0),
], ids=lambda gp: type(gp.kernel).__name__)  # fmt: skip
def test_describe_and_build_are_inverse(gp: GaussianProcess) -> None:
    settings = Settings()
    settings.accept(**describe(gp))
    assert settings.spec().build_gp() == gp


def test_every_problem_is_offered_and_those_of_many_inputs_say_how_many() -> None:
    """Abalone has 8, as its own tests say."""
    assert set(PROBLEM_NAMES) == set(PROBLEMS)
    for name in PROBLEM_NAMES.keys() - NOT_SHIPPED:
        dimension = PROBLEMS[name]().dimension
        assert dimension == MANY_INPUTS.get(name, dimension)
        assert (name in MANY_INPUTS) == (dimension > 2)
    for name, dimension in MANY_INPUTS.items():
        assert PROBLEM_NAMES[name].endswith(f", {dimension}-D")


def test_a_problem_without_a_seed_is_made_once_whatever_the_seed() -> None:
    settings = Settings()
    settings.accept(**suggested("mackey_glass"))
    made = problem_of(settings.spec())
    settings.accept(problem_seed=7, lengthscale=0.3)
    assert problem_of(settings.spec()) is made
    settings.accept(problem="generated_gp_1d")
    drawn = problem_of(settings.spec())
    settings.accept(problem_seed=8)
    assert problem_of(settings.spec()) is not drawn


def test_every_problem_offered_has_a_suggestion_that_settings_take() -> None:
    for name in PROBLEM_NAMES.keys() - NOT_SHIPPED:
        settings = Settings()
        settings.accept(**suggested(name))
        assert settings.spec().build_gp() == problem_of(settings.spec()).gp


def placed(section: str, *, same_row: bool = False) -> Setting:
    return Setting(param.Number(0.0), section, "a number", same_row=same_row)


def test_settings_stand_under_their_headings_in_order() -> None:
    settings = {"a": placed("One"), "b": placed("Two"), "c": placed("One"), "d": placed("Two")}
    settings |= {"e": placed("One"), "f": placed("One", same_row=True)}
    assert arranged(settings) == {"One": (("a",), ("c",), ("e", "f")), "Two": (("b",), ("d",))}


def test_pairs_leave_wide_settings_alone() -> None:
    wide = Setting(param.Selector(objects=["one"]))
    settings = {name: wide if name in "ad" else placed("One") for name in "abcdef"}
    assert arranged(paired(settings)) == {"": (("a",), ("b", "c"), ("d",), ("e", "f"))}
    del settings["a"], settings["d"], settings["f"]
    assert arranged(paired(settings)) == {"": (("b", "c"), ("e",))}


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ("none", RBF(0.5, 2.0)),
        ("plus RBF", RBF(0.5, 2.0) + RBF(3.0, 0.25)),
        ("plus Periodic", RBF(0.5, 2.0) + Periodic(3.0, 1.5, 0.25)),
        ("plus Linear", RBF(0.5, 2.0) + Linear(0.25)),
        ("times RBF", RBF(0.5, 2.0) * RBF(3.0)),
        ("times Periodic", RBF(0.5, 2.0) * Periodic(3.0, 1.5)),
        ("times Linear", RBF(0.5, 2.0) * Linear()),
    ],
)
def test_a_kernel_is_joined_with_a_second_one(second: str, expected: Kernel) -> None:
    spec = RunSpec(
        lengthscale=0.5,
        variance=2.0,
        second=second,
        second_lengthscale=3.0,
        second_period=1.5,
        second_variance=0.25,
    )
    gp = spec.build_gp()
    assert gp.kernel == expected
    gp.kernel.diagonal(np.zeros((1, 1)))  # keeps what it computed
    assert RunSpec(**describe(gp)).build_gp() == gp


def test_of_a_product_the_first_kernel_has_the_variance() -> None:
    fitted = GaussianProcess(RBF(0.5, 2.0) * Periodic(1.5, 3.0, 4.0))
    built = RunSpec(**describe(fitted)).build_kernel()
    x = np.linspace(0, 3, 7)[:, None]
    np.testing.assert_allclose(built.gram(x), fitted.kernel.gram(x))
    other = GaussianProcess(RBF(0.5) + Matern(0.5))
    with pytest.raises(InputError, match="a kernel among"):
        describe(other)


def test_two_inputs_have_a_lengthscale_each() -> None:
    spec = RunSpec(problem="himmelblau", lengthscale=2.0, stretch=4.0)
    assert spec.build_kernel() == RBF((1.0, 4.0), 2.3)
    assert replace(spec, problem="multimodal").build_kernel() == RBF(2.0, 2.3)
    assert replace(spec, kernel="Polynomial").build_kernel() == Polynomial(2, 1.0, 2.3)
    fitted, _ = tied(spec.build_gp())
    assert describe(fitted)["lengthscale"] == pytest.approx(2.0)


def test_one_lengthscale_is_the_geometric_mean() -> None:
    one, ratios = tied(GaussianProcess(Matern(nu=2.5, lengthscale=(2.0, 8.0))))
    assert describe(one)["lengthscale"] == pytest.approx(4.0)
    np.testing.assert_allclose(ratios, [0.5, 2.0])
    equal, ratios = tied(GaussianProcess(Matern(nu=2.5, lengthscale=(0.3, 0.3, 0.3))))
    assert equal.kernel == Matern(nu=2.5, lengthscale=0.3)
    np.testing.assert_array_equal(ratios, np.ones(3))


def test_the_settings_of_a_choice_are_its_own_and_those_of_all() -> None:
    assert names_of("schedule", "Constant")["beta"] == "beta"
    assert not {"lengthscale", "batch_size"} & set(names_of("schedule", "Constant").values())


def test_a_setting_is_used_by_the_choices_it_is_shown_for() -> None:
    settings = Settings(schedule="Constant")
    assert SETTINGS["beta"].used(settings)
    assert SETTINGS["batches"].used(settings)
    assert not SETTINGS["delta"].used(settings)
    assert SETTINGS["delta"].used(object())  # which has no schedule


@pytest.mark.parametrize("shared", SHARED)
def test_of_two_inputs_a_batch_can_share_one(shared: str) -> None:
    settings = Settings()
    settings.accept(shared=shared, batch_size=3, batches=2)  # which one input does not use
    assert settings.spec().simulate().history.plan.shared == ()
    settings.accept(problem="generated_gp")
    spec, (i, by) = settings.spec(), SHARED[shared]
    trace = spec.simulate()
    assert (trace.history.plan.shared, trace.history.plan.shared_by) == ((f"x{i + 1}",), by)
    assert all(len(set(made.points[:, i])) == 1 for made in trace.decisions)
    free = replace(spec, shared="nothing")
    assert free.simulate().digest != trace.digest
    assert not free.can_hold(spec)
    with pytest.raises(InputError, match="results in batches where the picks of a batch share"):
        settings.accept(policy="GreedyUCB", results="one by one")
    assert settings.spec() == spec


@pytest.mark.parametrize(("letters", "shown"), [(40, "a" * 40), (41, "a" * 39 + "…")])
def test_what_was_got_is_cut_to_forty_letters(letters: int, shown: str) -> None:
    assert short("a" * letters) == shown
