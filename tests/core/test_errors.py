"""Errors a user can act on: bad input to every part of the public surface, refused at once."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import pytest

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Posterior,
    UCBPEError,
    fit_hyperparameters,
    minimize,
    problems,
    simulate,
    study,
    theory,
)
from ucbpe_core.errors import IllConditionedError
from ucbpe_core.policies import GPUCB, LocalPenalization
from ucbpe_core.support.validation import (
    count,
    fraction,
    indices,
    non_negative,
    points,
    positive,
    real,
)

GP, OTHER = GaussianProcess(RBF(0.3), 0.1), GaussianProcess(RBF(2.0), 0.1)
X = np.linspace(0, 1, 7)[:, None]
CURVE, RULE = study.ProblemPlan("Curve", "multimodal"), study.PolicyPlan("PE", "GP-UCB-PE")
MASKED = np.ma.masked_array([0.0, 9.0, 1.0], mask=[False, True, False])


def bandit() -> Bandit:
    return Bandit(X, GP, GPUCBPE(2))


HIDDEN, TEXT = "without masked entries; .*; drop those entries", "to be (numeric|a number)"
BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: GP.condition(X, X[:, 0]).predict(np.zeros((1, 2))), "Z with 1 columns"),
    (lambda: GP.sample([np.nan]), "X to be finite"),
    (lambda: Posterior.prior(GP, X).observe([7], [0.0]), "indices between 0 and 6; got 7"),
    (lambda: Posterior.prior(GP, X).at(1), "n of at most 0"),
    (lambda: Bandit(X, GP, LocalPenalization(8)).ask(), "batch_size of at most 7"),
    (lambda: problems.generated_gp(resolution=1), "resolution"),
    (lambda: theory.information_gain(GaussianProcess(RBF(), 0.0), X), "noise"),
    (lambda: Posterior.prior(GP, X).observe([0, 1, 2], MASKED), HIDDEN),
    (lambda: bandit().tell(np.ma.masked_array([0, 1], [True, False]), [0.0, 1.0]), HIDDEN),
    (lambda: Posterior.prior(GP, MASKED), HIDDEN),
    (lambda: GP.condition(X[:3], [0.0, 1.0, np.nan]), "got nan at position 2"),
    (lambda: GP.condition([[0.0], [-np.inf]], [0.0, 1.0]), r"got -inf at position \(1, 0\)"),
    (lambda: GP.condition(X[:3], MASKED), HIDDEN),
    (lambda: Posterior.prior(GP, [[0.1, "0.2"]]), TEXT),
    (lambda: Posterior.prior(GP, np.array([[b"1"]])), TEXT),
    (lambda: Posterior.prior(GP, np.array([["2024-05-31"]], dtype="M8[D]")), TEXT),
    (lambda: fit_hyperparameters(GP, X[:2], ["1", "2"]), TEXT),
    (lambda: GaussianProcess(RBF(), b"1"), TEXT),
    (lambda: Bandit(X, GP, GPUCBPE), r"a Policy; got the class GPUCBPE; call it: GPUCBPE\(\.\.\)"),
    (lambda: Bandit(X, GP, FiniteBeta), "a Policy; got the class FiniteBeta; pass"),
    (
        lambda: Bandit(X, GP, GPUCB(), FiniteBeta),
        "a BetaSchedule; got the class FiniteBeta; call",
    ),
    (lambda: Bandit(X, GP, "GP-UCB-PE"), "a Policy; got str; pass"),
    (lambda: RBF([]), "at least one lengthscale; got none; pass one per"),
    (lambda: RBF(np.empty(0)), "at least one lengthscale; got none; pass one per"),
    (
        lambda: study.Study("s", [CURVE], [RULE], seed=16**5000 - 1),
        "seed of at most .*; got one of 20000",
    ),
    # What a newcomer writes: a class, a function, a number or a name in place of the right thing.
    (lambda: Bandit(X, GP, GPUCBPE), "a Policy; got the class GPUCBPE; call it"),
    (lambda: GaussianProcess(RBF), "a Kernel; got the class RBF; call it"),
    (lambda: simulate(problems.himmelblau, GPUCBPE(2)), "the function himmelblau; pass problems"),
    (
        lambda: Bandit(X, GP, GPUCBPE(2), lambda t: t),
        "got the function <lambda>; .* derive a class",
    ),
    (lambda: Bandit(X, GP, GPUCBPE(2), 4.0), "a BetaSchedule; got float; pass ConstantBeta"),
    (lambda: GPUCBPE(K=4), "a parameter of GPUCBPE; got K=; it has batch_size"),
    (lambda: RBF(lenghtscale=1.0), "a parameter of RBF; got lenghtscale=; write lengthscale="),
    (lambda: Bandit(X, GP, GPUCBPE(2), repeat="avoid"), "got repeat=; write repeats="),
    (lambda: simulate(problems.himmelblau(), GPUCBPE(2), batch=3), "got batch=; write batches="),
    (lambda: minimize(abs, [(0, 1)], batch=3), "a parameter of minimize; got batch=; write batch"),
]


@pytest.mark.parametrize(("use", "what"), BAD)
def test_bad_input(use: Callable[[], object], what: str) -> None:
    """A ValueError that says what was expected, what was got and what to do."""
    with pytest.raises(InputError, match=what) as failure:
        use()
    error = failure.value
    assert isinstance(error, ValueError)
    for part in (error.expected, error.got, error.remedy):
        assert part
        assert part in str(error)
    assert str(error) == f"expected {error.expected}; got {error.got}; {error.remedy}"
    assert len(str(error)) < 250


@pytest.mark.parametrize("kind", [UCBPEError, InputError, IllConditionedError])
def test_errors_travel(kind: type[UCBPEError]) -> None:
    """All are ValueErrors of one family, and survive pickling (another process)."""
    error = kind("this", "that", "do so")
    assert isinstance(error, (UCBPEError, ValueError))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error) == "expected this; got that; do so"
    assert (again.expected, again.got, again.remedy) == ("this", "that", "do so")


@pytest.mark.parametrize("name", ["gp", "direction", "history", "t"])
def test_what_follows_from_a_history_is_not_assigned(name: str) -> None:
    one = bandit()
    before = getattr(one, name)
    with pytest.raises(AttributeError, match="no setter"):
        setattr(one, name, OTHER)
    assert getattr(one, name) == before


@pytest.mark.parametrize("make", [bandit, lambda: BoxBandit([(0, 1)], GP, GPUCBPE(2), fit="never")])
def test_policy_and_schedule_are_checked_when_they_are_assigned(make: Callable[[], Bandit]) -> None:
    one = make()
    policy, schedule = one.policy, one.beta
    with pytest.raises(InputError, match="got str"):
        one.policy = "x"
    with pytest.raises(InputError, match="a BetaSchedule; got float"):
        one.beta = 4.0
    assert (one.policy, one.beta) == (policy, schedule)
    one.policy, one.beta = GPUCB(), ConstantBeta(9.0)
    decision = one.ask()
    assert (len(decision.indices if isinstance(one, Bandit) else decision.points), 9.0) == (
        1,
        decision.beta,
    )


@pytest.mark.parametrize(
    "array", [[5], [-1], [0.0], [True], ["0"], [None], None, [[0]], [[0], [1, 2]], [0, 2**40]]
)
def test_bad_indices(array: object) -> None:
    """Outside 0 .. size - 1 (negative ones too), or no whole numbers."""
    with pytest.raises(InputError, match=r"^expected indices .*; got .*; "):
        indices(array, 5)


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (real, [0, -1.5, np.float32(2)], [np.nan, np.inf, "1", None, 10**400, 1j, [1, 2]]),
        (positive, [1e-300, 5], [0, -1, np.nan, "1"]),
        (non_negative, [0, 3.5], [-1e-300, np.inf]),
        (fraction, [0.5, 1e-9], [0, 1, -0.1, 2, np.nan]),
        (count, [1, 7, np.int64(3)], [0, -1, 1.0, "2", None]),
        (points, [], [3.0, np.zeros((2, 0)), np.zeros((1, 2, 3)), [10**400], {}]),
        (partial(points, dimension=2), [], [[1.0, 2.0]]),
    ],
)
def test_numbers_and_points(check: Callable[[object, str], float], good: list, bad: list) -> None:
    """Good numbers come back as they were, bad ones raise with the name they go by."""
    for value in good:
        assert check(value, "size") == value
    for value in bad:
        with pytest.raises(InputError, match=r"^expected size .*; got .*; "):
            check(value, "size")


ROWS = [[0.0, 1.0], [0.5, 1.5], [0.25, 1.0], [0.75, 3.0]]
KINDS = {
    "tuples": lambda array: tuple(map(tuple, array)) if np.ndim(array) == 2 else tuple(array),
    "float32": lambda array: np.array(array, dtype=np.float32),
    "Fortran order": lambda array: np.array(array, order="F"),
    "frame or series": lambda array: (
        pd.DataFrame(array, columns=["heat", "time"]) if np.ndim(array) == 2 else pd.Series(array)
    ),
    "nullable": lambda array: (
        pd.DataFrame(array).convert_dtypes() if np.ndim(array) == 2 else pd.Series(array)
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_input_is_the_same_to_a_bandit(kind: str) -> None:
    """To the last bit, as these numbers are exact in all of them."""
    of, y = KINDS[kind], [0.5, 1.0]
    gp = GaussianProcess(RBF(0.5), 0.125)
    plain, other = Bandit(ROWS, gp, GPUCBPE(2)), Bandit(of(ROWS), gp, GPUCBPE(2))  # type: ignore[no-untyped-call]
    plain.tell([0, 3], y)
    other.tell(pd.Series([0, 3]) if kind == "frame or series" else [0, 3], of(y))  # type: ignore[no-untyped-call]
    assert plain.ask().indices.tolist() == other.ask().indices.tolist()
    np.testing.assert_array_equal(plain.posterior.std, other.posterior.std)
    np.testing.assert_array_equal(
        gp.condition(of(ROWS), of([1, 2, 3, 4])).predict(of(ROWS)).mean,  # type: ignore[no-untyped-call]
        gp.condition(ROWS, [1, 2, 3, 4]).predict(ROWS).mean,
    )
    assert other.names == (("heat", "time") if kind == "frame or series" else other.names)


@pytest.mark.parametrize(
    ("frame", "what"),
    [
        (
            pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}),
            "a DataFrame with entries that are not numbers in 'b'",
        ),
        # pandas makes whole numbers of these two by itself.
        (pd.DataFrame({"a": pd.to_datetime(["2024-05-31"], utc=True)}), "not numbers in 'a'"),
        (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), "numeric|finite"),
        (pd.DataFrame(), "of shape"),
    ],
)
def test_frames_that_are_refused(frame: pd.DataFrame, what: str) -> None:
    """By every entry, with what is wrong and what to do."""
    gp = GaussianProcess(RBF())
    for use in (
        lambda: Posterior.prior(gp, frame),
        lambda: gp.condition(frame, [0.0, 1.0]),
        lambda: fit_hyperparameters(gp, frame, [0.0, 1.0]),
    ):
        with pytest.raises(InputError, match=what) as caught:
            use()
        assert caught.value.remedy
