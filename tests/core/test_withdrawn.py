"""A withdrawn pick will not be measured: no policy proposes it again, until it is allowed."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from ucbpe_core import GPUCBPE, Bandit, ConstantBeta, GaussianProcess, InputError, Matern
from ucbpe_core.errors import NothingLeftError
from ucbpe_core.policies import POLICIES, LocalPenalization

from .runs import policy_of, text_of

GP = GaussianProcess(Matern(nu=2.5, lengthscale=0.3), noise_variance=0.01)
X = np.linspace(0, 1, 21)[:, None]
DATA = [0, 5, 10], [0.0, 0.3, 0.2]


def table(name: str = "GP-UCB-PE", K: int = 3, **options: Any) -> Bandit:
    bandit = Bandit(X, GP, policy_of(name, K), ConstantBeta(4.0), **options)
    bandit.tell(*DATA)
    return bandit


def saved(bandit: Any) -> Any:
    return type(bandit).load(io.StringIO(text_of(bandit)))


@pytest.mark.parametrize("name", POLICIES)
def test_no_policy_proposes_it_again(name: str) -> None:
    """Batch after batch is withdrawn, half of it measured in between, saved and loaded."""
    bandit, gone = table(name, direction="minimize"), set[int]()
    for _ in range(4):
        picks = bandit.ask().indices.tolist()
        assert not gone & set(picks)
        if len(picks) > 1:
            bandit.tell(picks[:1], [0.1])
        gone |= set(bandit.withdraw())
        bandit, before = saved(bandit), bandit
        assert (bandit.history, set(bandit.excluded)) == (before.history, gone)
    assert len(gone) >= 4
    assert not gone & set(bandit.ask().indices.tolist())


def test_nothing_left_is_said() -> None:
    bandit = Bandit(X[:3], GP, GPUCBPE(3))
    while len(bandit.excluded) < 3:
        bandit.ask()
        bandit.withdraw()
    with pytest.raises(NothingLeftError, match=r"got none, and 3 withdrawn; .* or allow\(\) some"):
        bandit.ask()
    assert (bandit.pending, bandit.t) == ((), 1)
    bandit.allow([1])
    assert bandit.ask().indices.tolist() == [1, 1, 1]
    single = Bandit(X[:4], GP, LocalPenalization(3))
    single.ask()
    single.withdraw()
    with pytest.raises(InputError, match=r"at most 1.* Local penalization repeats none; got 3"):
        single.ask()
