"""Every formula on the page, evaluated as it stands there, against what the library computes."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.app.pages.theory.views.mathml import evaluate
from tests.core.runs import small_run
from ucbpe_app.pages.theory.views import formulas
from ucbpe_core import ConstantBeta, FiniteBeta, Trace, theory
from ucbpe_core.policies.schedules import CompactBeta
from ucbpe_core.theory.lemmas import CHECKS

CONSTANTS = {"e": math.e, "π": math.pi, "log": math.log}
BETA, GAMMA, K, NOISE = np.array([2.0, 3.5, 4.0]), np.array([1.0, 1.5, 2.25]), 3, 0.3
BOUNDS = ("theorem1_printed", "theorem1_proved", "full_regret_printed", "full_regret_proved")


def of_formula(formula: formulas.Formula, names: dict[str, Any]) -> float:
    """The right side, with what its symbols stand for."""
    where = {symbol: evaluate(value, names) for symbol, value in formula.where}

    def constant(letter: str) -> Any:
        return lambda number: where[f"{letter}_{number:.0f}"]

    # b is a letter by itself in the compact schedule, and with an index, too.
    own = {**names, "C": constant("C")}
    if "b_1" in where:
        own["b"] = constant("b")
    if not formula.beyond:
        return float(evaluate(formula.right, own))
    assert formula.beyond.startswith("{} + ")
    return float(evaluate(formula.right, own) + evaluate(formula.beyond, own))


@pytest.mark.parametrize("T", [1, 2, 3])
@pytest.mark.parametrize("name", BOUNDS)
def test_bounds(name: str, T: int) -> None:
    names = {
        **CONSTANTS,
        "T": T,
        "K": K,
        "σ": math.sqrt(NOISE),
        "β": lambda t: BETA[int(t) - 1],
        "γ": lambda n: GAMMA[int(n) // K - 1],
    }
    expected = getattr(theory.RegretBounds(BETA, GAMMA, K, NOISE), name)[T - 1]
    assert of_formula(formulas.BOUNDS[name], names) == pytest.approx(expected, rel=1e-12)
    compact = {"compact": True} if name.endswith("proved") else {}
    expected = getattr(theory.RegretBounds(BETA, GAMMA, K, NOISE, **compact), name)[T - 1]
    assert of_formula(formulas.COMPACT_BOUNDS[name], names) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("t", [1, 2, 7])
@pytest.mark.parametrize(
    "schedule",
    [
        FiniteBeta(0.07, 0.3),
        CompactBeta(0.07, 0.3, a=1.5, b=2.5, r=0.8),
        ConstantBeta(3.5, 0.3),
    ],
)
def test_schedules(schedule: Any, t: int) -> None:
    size, dimension = 481, 2
    names = {**CONSTANTS, **vars(schedule), "X": size, "t": t, "d": dimension}
    names |= {
        "c": schedule.scale,
        "δ": vars(schedule).get("delta"),
        "β": vars(schedule).get("beta"),
    }
    expected = schedule(t, size, dimension)
    assert of_formula(formulas.SCHEDULES[type(schedule)], names) == pytest.approx(
        expected, rel=1e-12
    )


def names_of(trace: Trace, t: int) -> dict[str, Any]:
    """What the symbols of the statements stand for at t, from the beliefs of the run alone."""
    f = trace.problem.values
    size, T = trace.policy.batch_size, len(trace.decisions)
    starts = [trace.initial + size * (u - 1) for u in range(1, T + 2)]

    def beta(u: float) -> float:
        return trace.beta(int(u), *trace.problem.candidates.shape)

    @cache
    def belief(u: float) -> Any:
        return trace.posterior.at(starts[int(u) - 1])

    def pick(u: float, k: float) -> int:
        if u <= T:
            return int(trace.decisions[int(u) - 1].indices[int(k)])
        assert k == 0
        return int(np.argmax(belief(u).mean + math.sqrt(beta(u)) * belief(u).std))

    @cache
    def s(u: float, k: float) -> float:
        before = belief(u).hallucinate([pick(u, j) for j in range(int(k))])
        return float(before.std[pick(u, k)])

    def y_dot(u: float, dot: str) -> float:
        assert dot == "•"
        return float((belief(u).mean - math.sqrt(beta(u)) * belief(u).std).max())

    return {
        **CONSTANTS, "t": t, "v": float(trace.gp.kernel.diagonal(trace.problem.candidates).max()),
        "T": T, "K": size, "σ": math.sqrt(trace.gp.noise_variance),
        "X": len(f), "β": beta, "x*": int(np.argmax(f)), "f": lambda j: float(f[j]), "s": s,
        "mean": lambda u: lambda j: float(belief(u).mean[j]),
        "std": lambda u: lambda j: float(belief(u).std[j]), "y": y_dot, "x": pick,
    }  # fmt: skip


@pytest.fixture(scope="module")
def trace() -> Trace:
    return small_run(batches=3)


@pytest.mark.parametrize("name", formulas.STATEMENTS)
def test_statements(trace: Trace, name: str) -> None:
    """At every t, for every x or k that is meant: the sides of `check_lemmas` are the tightest."""
    checks = theory.check_lemmas(theory.diagnose(trace))
    check = next(one for one in checks if one.name == name)
    left, right = formulas.STATEMENTS[name]
    for t in range(1, 4):
        if np.isnan(check.margin[t - 1]):
            assert (name, t) == ("picks_in_region_plus", 3)
            continue
        names = names_of(trace, t)
        pairs = [
            (evaluate(left, {**names, **choice}), evaluate(right, {**names, **choice}))
            for choice in _choices(name, trace)
        ]
        tightest = min(pairs, key=lambda pair: pair[1] - pair[0])
        assert check.left[t - 1] == pytest.approx(tightest[0], abs=1e-8)
        assert check.right[t - 1] == pytest.approx(tightest[1], abs=1e-8)


def _choices(name: str, trace: Trace) -> list[dict[str, Any]]:
    if name == "band":
        return [{"x": j} for j in range(len(trace.problem.values))]
    if name in ("picks_in_region_plus", "lemma2", "exploring_regret"):
        return [{"k": float(k)} for k in range(1, trace.policy.batch_size)]
    return [{}]


def test_the_dropped_term(trace: Trace) -> None:
    checks = {one.name: one for one in theory.check_lemmas(theory.diagnose(trace))}
    dropped = checks["lemma3"].right[-1] - checks["lemma3_printed"].right[-1]
    assert evaluate(formulas.DROPPED, names_of(trace, 3)) == pytest.approx(dropped, abs=1e-9)


def test_every_statement_has_a_formula() -> None:
    assert list(formulas.STATEMENTS) == list(CHECKS)
