"""Calls of the public functions with arguments out of bytes: some sound, some hostile."""

from __future__ import annotations

import inspect
import io
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import ucbpe_core
from tests.core.runs import policy_of
from tests.fuzz.draw import Draw
from ucbpe_core import experiment, problems, regret, study, theory
from ucbpe_core.gp.fitting import log_marginal_likelihood
from ucbpe_core.gp.inducing import Inducing
from ucbpe_core.gp.kernels import KERNELS, Polynomial
from ucbpe_core.history.workers import DURATIONS, Workers
from ucbpe_core.policies import POLICIES
from ucbpe_core.policies.schedules import SCHEDULES, FiniteBeta, RunState
from ucbpe_core.search.experiment import Experiment, Plan, Table
from ucbpe_core.search.simulation import replay_decisions
from ucbpe_core.spaces import Real, SumConstraint

if TYPE_CHECKING:
    from collections.abc import Callable

N, D = 4, 2  # of the points that are sound
POINTS = np.array([[0.1, 0.2], [0.9, 0.4], [0.3, 0.8], [0.6, 0.6]])
VALUES = np.array([0.3, -0.2, 1.1, 0.4])
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
    *POLICIES.values(), *SCHEDULES.values(), RunState, Polynomial, Inducing,
    log_marginal_likelihood, replay_decisions, Workers,
)  # fmt: skip


def _sound_or(draw: Draw, sound: Any, hostile: Callable[[], Any]) -> Any:
    """Twice in three the sound one."""
    return hostile() if draw.below(3) == 2 else sound


def _points(draw: Draw) -> Any:
    """Sound points, of which the bytes replace some numbers; or anything."""
    X = POINTS.copy()
    for _ in range(draw.below(4)):
        X.flat[draw.below(X.size)] = draw.number()
    return _sound_or(draw, X, draw.array)


def _values(draw: Draw) -> Any:
    y = VALUES.copy()
    for _ in range(draw.below(3)):
        y[draw.below(N)] = draw.number()
    return _sound_or(draw, y, draw.array)


def _finite(draw: Draw, shape: tuple[int, ...]) -> Any:
    """Numbers of any size, none of them infinite or NaN."""
    made = np.nan_to_num(np.array([draw.number() for _ in range(int(np.prod(shape)))]))
    return made.reshape(shape)


def _record(registry: Any, draw: Draw) -> Any:
    """One of a registry, with its parameters or others."""
    cls = registry[draw.choose(list(registry))]
    return call(cls, draw)


def _kernel(draw: Draw, depth: int = 0) -> Any:
    kind = draw.choose(("rbf", "matern", "polynomial", "sum", "product"))
    if kind in ("sum", "product"):
        if depth > 2:
            return ucbpe_core.RBF()
        left, right = _kernel(draw, depth + 1), _kernel(draw, depth + 1)
        return left + right if kind == "sum" else left * right
    return call(KERNELS[kind], draw)


def _gp(draw: Draw) -> Any:
    kernel = _kernel(draw)
    noise = _sound_or(draw, 0.01, draw.number)
    return ucbpe_core.GaussianProcess(kernel, noise, _sound_or(draw, 0.0, draw.number))


def _problem(draw: Draw) -> Any:
    """A small one."""
    return problems.from_table(POINTS, VALUES, noise_variance=0.01 * draw.below(3))


@cache
def _a_trace(policy: str, seed: int) -> Any:
    problem = problems.from_table(POINTS, VALUES, noise_variance=0.01)
    return ucbpe_core.simulate(problem, policy_of(policy, 2), batches=2, initial=2, seed=seed)


def _trace(draw: Draw) -> Any:
    return _a_trace(draw.choose(list(POLICIES)), draw.below(2))


def _posterior(draw: Draw) -> Any:
    posterior = ucbpe_core.Posterior.prior(_gp(draw), POINTS)
    return posterior.observe([0, 2], VALUES[[0, 2]]) if draw.below(2) else posterior


def _table(draw: Draw) -> Table:
    labels = (("name", tuple("abcd")),) if draw.below(2) else ()
    return Table(("x", "y"), POINTS, labels=labels)


def _plan(draw: Draw) -> Plan:
    return Plan(
        _gp(draw), _record(POLICIES, draw), _record(SCHEDULES, draw), _direction(draw), fit="never"
    )


def _direction(draw: Draw) -> Any:
    return _sound_or(draw, draw.choose(("maximize", "minimize")), draw.scalar)


def _indices(draw: Draw) -> Any:
    return _sound_or(draw, [draw.below(N) for _ in range(draw.below(4) + 1)], draw.array)


