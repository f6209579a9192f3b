"""Arguments of public functions, some sound and some hostile, as strategies of Hypothesis.

By what a parameter is annotated with; by its name where the annotation does not say it.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import ucbpe_core
from tests.core.runs import policy_of
from tests.fuzz.draw import EDGES
from ucbpe_core import problems, study, theory
from ucbpe_core.gp.inducing import Inducing
from ucbpe_core.gp.kernels import KERNELS
from ucbpe_core.history.workers import DURATIONS
from ucbpe_core.policies import POLICIES
from ucbpe_core.policies.schedules import SCHEDULES, FiniteBeta
from ucbpe_core.search.experiment import Plan, Table
from ucbpe_core.spaces import Real, SumConstraint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hypothesis.strategies import DrawFn, SearchStrategy

    Any_ = SearchStrategy[Any]

N, D = 4, 2  # of the points that are sound
POINTS = np.array([[0.1, 0.2], [0.9, 0.4], [0.3, 0.8], [0.6, 0.6]])
VALUES = np.array([0.3, -0.2, 1.1, 0.4])
# Left at their defaults: functions that are called, and numbers of processes.
NOT_GIVEN = frozenset(
    {"callback", "fit", "step", "progress", "workers", "priors", "hold_data", "self"}
)

NUMBERS = st.sampled_from(EDGES) | st.floats(-7, 10) | st.floats()
TEXTS = st.text(max_size=12)
SCALARS: Any_ = (
    NUMBERS | st.integers(-3, 252) | TEXTS
    | st.sampled_from([None, True, 10**400, 2**63, 1 + 2j, np.float32(1.5), np.int64(3)])
    | st.just(np.ma.masked) | st.builds(list) | NUMBERS.map(lambda x: np.array([x]))
)  # fmt: skip
ARRAYS = (
    arrays.arrays(
        st.sampled_from(("f8", "f4", "f2", "i8", "i1", "u8", "?", "c16", "U3", "M8[s]")),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=6),
    )
    | arrays.arrays("f8", arrays.array_shapes(max_dims=2, max_side=6), elements=NUMBERS)
    | arrays.arrays("f8", (N, D), elements=NUMBERS).map(lambda x: np.ma.masked_less(x, 0.0))
    | st.lists(st.lists(NUMBERS, max_size=4), max_size=4) | SCALARS
)  # fmt: skip


def usually(sound: Any, hostile: Any_ = SCALARS) -> Any_:
    """Nine times in ten the sound one, which is a value or a strategy."""
    known = sound if isinstance(sound, st.SearchStrategy) else st.just(sound)
    return st.integers(0, 9).flatmap(lambda k: hostile if k == 9 else known)


def changed(array: np.ndarray) -> Any_:
    """The array with up to three other numbers; or anything."""

    def with_(changes: list[tuple[int, float]]) -> np.ndarray:
        new = array.copy()
        for i, x in changes:
            new.flat[i] = x
        return new

    places = st.tuples(st.integers(0, array.size - 1), NUMBERS)
    return usually(st.lists(places, max_size=3).map(with_), ARRAYS)


@st.composite
def arguments(draw: DrawFn, function: Callable[..., Any]) -> dict[str, Any]:
    """Those of a function; of parameters with a default some are left out."""
    name, given = getattr(function, "__name__", ""), dict[str, Any]()
    for one in inspect.signature(function).parameters.values():
        if one.kind is one.VAR_KEYWORD or one.name in NOT_GIVEN:
            continue
        if one.default is one.empty or draw(st.booleans()):
            given[one.name] = draw(argument(name, one))
    return given


def argument(function: str, parameter: inspect.Parameter) -> Any_:
    """Of one parameter; KeyError if nothing says what it takes."""
    name, said = parameter.name, parameter.annotation
    if (function, name) in OF_ITS_OWN:
        return OF_ITS_OWN[function, name]
    return BY_NAME[name] if name in BY_NAME else BY_TYPE[getattr(said, "__name__", said)]


def called(function: Callable[..., Any]) -> Any_:
    """What a function gives for some arguments."""
    return arguments(function).map(lambda given: function(**given))


def one_of(classes: Iterable[Callable[..., Any]]) -> Any_:
    """An instance of one of the classes, with its parameters or others."""
    return st.sampled_from(list(classes)).flatmap(called)


def _trace(policy: str, seed: int) -> ucbpe_core.Trace:
    problem = problems.from_table(POINTS, VALUES, noise_variance=0.01)
    return ucbpe_core.simulate(problem, policy_of(policy, 2), batches=2, initial=2, seed=seed)


def _study(hyperparameters: study.HyperparameterPlan) -> study.Study:
    problem = study.ProblemPlan("p", "figure1", hyperparameters=hyperparameters)
    policies = [study.PolicyPlan("a", "GP-UCB-PE", {"batch_size": 2})]
    return study.Study("s", [problem], policies, replicates=1, batches=1, initial=2)


COUNTS = usually(st.integers(1, 3), st.sampled_from((0, -1, 1.5, "2", None, True)))
POINTS_OR = changed(POINTS)
VALUES_OR = changed(VALUES)
INDICES = usually(st.lists(st.integers(0, N - 1), min_size=1, max_size=4), ARRAYS)
NOISES = usually(None, SCALARS | ARRAYS)
DIRECTIONS = usually(st.sampled_from(("maximize", "minimize")))
FUNCTIONS = st.just(lambda x, *_: float(np.sum(x))) | SCALARS.map(lambda value: lambda *_: value)
BOUNDS = usually([(0, 1), (-1, 2)], ARRAYS)
NAMES = usually(("x", "y"), st.tuples(TEXTS))
KERNEL = st.recursive(
    one_of(KERNELS[kind] for kind in ("rbf", "matern", "polynomial")),
    lambda inner: (
        st.builds(lambda a, b: a + b, inner, inner) | st.builds(lambda a, b: a * b, inner, inner)
    ),
    max_leaves=4,
)
POLICY, SCHEDULE = one_of(POLICIES.values()), usually(FiniteBeta(), one_of(SCHEDULES.values()))
GP = st.builds(ucbpe_core.GaussianProcess, KERNEL, usually(0.01, NUMBERS), usually(0.0, NUMBERS))
PROBLEM = st.sampled_from((0.0, 0.01, 0.02)).map(
    lambda noise: problems.from_table(POINTS, VALUES, noise_variance=noise)
)
TRACE = st.builds(_trace, st.sampled_from(list(POLICIES)), st.integers(0, 1))
TABLE = st.sampled_from([(), (("name", tuple("abcd")),)]).map(
    lambda labels: Table(("x", "y"), POINTS, labels=labels)
)
PLAN = st.builds(Plan, GP, POLICY, SCHEDULE, DIRECTIONS, fit=st.just("never"))
HYPERPARAMETERS = st.sampled_from(("suggested", "likelihood")).map(
    lambda method: study.HyperparameterPlan(method, starts=1)
)
STUDY = HYPERPARAMETERS.map(_study)
SUMS = usually((), TEXTS.map(lambda name: (SumConstraint((name, "b"), 1.0),)))

# What a parameter gets that is annotated so; a test says which is missing.
BY_TYPE: dict[str, Any_] = {
    "int": COUNTS, "float": usually(0.5), "bool": usually(True), "str": usually("a", TEXTS),
    "bool | None": usually(st.sampled_from([None, False, True])),
    "float | tuple[float, ...]": usually(0.5, SCALARS | ARRAYS),
    "float | None": usually(0.5), "int | None": COUNTS, "object": SCALARS,
    "int | np.random.Generator": usually(1),
    **dict.fromkeys(("Floats", "Floats | None"), VALUES_OR),
    **dict.fromkeys(("ArrayLike | None", "Integers", "ArrayLike | Settings | None"), INDICES),
    "Noise": NOISES, "BetaSchedule": SCHEDULE, "BetaSchedule | None": SCHEDULE,
    "Direction": DIRECTIONS, "Repeats": usually(st.sampled_from(("allow", "avoid"))),
    "Callable[..., float]": FUNCTIONS, "Callable[[Floats], float]": FUNCTIONS,
    "Callable[[Any], Any] | None": usually(None, FUNCTIONS | SCALARS),
    "Collection[str]": usually(("noise_variance",), st.tuples(TEXTS)),
    "Design | None": usually(None), "Inducing | None": usually(Inducing(3)),
    "HyperparameterPlan": HYPERPARAMETERS, "Mapping[str, Any]": usually(
        {}, st.dictionaries(TEXTS, SCALARS, max_size=1)
    ),
    **dict.fromkeys(("GaussianProcess", "GaussianProcess | None"), GP),
    "GaussianProcess | Kernel | None": GP | KERNEL,
    **dict.fromkeys(("Kernel", "Kernel | None"), KERNEL), "Plan": PLAN,
    **dict.fromkeys(("Policy", "Policy | None"), POLICY), "Problem": PROBLEM,
    "RunDiagnostics": TRACE.map(theory.diagnose), "Trace": TRACE, "Study": STUDY,
    "Sequence[PolicyPlan]": STUDY.map(lambda one: one.policies),
    "Sequence[ProblemPlan]": STUDY.map(lambda one: one.problems),
    "Sequence[SumConstraint]": SUMS, "tuple[SumConstraint, ...]": SUMS,
    "Task": st.integers(0, 2).map(lambda replicate: study.Task("p", "a", replicate)),
    "tuple[Real | Integer | Category, ...]": usually((Real(0, 1),), st.tuples(SCALARS)),
    "tuple[int, ...]": usually((), st.tuples(SCALARS)), "tuple[str, ...]": NAMES,
    "tuple[tuple[str, tuple[str, ...]], ...]": usually(
        (), TEXTS.map(lambda text: (("a", (text,)),))
    ),
}  # fmt: skip
# Where the annotation does not say what is sound.
BY_NAME: dict[str, Any_] = {
    **dict.fromkeys(("X", "Z", "U", "candidates", "domain", "points"), POINTS_OR),
    **dict.fromkeys(("y", "values", "f", "gamma"), VALUES_OR),
    **dict.fromkeys(("indices", "index"), INDICES),
    "noise_variance": NOISES, "bounds": BOUNDS, "x0": usually(None, ARRAYS),
    **dict.fromkeys(("prior_variance", "optimum", "spread", "least_noise"), usually(1.5)),
    **dict.fromkeys(("seed", "measurement", "dimension"), usually(1)),
    **dict.fromkeys(("size", "resolution"), usually(4, st.sampled_from((0, -1, 1, 2.5, None)))),
    "shared": usually(
        st.sampled_from(((), ("x",), ("x0",), ("input 1",))), TEXTS | st.lists(SCALARS, max_size=1)
    ),
    "shared_by": usually(st.sampled_from(("first", "sum"))),
    "refit_every": usually(None), "transient": usually(1000.0), "history": usually(1.2),
    "lie": usually(st.sampled_from(("min", "mean", "max")), TEXTS),
    "durations": usually(st.sampled_from(DURATIONS), TEXTS), "method": usually("suggested", TEXTS),
    "labels": usually((), TEXTS.map(lambda text: (("a", (text,)),))),
}  # fmt: skip
# Where a name means something else.
OF_ITS_OWN: dict[tuple[str, str], Any_] = {
    ("ConstantBeta", "beta"): usually(4.0),
    ("fit_hyperparameters", "bounds"): usually(
        {"variance": (0.1, 2.0)}, st.dictionaries(TEXTS, st.tuples(SCALARS, SCALARS), max_size=1)
    ),
    **{(name, "beta"): VALUES_OR for name in ("RegretBounds", "union_bound")},
    ("HyperparameterPlan", "points"): COUNTS,
    ("retrace", "space"): usually(None, ARRAYS | TEXTS),
    ("retrace", "batches"): usually(None, VALUES_OR),
    ("ProblemPlan", "problem"): usually("figure1", TEXTS),
    ("PolicyPlan", "policy"): usually("GP-UCB-PE", TEXTS),
}
