"""Calls of the public functions with arguments of `tests.fuzz.strategies`."""

from __future__ import annotations

import inspect
import io
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import ucbpe_core
from tests.fuzz.strategies import (
    BOUNDS,
    GP,
    NOISES,
    PLAN,
    POINTS_OR,
    POLICY,
    PROBLEM,
    SCHEDULE,
    TABLE,
    VALUES_OR,
    called,
    usually,
)
from ucbpe_core import experiment, problems, regret, study, theory
from ucbpe_core.gp.fitting import log_marginal_likelihood
from ucbpe_core.gp.inducing import Inducing
from ucbpe_core.gp.kernels import Polynomial
from ucbpe_core.history.workers import Workers
from ucbpe_core.policies import POLICIES
from ucbpe_core.policies.schedules import SCHEDULES
from ucbpe_core.search.experiment import Experiment
from ucbpe_core.search.simulation import replay_decisions

if TYPE_CHECKING:
    from collections.abc import Callable

    Draw = Callable[[st.SearchStrategy[Any]], Any]

# Made by the package: what they hold was checked before. Their methods are called on results.
MADE = frozenset({
    "Coverage", "Check", "RunDiagnostics", "ConditionedProcess", "Decision", "Fit",
    "Posterior", "Prediction", "Result", "Store", "Task", "Trace", "Experiment",
    "Batch", "Edit", "Entry", "History", "Step", "Outcome", "Trial",
})  # fmt: skip
# Nothing to call, or what does more than compute: run code, ask the network, start processes.
LEFT_OUT = frozenset({
    "BetaSchedule", "Kernel", "Policy", "IllConditionedWarning", "PriorWarning",
    "KnownValuesWarning", "RepeatsWarning", "FewerPicksWarning", "use_plugin", "abalone",
    "register", "execute", "load_study", "PROBLEMS",
})  # fmt: skip
# One level below the top of the package.
BELOW: tuple[Any, ...] = (
    *POLICIES.values(), *SCHEDULES.values(), Polynomial, Inducing,
    log_marginal_likelihood, replay_decisions, Workers,
)  # fmt: skip
_OBSERVING = ("observe", "observe_points", "hallucinate", "hallucinate_points", "at")
_STEPS = (
    "ask", "tell", "withdraw", "fail", "correct", "replan", "undo", "redo", "fit", "add", "remove",
    "widen",
)  # fmt: skip


def functions(module: Any) -> dict[str, Callable[..., Any]]:
    """What there is to call in a module's public names."""
    found = {one: getattr(module, one) for one in module.__all__ if one not in MADE | LEFT_OUT}
    return {name: one for name, one in found.items() if callable(one)}


def is_of(one: object, module: Any) -> bool:
    """Whether it is a public function that the module defines."""
    return inspect.isfunction(one) and one.__module__ == module.__name__ and one.__name__[0] != "_"


def public() -> dict[str, Callable[..., Any]]:
    """All of the package's."""
    found = functions(ucbpe_core) | {one.__name__: one for one in BELOW}
    found |= {name: one for name, one in vars(regret).items() if is_of(one, regret)}
    for module in (problems, theory, experiment, study):
        found |= functions(module)
    return found


def _methods(made: object, names: tuple[str, ...], draw: Draw, most: int = 4) -> None:
    """Call some of an object's methods, one after the other."""
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=most)):
        draw(called(getattr(made, name)))


def call_public(draw: Draw) -> None:
    """Any public function or class; of what it gives, every property."""
    look_at(draw(called(draw(st.sampled_from(list(public().values()))))))


def call_process(draw: Draw) -> None:
    """A prior, data, predictions, fits."""
    gp = draw(GP)
    process = draw(called(gp.condition))
    _methods(process, ("predict", "sample"), draw)
    _methods(gp, ("sample", "condition"), draw)
    if draw(st.integers(0, 3)) == 3:
        noise = draw(NOISES)
        X, y = draw(POINTS_OR), draw(VALUES_OR)
        ucbpe_core.fit_hyperparameters(gp, X, y, starts=1, noise_variance=noise)


def call_posterior(draw: Draw) -> None:
    """A posterior over candidates, from observation to observation."""
    posterior = draw(called(ucbpe_core.Posterior.prior))
    for name in draw(st.lists(st.sampled_from(_OBSERVING), min_size=1, max_size=4)):
        posterior = draw(called(getattr(posterior, name)))
        look_at(posterior)
        _methods(posterior.conditioned(), ("predict", "sample"), draw, most=2)


def call_bandit(draw: Draw) -> None:
    """Ask, tell, withdraw in any order; after an error nothing has changed."""
    _ask_and_tell(draw(called(ucbpe_core.Bandit)), draw)


def call_box_bandit(draw: Draw) -> None:
    """The same on a box."""
    options: dict[str, Any] = {"samples": 8, "starts": 1, "fit": "never"}
    _ask_and_tell(ucbpe_core.BoxBandit(draw(BOUNDS), draw(GP), draw(POLICY), **options), draw)


def _ask_and_tell(bandit: Any, draw: Draw) -> None:
    names = ("ask", "tell", "withdraw", "fail", "allow", "best", "answer")
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=5)):
        before = _state(bandit)
        try:
            if name == "answer":
                told = bandit.ask()
                finite = st.floats(allow_nan=False, allow_infinity=False)
                y = draw(arrays.arrays("f8", len(told.indices), elements=finite))
                bandit.tell(told.indices, y)
            else:
                draw(called(getattr(bandit, name)))
        except ucbpe_core.UCBPEError:
            if name != "answer":
                assert _state(bandit) == before, f"{name} raised and changed the bandit"
        bandit.save(io.StringIO())


def _state(bandit: Any) -> object:
    return bandit.history, np.array(bandit.process.y).tobytes()


def call_experiment(draw: Draw) -> None:
    """Steps of an experiment; one that raises leaves the experiment before."""
    made = Experiment(draw(TABLE), draw(PLAN))
    for name in draw(st.lists(st.sampled_from(_STEPS), min_size=1, max_size=6)):
        before = made.history
        try:
            draw(called(getattr(made, name)))
        except ucbpe_core.UCBPEError:
            assert made.history is before
    stream = io.StringIO()
    made.save(stream)
    again = Experiment.load(io.StringIO(stream.getvalue()))
    assert again.journal == made.journal


def call_simulate(draw: Draw) -> None:
    """A run, its regrets and its theory, and what it would have decided otherwise."""
    problem = draw(called(problems.from_table) | PROBLEM)
    small = st.integers(0, 2)
    trace = ucbpe_core.simulate(
        problem, draw(POLICY), draw(usually(None, GP)), draw(SCHEDULE),
        batches=draw(st.integers(1, 2)), initial=draw(small), seed=draw(small),
    )  # fmt: skip
    look_at(trace)
    stream = io.StringIO()
    trace.save(stream)
    assert ucbpe_core.Trace.load(io.StringIO(stream.getvalue())).digest == trace.digest
    trace.to_csv(io.StringIO())
    replay_decisions(trace, draw(GP), draw(SCHEDULE))
    look_at(theory.diagnose(trace))


def look_at(made: Any) -> None:
    """Every property, most of which are computed when they are asked for."""
    for name in dir(type(made)):
        if type(made).__module__.startswith("ucbpe_core") and not name.startswith("_"):
            getattr(made, name)