def _noise(draw: Draw) -> Any:
    return _sound_or(draw, None, lambda: draw.any_of(draw.scalar, draw.array))


def _count(draw: Draw) -> Any:
    return _sound_or(draw, 1 + draw.below(3), lambda: draw.choose((0, -1, 1.5, "2", None, True)))


def _policy(draw: Draw) -> Any:
    return _record(POLICIES, draw)


def _schedule(draw: Draw) -> Any:
    return _sound_or(draw, FiniteBeta(), lambda: _record(SCHEDULES, draw))


def _function(draw: Draw) -> Any:
    value = draw.scalar()
    return draw.choose((lambda x, *_: float(np.sum(x)), lambda *_: value))


def _study(draw: Draw) -> Any:
    problem = study.ProblemPlan("p", "figure1", hyperparameters=_hyperparameters(draw))
    policies = [study.PolicyPlan("a", "GP-UCB-PE", {"batch_size": 2})]
    return study.Study("s", [problem], policies, replicates=1, batches=1, initial=2)


def _hyperparameters(draw: Draw) -> Any:
    return study.HyperparameterPlan(draw.choose(("suggested", "likelihood")), starts=1)


def _scalar(sound: Any) -> Callable[[Draw], Any]:
    return lambda draw: _sound_or(draw, sound, draw.scalar)


def _text(sound: str) -> Callable[[Draw], Any]:
    return lambda draw: _sound_or(draw, sound, draw.text)


def _names(draw: Draw) -> Any:
    return _sound_or(draw, ("x", "y"), lambda: (draw.text(),))


def _scales(draw: Draw) -> Any:
    return _sound_or(draw, 0.5, lambda: draw.any_of(draw.scalar, draw.array))


