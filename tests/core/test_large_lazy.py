"""What lazy exploration looks at, and the ties that it must not miss (see also test_focus)."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_core import RBF, GaussianProcess, Matern, Posterior
from ucbpe_core.conditioning import State
from ucbpe_core.large import lazy
from ucbpe_core.parts import restricted


def eager(belief: Posterior, members: np.ndarray, picks: int, given: list[int]) -> list[lazy.Found]:
    """The definition: argmax over the members, observe, again."""
    belief, found = belief.hallucinate(given), []
    for _ in range(picks):
        best = members[np.argmax(belief.std[members])]
        found.append(lazy.Found(int(best), float(belief.std[best])))
        belief = belief.hallucinate([best])
    return found


def test_a_tie_between_groups_goes_to_the_lowest_candidate() -> None:
    """A pick brings the first group down to exactly what a later one, of lower indices, has."""
    X = np.repeat([0.0, 100.0], [300, 256])  # the first group is of 256
    belief = Posterior.prior(GaussianProcess(RBF(1.0), 0.1), X).observe(0, 1.0)
    members = np.arange(556)
    assert belief.std[0] < belief.std[300] == 1.0
    found = lazy.explore(belief, members, 4, [])
    assert [one.candidate for one in found] == [300, 0, 300, 0]
    assert found == eager(belief, members, 4, [])


def opened(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many candidates each restriction of a belief was about."""
    sizes: list[int] = []

    def recorded(state: State, indices: np.ndarray) -> State:
        sizes.append(len(indices))
        return restricted(state, indices)

    monkeypatch.setattr(lazy, "restricted", recorded)
    return sizes


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
    sizes = opened(monkeypatch)
    assert lazy.explore(belief, members, 8, [100]) == expected
    assert sum(size for size in sizes if size > 10) <= most


def test_nothing_to_explore() -> None:
    belief = Posterior.prior(GaussianProcess(RBF(1.0), 0.1), [0.0, 1.0])
    assert lazy.explore(belief, np.arange(2), 0, [1]) == []
