"""Defaults go together: those of the theory, and those for measurements."""

from __future__ import annotations

import inspect

import pytest

from ucbpe_core import Bandit, BoxBandit, Experiment, minimize
from ucbpe_core.search.experiment import Plan, Table


@pytest.mark.parametrize("front", [Bandit, Plan, BoxBandit, minimize])
def test_repeats_and_fits_go_together(front: object) -> None:
    """A fixed prior and the paper's rule, or a fitted prior and nothing measured twice."""
    assert callable(front)
    given = inspect.signature(front).parameters
    defaults = {name: given[name].default for name in ("repeats", "fit") if name in given}
    theory = {"repeats": "allow", "fit": "never"}
    measured = {"repeats": "avoid", "fit": "each batch"}
    assert any(defaults.items() <= one.items() for one in (theory, measured))
    assert defaults


def test_an_experiment_has_the_defaults_of_a_plan() -> None:
    plan = Experiment(Table(("x",), range(9))).plan
    assert (plan.repeats, plan.fit) == ("avoid", "each batch")
