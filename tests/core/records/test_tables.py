"""Records as tables of plain values, and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from tests.core.reference import examples
from tests.core.strategies import kernels
from ucbpe_core import (
    RBF,
    CompactBeta,
    ConstantBeta,
    FiniteBeta,
    InformationGainBeta,
    InputError,
    Kernel,
    Matern,
    Policy,
)
from ucbpe_core.kernels import KERNELS
from ucbpe_core.policies import POLICIES
from ucbpe_core.records.tables import check_keys, from_table, to_table
from ucbpe_core.schedules import SCHEDULES


@given(kernels(3))
@examples(60)
def test_every_kernel_comes_back(kernel: Kernel) -> None:
    """Sums and products too, by way of text."""
    text = json.dumps(to_table(KERNELS, kernel, "kernel"))
    assert from_table(KERNELS, json.loads(text), "kernel", complete=True) == kernel


def test_kernels_of_kernels_of_kernels() -> None:
    """As deep as one likes."""
    kernel = (RBF(0.3) + Matern((1.0, 2.0), nu=0.7)) * RBF(2.0) + Matern()
    table = to_table(KERNELS, kernel, "kernel")
    assert table["left"]["left"]["right"] == {
        "kind": "matern",
        "lengthscale": (1.0, 2.0),
        "nu": 0.7,
        "variance": 1.0,
    }
    assert from_table(KERNELS, table, "kernel", complete=True) == kernel


@pytest.mark.parametrize(
    "schedule",
    [FiniteBeta(0.2, 0.5), CompactBeta(b=2.0), ConstantBeta(3.0), InformationGainBeta(R=2.0)],
)
def test_schedules_come_back(schedule: object) -> None:
    """All kinds there are."""
    assert from_table(SCHEDULES, to_table(SCHEDULES, schedule, "beta"), "beta") == schedule
    kinds = {FiniteBeta, CompactBeta, ConstantBeta, InformationGainBeta}
    assert kinds == {*SCHEDULES.values()}


@pytest.mark.parametrize("policy", POLICIES.values())
def test_policies_come_back(policy: type[Policy]) -> None:
    """With all their parameters."""
    table = to_table(POLICIES, policy(), "policy")
    assert from_table(POLICIES, table, "policy", complete=True) == policy()
    assert table["kind"] == policy.name


def test_defaults_fill_in_unless_the_table_has_to_be_complete() -> None:
    """A study leaves out what is usual; the record of a run must not."""
    assert from_table(KERNELS, {"kind": "matern", "nu": 0.5}, "kernel") == Matern(nu=0.5)
    with pytest.raises(InputError, match="got none of lengthscale, variance;"):
        from_table(KERNELS, {"kind": "matern", "nu": 0.5}, "kernel", complete=True)


@pytest.mark.parametrize(
    ("table", "what"),
    [
        (3, "kernel as a table; got 3"),
        ({}, "kernel with a kind among rbf, .*got None"),
        ({"kind": ["rbf"]}, "kernel with a kind among rbf, .*got \\['rbf'\\]"),
        ({"kind": "rbf", "nu": 1}, "of kind rbf among lengthscale, variance; got nu"),
        ({"kind": "rbf", "variance": -1}, "variance above 0; got -1"),
        ({"kind": "rbf", "variance": True}, "kernel.variance to be a number; got True"),
        ({"kind": "rbf", "lengthscale": [[1], [2, 3]]}, "lengthscale of one shape; got a ragged"),
        ({"kind": "rbf", "lengthscale": "1"}, "lengthscale to be a number; got '1'"),
        ({"kind": "sum", "left": {"kind": "rbf"}}, "got none of right"),
        ({"kind": "sum", "left": {"kind": "rbf"}, "right": 3}, "a Kernel; got int"),
        ({"kind": "sum", "left": {"kind": "no"}, "right": {}}, "kernel.left with a kind.*'no'"),
    ],
)
def test_bad_tables_are_refused(table: object, what: str) -> None:
    """Each with what was expected there."""
    with pytest.raises(InputError, match=what):
        from_table(KERNELS, table, "kernel")


def test_a_class_of_ones_own_has_no_table() -> None:
    """Nor has a subclass, which may mean something else."""

    class Rough(RBF):
        pass

    with pytest.raises(InputError, match=r"kernel\.left of kind rbf, matern.*got .*Rough"):
        to_table(KERNELS, Rough() + RBF(), "kernel")


def test_keys() -> None:
    """Those that are unknown are named, with those that are known."""
    check_keys({"a"}, ["a", "b"], "letters")
    with pytest.raises(InputError, match="letters among a, b; got c, d"):
        check_keys({"a", "d", "c"}, ["a", "b"], "letters")
