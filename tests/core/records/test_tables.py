"""Records as tables of plain values, and back."""

from __future__ import annotations

import pytest

from ucbpe_core import RBF, InputError, Matern
from ucbpe_core.files.tables import from_table, to_table
from ucbpe_core.gp.kernels import KERNELS


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
        ({"kind": "rbf", "nu": 1, "mu": 2}, "of kind rbf among lengthscale, variance; got mu, nu"),
        ({"kind": "rbf", "variance": True}, "kernel.variance to be a number; got True"),
        ({"kind": "rbf", "lengthscale": [[1], [2, 3]]}, "lengthscale of one shape; got a ragged"),
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
