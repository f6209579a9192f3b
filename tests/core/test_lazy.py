"""Lazy variances decide as whole rows do: bit for bit, ties included."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    FiniteBeta,
    GaussianProcess,
    Kernel,
    Matern,
    Policy,
    Posterior,
)
from ucbpe_core.gp import lazy
from ucbpe_core.gp.conditioning import State, restricted
from ucbpe_core.gp.kernels import Polynomial
from ucbpe_core.policies import EIPE, Decision, PureExploration, explore

from .reference import Floats, examples
from .runs import assert_equal_fields
from .strategies import seeds

NEVER = 10**9
KERNELS: list[Kernel] = [
    Matern(0.3, nu=2.5),
    Matern(0.3, nu=0.7),
    RBF((0.2, 0.3)),
    RBF(1.5),
    Matern(0.3, nu=1.5) + Polynomial(2),
]
POLICIES: list[Policy] = [GPUCBPE(6), GPUCBPE(2), EIPE(6), PureExploration(6)]  # that explore


@contextmanager
def lazily(least: int) -> Iterator[None]:
    """With lazy variances from so many candidates on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lazy, "LEAST", least)
        yield


@dataclass(frozen=True)
class Experiment:
    """A function over candidates, in the square or on a grid whose symmetry makes ties."""

    kernel: Kernel
    policy: Policy
    scale: float
    noise: float
    size: int
    grid: bool
    initial: int
    seed: int
    fixed_noise: bool = False
    withdraws: bool = False

    @property
    def candidates(self) -> Floats:
        if self.grid:
            side = np.linspace(-0.5, 0.5, int(np.sqrt(self.size)))
            return np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
        X = np.random.default_rng(self.seed).random((self.size, 2)) - 0.5
        X[-(self.size // 5) :] = X[: self.size // 5]  # each of these ties with another
        return X

    def decisions(self, batches: int, *, in_parts: bool) -> tuple[list[Decision], Posterior]:
        """What it asks, with results in order or late, among others that it did not ask for."""
        X, rng = self.candidates, np.random.default_rng(self.seed)
        f = np.cos(4 * X).sum(axis=1)
        gp = GaussianProcess(self.kernel, self.noise)
        bandit = Bandit(X, gp, self.policy, FiniteBeta(scale=self.scale))
        start = rng.integers(len(X), size=self.initial)
        bandit.tell(start, f[start])
        made = []
        for t in range(batches):
            made.append(bandit.ask())
            told = made[-1].indices
            if in_parts:
                told = np.append(told[: len(told) // 2], rng.integers(len(X), size=2))
                if t % 3 == 0:
                    told = np.append(told, bandit.pending[-1])
            y = f[told] + 0.1 * rng.standard_normal(len(told))
            known = rng.choice([None, 0.0, 0.003, 0.3], size=len(told))
            bandit.tell(told, y, known if self.fixed_noise else None)
            if self.withdraws and bandit.pending:
                bandit.withdraw(bandit.pending[-1:])
        return made, bandit.posterior


@st.composite
def experiments(draw: st.DrawFn) -> Experiment:
    return Experiment(
        draw(st.sampled_from(KERNELS)),
        draw(st.sampled_from(POLICIES)),
        draw(st.sampled_from((0.05, 0.2, 1.0))),
        draw(st.sampled_from((0.0, 1e-4, 0.01, 1.0))),
        draw(st.integers(30, 900)),
        draw(st.booleans()),
        draw(st.sampled_from((0, 3, 30))),
        draw(seeds),
        draw(st.booleans()),
        draw(st.booleans()),
    )


def assert_same(
    one: tuple[list[Decision], Posterior], other: tuple[list[Decision], Posterior]
) -> None:
    """Equal bit for bit: the decisions, and the belief at the end."""
    for mine, theirs in zip(one[0], other[0], strict=True):
        assert_equal_fields(mine, theirs)
    assert one[1].conditioned_indices == other[1].conditioned_indices
    assert one[1].fixed_noise == other[1].fixed_noise
    for name in ("mean", "std", "y"):
        np.testing.assert_array_equal(getattr(one[1], name), getattr(other[1], name))
    for i in range(one[1].n):
        np.testing.assert_array_equal(one[1].state.rows[i], other[1].state.rows[i])


# Values with noise of its own, told as noise-free: rounding may then show.
@pytest.mark.filterwarnings("ignore::ucbpe_core.IllConditionedWarning")
@pytest.mark.filterwarnings("ignore::ucbpe_core.KnownValuesWarning")
@examples(40)
@given(experiments(), st.booleans())
def test_lazy_variances_decide_as_eager_ones(case: Experiment, in_parts: bool) -> None:
    with lazily(NEVER):
        eager = case.decisions(6, in_parts=in_parts)
    with lazily(1):
        found = case.decisions(6, in_parts=in_parts)
    assert_same(found, eager)


def eager(belief: Posterior, members: np.ndarray, picks: int, given: list[int]) -> list[lazy.Found]:
    """The definition: argmax over the members, observe, again."""
    belief, found = belief.hallucinate(given), []
    for _ in range(picks):
        best = members[np.argmax(belief.std[members])]
        found.append(lazy.Found(int(best), float(belief.std[best])))
        belief = belief.hallucinate([best])
    return found


@pytest.mark.parametrize(("lengthscale", "most"), [(0.1, 3000), (10.0, 2000)])
def test_few_are_looked_at_or_whole_rows_take_over(
    lengthscale: float, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 16,000 candidates: where picks change little far away, and where they change all."""
    rng = np.random.default_rng(0)
    gp = GaussianProcess(Matern(lengthscale, nu=2.5), 0.01)
    belief = Posterior.prior(gp, rng.random((16_000, 2))).observe(range(80), np.zeros(80))
    members = np.arange(16_000)
    expected = eager(belief, members, 8, [100])
    sizes: list[int] = []

    def noted(state: State, indices: np.ndarray) -> State:
        sizes.append(len(indices))
        return restricted(state, indices)

    monkeypatch.setattr(lazy, "restricted", noted)
    found = explore(belief, members >= 0, 8, given=(100,))
    assert [(pick.index, pick.std) for pick in found] == expected
    assert sum(size for size in sizes if size > 10) <= most


def test_nothing_to_explore() -> None:
    belief = Posterior.prior(GaussianProcess(RBF(1.0), 0.1), [0.0, 1.0])
    assert lazy.explore(belief, np.arange(2), 0, [1]) == []
