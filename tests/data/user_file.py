"""What somebody writes who uses the public names: for type checkers, and it runs."""

from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import ucbpe_core
from ucbpe_app import stepper
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    ConstantBeta,
    Experiment,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Matern,
    Posterior,
    Trace,
    fit_hyperparameters,
    minimize,
    problems,
    simulate,
)
from ucbpe_core.gp.fitting import Fit
from ucbpe_core.gp.process import Prediction
from ucbpe_core.policies import Decision
from ucbpe_core.search.experiment import Plan, Table
from ucbpe_core.study import PolicyPlan, ProblemPlan, Study

Floats = NDArray[np.float64]


def belief(X: Floats, y: Floats) -> Floats:
    """A prior, what it becomes with data, and a fit."""
    gp = GaussianProcess(2.0 * Matern(nu=2.5, lengthscale=0.3) + RBF(), noise_variance=0.01)
    prediction = assert_type(gp.condition(X, y).predict(X), Prediction)
    fit = assert_type(fit_hyperparameters(gp, X, y, seed=0), Fit)
    posterior = assert_type(Posterior.prior(fit.gp, X), Posterior)
    return prediction.mean + posterior.std


def finite(candidates: Floats, path: Path) -> list[int]:
    """Ask and tell on candidates; save and resume."""
    gp = GaussianProcess(Matern(nu=2.5), noise_variance=0.01)
    bandit = Bandit(candidates, gp, GPUCBPE(batch_size=3), beta=FiniteBeta(delta=0.1))
    bandit.tell([0, 1], [0.5, 0.25])
    decision = assert_type(bandit.ask(), Decision)
    bandit.save(path)
    again = assert_type(Bandit.load(path), Bandit)
    try:
        again.tell([len(candidates)], [0.0])
    except InputError as error:
        assert_type(error.remedy, str)
    chosen: list[int] = decision.indices.tolist()
    return chosen


def anywhere() -> Floats:
    """Ask and tell in a box; minimise a function."""
    box = BoxBandit(
        [(0, 1), (-1, 1)], GaussianProcess(Matern(lengthscale=(0.3, 0.5))), GPUCBPE(2), fit="never"
    )
    points = assert_type(box.ask().points, Floats)
    result = minimize(lambda x: float(x[0] ** 2), [(-1.0, 1.0)], batches=1, batch_size=2)
    return points * float(result.fun)


def simulated(path: Path) -> Trace:
    """A run with its regret, and in a notebook."""
    trace = simulate(problems.multimodal(), GPUCBPE(2), beta=ConstantBeta(4.0), batches=2, seed=1)
    assert_type(trace.simple_regret, Floats)
    trace.save(path)
    stepper(trace, at="1.posterior")
    return assert_type(Trace.load(path), Trace)


def measured(candidates: Floats) -> int:
    """A real experiment, which keeps its history."""
    table = Table(("x",), candidates, output="y")
    plan = Plan(GaussianProcess(Matern()), GPUCBPE(2), FiniteBeta(), fit="never")
    experiment = Experiment(table, plan, "A name")
    assert_type(experiment.ask(), Decision)
    return experiment.history.outstanding[0].index


def replicated() -> Study:
    """A plan of runs, each many times."""
    return Study(
        name="Two",
        problems=(ProblemPlan("Curve", "multimodal"),),
        policies=(PolicyPlan("GP-UCB-PE", "GP-UCB-PE"),),
        replicates=2,
        batches=2,
        batch_size=2,
    )


def version() -> dict[str, Any]:
    return {"version": assert_type(ucbpe_core.__version__, str)}
