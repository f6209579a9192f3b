"""Bandits in files: what is read goes on as the original would, bit for bit."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    ConstantBeta,
    Decision,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Matern,
    Posterior,
    RandomSearch,
)
from ucbpe_core.ledger import Ledger

X = np.random.default_rng(0).random((40, 2))


def f(points: Any) -> np.ndarray:
    return np.sin(5 * points[:, 0]) + points[:, 1]


def saved(bandit: Bandit | BoxBandit) -> str:
    stream = io.StringIO()
    bandit.save(stream)
    return stream.getvalue()


def assert_same(one: Decision, other: Decision) -> None:
    for name in ("t", "n", "roles", "beta", "beta_next", "y_dot"):
        assert getattr(one, name) == getattr(other, name), name
    for name in ("indices", "points", "stds", "scores", "region", "region_plus", "known"):
        first, second = getattr(one, name), getattr(other, name)
        assert (first.dtype, first.shape, first.tobytes()) == (
            second.dtype,
            second.shape,
            second.tobytes(),
        ), name


def table(direction: Any = "maximize", policy: Any = None) -> Bandit:
    """One batch whole, one in part with noise variances of its own, one asked and untouched."""
    gp = GaussianProcess(Matern(0.3, nu=2.5), 0.01, 0.2)
    bandit = Bandit(X, gp, policy or GPUCBPE(3), FiniteBeta(scale=0.2), direction=direction)
    bandit.tell([0, 7], f(X[[0, 7]]))
    first = bandit.ask()
    bandit.tell(first.indices, f(first.points), [0.02, None, 0.5])
    second = bandit.ask()
    bandit.tell(second.indices[1:2], f(second.points[1:2]))
    bandit.ask()
    return bandit


def box(direction: Any = "maximize") -> BoxBandit:
    gp = GaussianProcess(RBF((2.0, 0.4)), 0.01)
    bandit = BoxBandit(
        [(0, 5), (-1, 1)], gp, GPUCBPE(2), direction=direction, seed=3, samples=16, starts=1
    )
    bandit.tell(None, [0.1, 0.7], points=[[1.0, 0.0], [4.0, 0.5]])
    first = bandit.ask()
    bandit.tell(first.indices[:1], [0.4], 0.2, points=first.points[:1] + 0.01)
    bandit.ask()
    return bandit


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize("make", [table, box])
def test_what_is_read_goes_on_as_the_original_would(make: Any, direction: str, tmp_path) -> None:
    """The open decision, then the next ones, and the posterior; it writes the same file again."""
    bandit = make(direction)
    bandit.save(tmp_path / "b.json")
    again = type(bandit).load(tmp_path / "b.json")
    assert saved(again) == saved(bandit) == (tmp_path / "b.json").read_text(encoding="ascii")
    assert (again.ledger, again.direction, again.t) == (bandit.ledger, direction, bandit.t)
    assert_same(again.ask(), bandit.ask())
    for one in (bandit, again):
        decision = one.ask()
        one.tell(decision.indices[:1], f(decision.points[:1]))
    assert_same(again.ask(), bandit.ask())
    for name in ("L", "w", "X"):
        mine, theirs = getattr(bandit.process, name), getattr(again.process, name)
        assert mine.tobytes() == theirs.tobytes(), name
    again.withdraw()
    assert again.pending == ()


def test_after_a_refit_and_another_plan() -> None:
    bandit = table()
    bandit.refit()
    bandit.policy, bandit.schedule = RandomSearch(2, seed=5), ConstantBeta(2.0)
    bandit.withdraw()
    again = Bandit.load(io.StringIO(saved(bandit)))
    assert again.posterior.gp == bandit.posterior.gp
    assert again.posterior.mean.tobytes() == bandit.posterior.mean.tobytes()
    assert (again.policy, again.schedule) == (bandit.policy, bandit.schedule)
    assert_same(again.ask(), bandit.ask())
    assert np.isnan(again.ask().scores).all()


def test_a_new_bandit_and_its_names(tmp_path) -> None:
    frame = pytest.importorskip("pandas").DataFrame(X, columns=["heat (°C)", "time"])
    bandit = Bandit(frame, GaussianProcess(RBF(0.3)), GPUCBPE(2))
    again = Bandit.load(io.StringIO(saved(bandit)))
    assert again.names == bandit.names == ("heat (°C)", "time")
    assert_same(again.ask(), bandit.ask())
    fresh = BoxBandit([(0, 1)], GaussianProcess(RBF(0.3)), GPUCBPE(2), samples=32, starts=1)
    assert_same(BoxBandit.load(io.StringIO(saved(fresh))).ask(), fresh.ask())


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("format", "ucbpe-box-bandit", "a file of format ucbpe-bandit"),
        ("version", 2, "a version up to 1 of the format; got version 2"),
        ("direction", "up", r"at \$\.direction; got .*up"),
        ("told.0", 40, "indices between 0 and 39; got 40"),
        ("y.0", "1", r"a number at \$\.y\[0\]; got '1'"),
        ("y", [1.0], r"y of shape"),
        ("noise_variances.0", -1.0, "noise_variance of at least 0"),
        ("ledger.untold.0.t", 1.5, r"a whole number at \$\.ledger\.untold\[0\]"),
        ("ledger.untold.0.index", 39, "the decision of the open batch"),
        ("decision", None, "the decision of the open batch"),
        ("decision.points.0", 3, r"a list at \$\.decision\.points\[0\]; got 3"),
        ("extra", 1, r"no unknown fields at \$; got \['extra'\]"),
    ],
)
def test_what_cannot_be_is_refused(path: str, value: Any, what: str) -> None:
    document = json.loads(saved(table()))
    *way, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    inner = document
    for key in way:
        inner = inner[key]
    inner[last] = value
    document.pop("digest")
    with pytest.raises(InputError, match=what):
        Bandit.load(io.StringIO(json.dumps(document)))


def test_results_at_points_that_are_no_candidates() -> None:
    prior = Posterior.prior(GaussianProcess(RBF(0.3), 0.01), X)
    points = np.array([[0.5, 0.5], [2.0, -1.0]])
    posterior = prior.observe_points(points, f(points), [None, 0.2])
    bandit = Bandit.restore(posterior, GPUCBPE(3), ConstantBeta(2.0), Ledger())
    again = Bandit.load(io.StringIO(saved(bandit)))
    assert_same(again.ask(), bandit.ask())
    np.testing.assert_array_equal(again.posterior.mean, bandit.posterior.mean)


def small(*told: int) -> Bandit:
    """Three candidates, whose file is short."""
    bandit = Bandit([[0.0], [0.5], [1.0]], GaussianProcess(RBF(0.3)), GPUCBPE(1))
    bandit.tell(told, [0.1 * j for j in told])
    return bandit


@pytest.mark.parametrize("make", [lambda: small(0, 2), box])
def test_no_flipped_bit_is_read_as_another_bandit(make: Any, tmp_path: Path) -> None:
    """All bits, or every seventh of a longer file: refused, or nothing but how it is written."""
    bandit, path = make(), tmp_path / "b.json"
    bandit.save(path)
    data, read = path.read_bytes(), 0
    for i in range(0, 8 * len(data), 1 if len(data) < 700 else 7):
        flipped = bytearray(data)
        flipped[i // 8] ^= 1 << i % 8
        path.write_bytes(flipped)
        try:
            again = type(bandit).load(path)
        except InputError:
            continue
        read += 1
        assert saved(again) == saved(bandit), i
    assert read < 20  # the space at the end, and letters of exponents


def test_a_file_without_a_digest_is_read_as_it_is() -> None:
    """So that one can be edited by hand."""
    document = json.loads(saved(small(0, 2)))
    document["y"][1] = 7.0
    with pytest.raises(InputError, match=r"content of digest .* remove the digest"):
        Bandit.load(io.StringIO(json.dumps(document)))
    del document["digest"]
    assert Bandit.load(io.StringIO(json.dumps(document))).process.y.tolist() == [0.0, 7.0]


def test_results_in_the_file_are_not_replaced_by_fewer(tmp_path: Path) -> None:
    """Two processes that load the same file and tell one result each: the second has to load it."""
    path = tmp_path / "b.json"
    small(0).save(path)
    first, second = Bandit.load(path), Bandit.load(path)
    first.tell([1], [0.3])
    first.save(path)
    second.tell([2], [0.5])
    kept = path.read_bytes()
    with pytest.raises(InputError, match=r"a bandit with the 2 results .* load that file"):
        second.save(path)
    assert path.read_bytes() == kept
    again = Bandit.load(path)
    again.tell([2], [0.5])
    again.refit()
    again.save(path)
    assert Bandit.load(path).process.y.tolist() == [0.0, 0.3, 0.5]


def test_another_bandit_and_a_damaged_file_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    for earlier in (saved(small(0, 1, 2)), "{", "[]", '{"id":1}', ""):
        path.write_text(earlier, encoding="ascii")
        small(1).save(path)
        assert Bandit.load(path).process.y.tolist() == [0.1]


@pytest.mark.parametrize("points", [True, False])
def test_results_of_a_box_are_not_replaced_either(points: bool, tmp_path: Path) -> None:
    """Nor another value at the same place."""
    path, bandit = tmp_path / "b.json", box()
    bandit.save(path)
    other = BoxBandit.load(path)
    for one, shift in ((bandit, 0.0), (other, 0.1)):
        where = [[2.0 + shift * points, 0.0]]
        one.tell(None, [0.5 + shift * (not points)], points=where)
    bandit.save(path)
    with pytest.raises(InputError, match="results in"):
        other.save(path)
