"""Rules that `study` compares: warped inputs, a trust region, and what each of them chooses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from benchmarks import _rules
from benchmarks.study import VARIANTS
from ucbpe_core.spaces import Integer, Space

BOX = Space.of([(-5, 10), (0, 15)])
RULES = dict.fromkeys(variant.rule for variant in VARIANTS.values())


def data(n: int = 12, noise: float = 0.0) -> _rules.Data:
    """A bowl about (2, 3), in other units along each axis."""
    rng = np.random.default_rng(3)
    X = BOX.points(rng.random((n, 2)))
    y = ((X - [2.0, 3.0]) ** 2 / [30.0, 60.0]).sum(axis=1) + noise * rng.normal(size=n)
    return _rules.Data(BOX, X, y, y, n, 3, 1, samples=64, starts=2)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_rule_chooses_new_points_of_the_box_near_the_valley(rule: _rules.Rule) -> None:
    given = data()
    chosen = rule(given)
    assert chosen.shape == (3, 2)
    assert len(np.unique(np.concatenate([given.X, chosen]), axis=0)) == 15
    assert ((BOX.box[:, 0] <= chosen) & (chosen <= BOX.box[:, 1])).all()
    assert ((chosen - [2.0, 3.0]) ** 2).sum(axis=1).min() < 4


def test_warped_inputs_are_beta_distributed() -> None:
    """Kumaraswamy's distribution with b = 1 or a = 1 is Beta(a, 1) or Beta(1, b)."""
    U = np.linspace(0.05, 0.95, 7)[:, None] * [1.0, 1.0]
    found = _rules.warped_inputs(U, np.array([[2.5, 1.0], [1.0, 0.4]]))
    assert found[:, 0] == pytest.approx(stats.beta(2.5, 1).cdf(U[:, 0]))
    assert found[:, 1] == pytest.approx(stats.beta(1, 0.4).cdf(U[:, 1]))


def test_warped_inputs_can_be_undone() -> None:
    U, powers = np.random.default_rng(0).random((9, 2)), np.array([[0.3, 4.0], [2.0, 0.5]])
    assert _rules.unwarped_inputs(_rules.warped_inputs(U, powers), powers) == pytest.approx(U)


def test_the_powers_straighten_what_varies_near_one_end() -> None:
    """sin(8 u^3) has even ripples over u^3, and over u only where u is near 1."""
    U = np.linspace(0.02, 0.98, 30)[:, None]
    z, cube = np.sin(8 * U[:, 0] ** 3), Space.of([(0, 1)])
    given = _rules.Data(cube, U, z, z, 10, 2, 0)
    (a,), (b,) = _rules.likeliest_powers(given, U, given.fitted())
    assert a > 1.5
    assert a > b


def test_only_numbers_have_warped_inputs() -> None:
    space = Space.of({"parts": Integer(1, 4)})
    X, y = space.points(np.array([[0.1], [0.9]])), np.array([0.0, 1.0])
    with pytest.raises(ValueError, match="linear scale"):
        _rules.in_warped_inputs(_rules.Data(space, X, y, y, 2, 1, 0))


def test_the_region_follows_what_was_found() -> None:
    """d = 5, K = 5: one batch that improves nothing halves it, three that do double it."""
    better, first = np.repeat([8.0, 7.0, 6.0], 5), np.full(10, 9.0)
    assert _rules.side_of_region(first, 10, 5, 5) == 0.8
    assert _rules.side_of_region(np.append(first, better[:10]), 10, 5, 5) == 0.8
    assert _rules.side_of_region(np.append(first, better), 10, 5, 5) == 1.6
    same = np.concatenate([first, better, np.full(5, 6.0 - 1e-4)])
    assert _rules.side_of_region(same, 10, 5, 5) == 0.8
    # In 8 dimensions a batch of 4 has to fail twice.
    assert _rules.side_of_region(np.full(14, 9.0), 10, 4, 8) == 0.8
    assert _rules.side_of_region(np.full(18, 9.0), 10, 4, 8) == 0.4


def test_a_small_region_is_about_the_best_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_rules, "_SIDE", 0.02)
    given = data()
    best = given.X[given.y.argmin()]
    apart = np.abs(_rules.in_region(given) - best) / np.ptp(BOX.box, axis=1)
    # Sides are in proportion to the lengthscales, whose ratio is that of the bowl, below 3.
    assert 0 < apart.max() <= 0.03


def test_below_the_noise_a_batch_explores() -> None:
    """A hundred values of a bowl with much noise leave little to expect; fifteen exact ones not."""
    exact, noisy = data(15), replace(data(100, noise=0.5), repeats=True)
    assert _rules.exploring(exact) == pytest.approx(_rules.as_minimize(exact), abs=1e-6)
    policy = _rules.EIPE(3)
    explored = noisy.decided(noisy.fitted(), policy).points
    assert _rules.exploring(noisy) == pytest.approx(explored, abs=1e-6)
    assert _rules.exploring(noisy) != pytest.approx(_rules.as_minimize(noisy), abs=0.1)