# What a parameter of that name gets; a test says which name is missing.
MAKERS: dict[str, Callable[[Draw], Any]] = {
    **dict.fromkeys(("X", "Z", "U", "candidates", "domain", "points"), _points),
    **dict.fromkeys(("y", "values", "f", "gamma", "sides"), _values),
    **dict.fromkeys(("noise_variances",), _noise),
    **dict.fromkeys(("lengthscale", "period"), _scales),
    **dict.fromkeys(("batch_size", "starts", "samples", "trajectories", "draws", "degree"), _count),
    **dict.fromkeys(("n", "t", "batches", "initial", "replicates", "picks"), _count),
    **dict.fromkeys(("delta", "nu", "variance", "C", "a", "b", "r", "B", "R"), _scalar(0.5)),
    **dict.fromkeys(("scale", "mean", "offset", "tolerance", "gain", "width"), _scalar(0.5)),
    **dict.fromkeys(("coefficient", "region_coefficient", "penalty", "alpha"), _scalar(0.5)),
    **dict.fromkeys(("pe_probability", "ucb_probability"), _scalar(0.5)),
    **dict.fromkeys(("horizon", "sweeps", "steps", "start", "first", "end", "most"), _count),
    **dict.fromkeys(("power", "logarithm", "remainder"), _scalar(0.5)),
    "source": _text("a"),
    "value": _values,
    "inducing": lambda draw: _sound_or(draw, Inducing(3), draw.scalar),
    "growth": _scalar(0.5),
    "workers": lambda draw: _sound_or(
        draw, Workers(draw.choose(DURATIONS), together=draw.below(2) == 1), draw.scalar
    ),
    "durations": lambda draw: _sound_or(draw, draw.choose(DURATIONS), draw.text),
    **dict.fromkeys(("together", "over_time"), _scalar(True)),
    "running": lambda draw: _sound_or(draw, (), lambda: (draw.text(),)),
    "overwrite": _scalar(True),
    "lie": lambda draw: _sound_or(draw, draw.choose(("min", "mean", "max")), draw.text),
    **dict.fromkeys(("prior_variance", "optimum", "slope", "spread", "least_noise"), _scalar(1.5)),
    **dict.fromkeys(("seed", "rng", "measurement", "dimension", "replicate"), _scalar(1)),
    **dict.fromkeys(("noisy", "compact", "fit_noise", "fit_mean", "unique"), _scalar(True)),
    **dict.fromkeys(("name", "label", "output", "expected", "got", "remedy"), _text("a")),
    **dict.fromkeys(("axes", "inputs"), _names),
    "indices": _indices,
    "index": _indices,
    "reason": _text("the flask broke"),
    "since": _count,
    "fitted": _count,
    "bounds": lambda draw: _sound_or(draw, [(0, 1), (-1, 2)], draw.array),
    "feasible": lambda draw: _sound_or(
        draw, None, lambda: draw.choose((_function(draw), draw.scalar()))
    ),
    "sums": lambda draw: _sound_or(draw, (), lambda: (SumConstraint((draw.text(), "b"), 1.0),)),
    "beta": _schedule,
    "schedule": _schedule,
    "direction": _direction,
    "repeats": lambda draw: _sound_or(draw, draw.choose(("allow", "avoid")), draw.scalar),
    "shared": lambda draw: _sound_or(
        draw,
        draw.choose(((), ("x",), ("x0",), ("input 1",))),
        lambda: draw.choose((draw.text(), [draw.scalar()])),
    ),
    "shared_by": lambda draw: _sound_or(draw, draw.choose(("first", "sum")), draw.scalar),
    "exhausted": _scalar(False),
    "gp": _gp,
    "kernel": _kernel,
    "inner": _kernel,
    "prior": _gp,
    "policy": _policy,
    "posterior": _posterior,
    "problem": _problem,
    "trace": _trace,
    "run": lambda draw: theory.diagnose(_trace(draw)),
    "table": _table,
    "plan": _plan,
    "experiment": lambda draw: Experiment(_table(draw), _plan(draw)),
    "design": lambda draw: _sound_or(draw, None, draw.scalar),
    "rows": lambda draw: _sound_or(draw, None, draw.array),
    "names": lambda draw: _sound_or(draw, ("a",), lambda: (draw.text(), draw.text())),
    "kinds": lambda draw: _sound_or(draw, (Real(0, 1),), lambda: (draw.scalar(),)),
    "time": _text("2024-05-31T14:05:00+00:00"),
    "function": _function,
    "study": _study,
    "task": lambda draw: study.Task("p", "a", draw.below(3)),
    "hyperparameters": _hyperparameters,
    "options": lambda draw: _sound_or(draw, {}, lambda: {draw.text(): draw.scalar()}),
    "method": _text("suggested"),
    "labels": lambda draw: _sound_or(draw, (), lambda: (("a", (draw.text(),)),)),
    "citation": _text("c"),
    "size": lambda draw: _sound_or(draw, 4, lambda: draw.choose((0, -1, 1, 2.5, None, "4"))),
    "resolution": lambda draw: _sound_or(draw, 3, lambda: draw.choose((0, 1, -1, 2.5, None))),
    "noise_variance": _noise,
    "refit_every": lambda draw: _sound_or(draw, None, draw.scalar),
    "transient": _scalar(1000.0),
    "history": _scalar(1.2),
    "initialization": _scalar(True),
    "problems": lambda draw: _sound_or(draw, _study(draw).problems, list),
    "policies": lambda draw: _sound_or(draw, _study(draw).policies, list),
    "grid": lambda draw: _sound_or(draw, (), lambda: (draw.scalar(),)),
    "observed": _indices,
    "observed_y": _values,
    "score": _scalar(0.5),
    "std": _scalar(0.5),
    "candidate": _scalar(1),
    "role": _text("ucb"),
    "in_region_plus": _scalar(True),
    "fun": _function,
    "args": lambda draw: _sound_or(draw, (), draw.scalar),
    "x0": lambda draw: _sound_or(draw, None, draw.array),
    "noise": _scalar(True),
    "fixed": lambda draw: _sound_or(draw, ("noise_variance",), lambda: (draw.text(),)),
}  # fmt: skip
_TIME = "2024-05-31T14:05:00+00:00"
# Left at their defaults: functions that are called, and numbers of processes.
NOT_GIVEN = frozenset(
    {"callback", "fit", "step", "progress", "workers", "priors", "hold_data", "self"}
)
# Where a name means something else.
OF_ITS_OWN: dict[tuple[str, str], Callable[[Draw], Any]] = {
    ("ConstantBeta", "beta"): _scalar(4.0),
    ("fit_hyperparameters", "bounds"): lambda draw: _sound_or(
        draw, {"variance": (0.1, 2.0)}, lambda: {draw.text(): (draw.scalar(), draw.scalar())}
    ),
    **{(name, "beta"): _values for name in ("RegretBounds", "union_bound")},
    ("ProblemPlan", "problem"): _text("figure1"),
    ("PolicyPlan", "policy"): _text("GP-UCB-PE"),
}  # fmt: skip


def call(function: Callable[..., Any], draw: Draw) -> Any:
    """Call it; of parameters with a default some are left out."""
    name, given = getattr(function, "__name__", ""), {}
    for one in inspect.signature(function).parameters.values():
        optional = one.default is not one.empty
        if one.kind is one.VAR_KEYWORD or one.name in NOT_GIVEN or (optional and draw.below(2)):
            continue
        make = OF_ITS_OWN.get((name, one.name)) or MAKERS[one.name]
        given[one.name] = make(draw)
    return function(**given)


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
    for _ in range(1 + draw.below(most)):
        call(getattr(made, draw.choose(names)), draw)


