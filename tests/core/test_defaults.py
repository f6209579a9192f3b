"""What a session sees: defaults that go together, reprs, and where a warning points."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    ConstantBeta,
    Experiment,
    FiniteBeta,
    GaussianProcess,
    IllConditionedWarning,
    KnownValuesWarning,
    Posterior,
    PriorWarning,
    RepeatsWarning,
    minimize,
    problems,
    simulate,
)
from ucbpe_core.gp.inducing import Inducing
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


PRIOR = GaussianProcess(RBF(0.3), 0.01)
BANDIT = Bandit(np.linspace(0, 1, 9), PRIOR, GPUCBPE(3))
BANDIT.tell([4], [0.7])
BOX = BoxBandit([(0, 1), (2, 3)], PRIOR, GPUCBPE(3), fit="never")
BOX.tell(None, [0.1, 0.5], points=[[0.1, 2.1], [0.5, 2.5]])
NAMED: dict[str, tuple[object, list[str]]] = {
    "kernel": (RBF(0.3), ["RBF", "0.3"]),
    "prior": (PRIOR, ["RBF", "noise_variance=0.01"]),
    "policy": (GPUCBPE(3), ["GPUCBPE", "3"]),
    "schedule": (FiniteBeta(0.2), ["FiniteBeta", "0.2"]),
    "bandit": (
        BANDIT,
        ["9 candidates", "1 measured", "best 0.7 at candidate 4", "t = 1, pending []"],
    ),
    "box": (BOX, ["2 inputs", "2 measured", "best 0.5 at [0.5, 2.5]"]),
    "experiment": (
        Experiment(Table(("T",), range(9)), Plan(PRIOR, GPUCBPE(3), ConstantBeta(4.0))),
        ["9 candidates", "0 measured"],
    ),
    "posterior": (BANDIT.posterior, ["9 candidates", "1 points", "RBF(lengthscale=0.3"]),
    "trace": (
        simulate(problems.multimodal(), GPUCBPE(3), batches=2, initial=4),
        ["GP-UCB-PE", "2 batches of 3", "Multimodal curve", "least regret 0."],
    ),
}


@pytest.mark.parametrize("what", NAMED)
def test_a_repr_names_its_subject(what: str) -> None:
    subject, words = NAMED[what]
    shown = repr(subject)
    assert shown.startswith(f"{type(subject).__name__}(")
    assert [word for word in words if word not in shown] == []
    assert len(shown) < 200
    assert "\n" not in shown


X = np.linspace(0, 10, 41)
GP, EXACT, TINY = (GaussianProcess(RBF(), noise) for noise in (0.01, 0.0, 1e-14))
POLICY = GPUCBPE(2)
FAR = [60.0, 61.0, 59.0]  # from the mean of the prior, 0
OFFSET = [1e9, 1e9 + 1, 1e9]  # rounding moves the mean by more than the std


def bandit(y: list[float] | None = None, gp: GaussianProcess = GP, **how: Any) -> Bandit:
    made = Bandit(X, gp, POLICY, **how)
    if y is not None:
        made.tell(range(0, len(X), len(X) // len(y))[: len(y)], y)
    return made


def box() -> BoxBandit:
    return BoxBandit([(0, 10)], GP, POLICY, samples=16, starts=1, fit="never")


def told_box() -> BoxBandit:
    made = box()
    made.tell(None, FAR, points=[[0.0], [5.0], [10.0]])
    return made


def plan(gp: GaussianProcess = GP) -> Plan:
    return Plan(gp, POLICY, FiniteBeta(), fit="never")


def posterior() -> Posterior:
    return Posterior.prior(EXACT, X)


def without_fit() -> Bandit:
    made = Bandit(X, GP, POLICY, fit="each batch")
    made.tell([0, 4, 8], [0.1, 0.5, 0.3])
    return made


def known() -> Bandit:
    return bandit([0.1] * len(X), EXACT)


def repeated() -> Bandit:
    made = Bandit(range(2), GP, POLICY, fit="each batch")
    made.tell([0, 1], [0.1, 0.5])
    return made


ILL = IllConditionedWarning
TABLE = Table(("x",), X[:, None])
# What is made first, the call, and what it warns of.
CASES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], type[Warning]]] = {
    "condition": (lambda: TINY, lambda gp: gp.condition([0.0], [1.0]), ILL),
    "condition, rounded": (lambda: EXACT, lambda gp: gp.condition([0.0, 1.0, 2.0], OFFSET), ILL),
    "prior": (lambda: TINY, lambda gp: Posterior.prior(gp, X), ILL),
    "inducing": (lambda: TINY, lambda gp: Bandit(X, gp, POLICY, inducing=Inducing(5)), ILL),
    "observe": (posterior, lambda it: it.observe([0], [1.0], 1e-14), ILL),
    "observe, rounded": (posterior, lambda it: it.observe([0, 4, 8], OFFSET), ILL),
    "bandit": (lambda: TINY, lambda gp: Bandit(X, gp, POLICY), ILL),
    "experiment": (lambda: TINY, lambda gp: Experiment(TABLE, plan(gp)), ILL),
    "tell": (bandit, lambda it: it.tell([0], [1.0], noise_variance=1e-14), ILL),
    "tell, box": (box, lambda it: it.tell(None, [1.0], 1e-14, points=[[1.0]]), ILL),
    "tell, unfitted": (without_fit, lambda it: (it.tell([1], [1e160]), it.ask()), PriorWarning),
    "ask": (lambda: bandit(FAR), lambda it: it.ask(), PriorWarning),
    "ask, box": (told_box, lambda it: it.ask(), PriorWarning),
    "ask, all known": (known, lambda it: it.ask(), KnownValuesWarning),
    "ask, repeats": (repeated, lambda it: it.ask(), RepeatsWarning),
    "fill": (lambda: bandit(FAR), lambda it: it.fill(3), PriorWarning),
    "simulate": (problems.figure1, lambda it: simulate(it, POLICY, TINY, batches=1), ILL),
}


@pytest.mark.parametrize("name", CASES)
def test_the_line_is_that_of_the_call(name: str) -> None:
    make, call, category = CASES[name]
    subject = make()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(subject)
    assert category in [one.category for one in caught]
    places = {(one.filename, one.lineno) for one in caught}
    assert places == {(__file__, call.__code__.co_firstlineno)}
