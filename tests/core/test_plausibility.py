"""A prior that cannot be right says so, once, and with the remedy; a sensible one is silent."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    Experiment,
    FiniteBeta,
    GaussianProcess,
    Matern,
    PriorWarning,
)
from ucbpe_core.gp.fitting.check import implausible
from ucbpe_core.search.experiment import Plan, Table

X = np.arange(0, 1001.0)
F = 60 + 8 * np.sin(X / 150)
START = [100, 300, 500, 700, 900]
GP, OTHER = GaussianProcess(Matern()), GaussianProcess(Matern(2.0))


def handle(kind: str) -> Any:
    """Something that was told values near 60 under a prior of mean 0 and lengthscale 1."""
    if kind == "box":
        box = BoxBandit([(0, 1000)], GP, GPUCBPE(2), samples=64, fit="never")
        box.tell(None, F[START], points=X[START, None])
        return box
    if kind == "experiment":
        table = Table(("x",), X[:, None], output="y")
        experiment = Experiment(table, Plan(GP, GPUCBPE(2), FiniteBeta(), fit="never"))
        experiment.tell(START, F[START])
        return experiment
    bandit = Bandit(X, GP, GPUCBPE(2))
    bandit.tell(START, F[START])
    return bandit


@pytest.mark.parametrize("kind", ["bandit", "box", "experiment"])
def test_one_warning_for_each_prior(kind: str) -> None:
    """When a batch is asked for, and not again for the next batches."""
    one = handle(kind)
    with pytest.warns(PriorWarning, match=r"from 52.*60 standard deviations.*from_data") as caught:
        after = one.ask()
    assert len(caught) == 1
    one.tell(after.indices, [60.0, 61.0])
    one.ask()
    if kind == "experiment":
        one.withdraw()
        one.replan(Plan(OTHER, GPUCBPE(2), FiniteBeta(), fit="never"))
        with pytest.warns(PriorWarning):
            one.ask()


def test_the_remedies_silence_it() -> None:
    """from_data, and a refit before the first batch; also where the values told are equal."""
    for values in (F[START], np.full(5, 60.0), np.full(5, 1e-7), np.zeros(5), [1e-200] * 5):
        gp = GaussianProcess.from_data(X[START], values, domain=X)
        bandit = Bandit(X, gp, GPUCBPE(2))
        bandit.tell(START, values)
        assert len(set(bandit.ask().indices.tolist())) == 2
    bandit = handle("bandit")
    bandit.refit()
    bandit.ask()


def test_a_warning_that_is_an_error_changes_nothing() -> None:
    bandit = handle("bandit")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(PriorWarning):
                bandit.ask()
    assert (bandit.pending, bandit.t) == ((), 1)


SQUARE = np.random.default_rng(0).random((12, 2))
WAVE = np.sin(5 * SQUARE[:, 0])


@pytest.mark.parametrize(
    ("gp", "x", "y", "what"),
    [
        (GP, SQUARE, WAVE + 60, "standard deviations of the prior .* from its mean, 0"),
        (GaussianProcess(Matern(), mean=-15.0), SQUARE, WAVE, "from its mean, -15"),
        (GP, 1e3 * SQUARE, WAVE, "lengthscales apart"),
        (GaussianProcess(RBF((1.0, 1e-3))), SQUARE, WAVE, "lengthscales apart"),
        (GP, 1e-3 * SQUARE, WAVE, "lengthscale is 1.* times the extent"),
        (GaussianProcess(RBF(10.0), 1e-4), SQUARE, 3 * WAVE, "vary .* lengthscale is too long"),
    ],
)
def test_what_is_said(gp: GaussianProcess, x: Any, y: Any, what: str) -> None:
    bandit = Bandit(x, gp, GPUCBPE(2))
    bandit.tell(range(12), y)
    with pytest.warns(PriorWarning, match=what):
        bandit.ask()


@pytest.mark.parametrize(
    ("gp", "x", "y"),
    [
        (GP, SQUARE, WAVE),
        (GP, SQUARE[:0], WAVE[:0]),
        (GaussianProcess(RBF(0.05)), SQUARE, WAVE),
        (GaussianProcess(RBF((0.3, 1e4))), SQUARE, WAVE),  # an input that does not matter
        (GaussianProcess(RBF(), 0.0), SQUARE[[0, 0, 0]], WAVE[[0, 0, 0]]),
        (GaussianProcess.from_data(1e5 * SQUARE, 60 + 1e-3 * WAVE), 1e5 * SQUARE, 60 + 1e-3 * WAVE),
    ],
)
def test_sensible_priors_are_silent(gp: GaussianProcess, x: Any, y: Any) -> None:
    assert implausible(gp, x, y, x) is None