def call_public(data: bytes) -> None:
    """Any public function or class; of what it gives, every property."""
    draw = Draw(data)
    look_at(call(draw.choose(list(public().values())), draw))


def call_process(data: bytes) -> None:
    """A prior, data, predictions, fits."""
    draw = Draw(data)
    gp = _gp(draw)
    process = call(gp.condition, draw)
    _methods(process, ("predict", "sample"), draw)
    _methods(gp, ("sample", "condition"), draw)
    if draw.below(4) == 3:
        X, y = _points(draw), _values(draw)
        ucbpe_core.fit_hyperparameters(gp, X, y, starts=1, noise_variance=_noise(draw))


def call_posterior(data: bytes) -> None:
    """A posterior over candidates, from observation to observation."""
    draw = Draw(data)
    posterior = call(ucbpe_core.Posterior.prior, draw)
    for _ in range(1 + draw.below(4)):
        names = ("observe", "observe_points", "hallucinate", "hallucinate_points", "at")
        posterior = call(getattr(posterior, draw.choose(names)), draw)
        look_at(posterior)
        _methods(posterior.conditioned(), ("predict", "sample"), draw, most=2)


def call_bandit(data: bytes) -> None:
    """Ask, tell, withdraw in any order; after an error nothing has changed."""
    draw = Draw(data)
    _ask_and_tell(call(ucbpe_core.Bandit, draw), draw)


def call_box_bandit(data: bytes) -> None:
    """The same on a box."""
    draw = Draw(data)
    options: dict[str, Any] = {"samples": 8, "starts": 1}
    bounds = MAKERS["bounds"](draw)
    _ask_and_tell(
        ucbpe_core.BoxBandit(bounds, _gp(draw), _policy(draw), **options, fit="never"), draw
    )


def _ask_and_tell(bandit: Any, draw: Draw) -> None:
    for _ in range(1 + draw.below(5)):
        before = _state(bandit)
        try:
            name = draw.choose(("ask", "tell", "withdraw", "fail", "allow", "best", "answer"))
            if name == "answer":
                told = bandit.ask()
                values = _finite(draw, (len(told.indices),))
                bandit.tell(told.indices, values)
            else:
                call(getattr(bandit, name), draw)
        except ucbpe_core.UCBPEError:
            if name != "answer":
                assert _state(bandit) == before, f"{name} raised and changed the bandit"
        stream = io.StringIO()
        bandit.save(stream)


def _state(bandit: Any) -> object:
    return bandit.history, np.array(bandit.process.y).tobytes()


def call_experiment(data: bytes) -> None:
    """Steps of an experiment; one that raises leaves the experiment before."""
    draw = Draw(data)
    made = Experiment(_table(draw), _plan(draw))
    names = (
        "ask",
        "tell",
        "withdraw",
        "fail",
        "correct",
        "replan",
        "undo",
        "redo",
        "fit",
        "add",
        "remove",
        "widen",
    )
    for _ in range(1 + draw.below(6)):
        before = made.history
        try:
            call(getattr(made, draw.choose(names)), draw)
        except ucbpe_core.UCBPEError:
            assert made.history is before
    stream = io.StringIO()
    made.save(stream)
    again = Experiment.load(io.StringIO(stream.getvalue()))
    assert again.journal == made.journal


def call_simulate(data: bytes) -> None:
    """A run, its regrets and its theory, and what it would have decided otherwise."""
    draw = Draw(data)
    problem = call(problems.from_table, draw) if draw.below(2) else _problem(draw)
    trace = ucbpe_core.simulate(
        problem, _policy(draw), _sound_or(draw, None, lambda: _gp(draw)), _schedule(draw),
        batches=1 + draw.below(2), initial=draw.below(3), seed=draw.below(3),
    )  # fmt: skip
    look_at(trace)
    stream = io.StringIO()
    trace.save(stream)
    assert ucbpe_core.Trace.load(io.StringIO(stream.getvalue())).digest == trace.digest
    trace.to_csv(io.StringIO())
    replay_decisions(trace, _gp(draw), _schedule(draw))
    look_at(theory.diagnose(trace))


def look_at(made: Any) -> None:
    """Every property, most of which are computed when they are asked for."""
    for name in dir(type(made)):
        if type(made).__module__.startswith("ucbpe_core") and not name.startswith("_"):
            getattr(made, name)
