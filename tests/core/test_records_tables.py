"""Records as tables of plain values, and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from ucbpe_core import (
    RBF,
    BetaSchedule,
    CompactBeta,
    ConstantBeta,
    FiniteBeta,
    InputError,
    Kernel,
    Matern,
    Policy,
)
from ucbpe_core.policies import POLICIES
from ucbpe_core.records.tables import SCHEDULES, check_keys, from_table, to_table

from .reference import examples
from .strategies import kernels


@given(kernels(3))
@examples(60)
def test_every_kernel_comes_back(kernel: Kernel) -> None:
    """Sums and products too, by way of text."""
    text = json.dumps(to_table(kernel))
    assert from_table(Kernel, json.loads(text)) == kernel


def test_kernels_of_kernels_of_kernels() -> None:
    """As deep as one likes."""
    kernel = (RBF(0.3) + Matern((1.0, 2.0), nu=0.7)) * RBF(2.0) + Matern()
    table = to_table(kernel)
    assert table["left"]["left"]["right"] == {
        "kind": "matern",
        "lengthscale": (1.0, 2.0),
        "nu": 0.7,
        "variance": 1.0,
    }
    assert from_table(Kernel, table) == kernel


@pytest.mark.parametrize("schedule", [FiniteBeta(0.2, 0.5), CompactBeta(b=2.0), ConstantBeta(3.0)])
def test_schedules_come_back(schedule: object) -> None:
    """All kinds there are."""
    assert from_table(BetaSchedule, to_table(schedule)) == schedule
    assert {type(schedule) for schedule in (FiniteBeta(), CompactBeta(), ConstantBeta())} == {
        *SCHEDULES.values()
    }


@pytest.mark.parametrize("policy", POLICIES.values())
def test_policies_come_back(policy: type[Policy]) -> None:
    """With all their parameters."""
    table = to_table(policy())
    assert from_table(Policy, table) == policy()
    assert table["kind"] == policy.name


def test_defaults_fill_in_unless_the_table_has_to_be_complete() -> None:
    """A study leaves out what is usual; the record of a run must not."""
    assert from_table(Kernel, {"kind": "matern", "nu": 0.5}) == Matern(nu=0.5)
    with pytest.raises(InputError, match="got none of lengthscale, variance;"):
        from_table(Kernel, {"kind": "matern", "nu": 0.5}, complete=True)


@pytest.mark.parametrize(
    ("table", "what"),
    [
        (3, "kernel as a table; got 3"),
        ({}, "kernel with a kind among rbf, .*got None"),
        ({"kind": ["rbf"]}, "kernel with a kind among rbf, .*got \\['rbf'\\]"),
        ({"kind": "rbf", "nu": 1}, "of kind rbf among lengthscale, variance; got nu"),
        ({"kind": "rbf", "variance": -1}, "variance above 0; got -1"),
        ({"kind": "rbf", "variance": True}, "kernel.variance to be a number; got True"),
        ({"kind": "rbf", "lengthscale": [[1], [2, 3]]}, "with parameters it can take; got"),
        ({"kind": "rbf", "lengthscale": "1"}, "lengthscale to be a number; got '1'"),
        ({"kind": "sum", "left": {"kind": "rbf"}}, "it can take; got .*right"),
        ({"kind": "sum", "left": {"kind": "rbf"}, "right": 3}, "two kernels; got 3"),
        ({"kind": "sum", "left": {"kind": "no"}, "right": {}}, "kernel.left with a kind.*'no'"),
    ],
)
def test_bad_tables_are_refused(table: object, what: str) -> None:
    """Each with what was expected there."""
    with pytest.raises(InputError, match=what):
        from_table(Kernel, table)


def test_a_class_of_ones_own_has_no_table() -> None:
    """Nor has a subclass, which may mean something else."""

    class Rough(RBF):
        pass

    with pytest.raises(InputError, match=r"kernel of kind rbf, matern.*got .*Rough"):
        to_table(Rough() + RBF())


def test_keys() -> None:
    """Those that are unknown are named, with those that are known."""
    check_keys({"a"}, ["a", "b"], "letters")
    with pytest.raises(InputError, match="letters among a, b; got c, d"):
        check_keys({"a", "d", "c"}, ["a", "b"], "letters")
