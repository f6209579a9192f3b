"""Settings, points, coordinates and the unit cube of mixed inputs."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.optimize

from ucbpe_core import GPUCBPE, BoxBandit, GaussianProcess, InputError, Matern
from ucbpe_core.policies.picking import Bound
from ucbpe_core.search.box.acquisition import Acquisition
from ucbpe_core.search.box.search import Cover
from ucbpe_core.spaces import Category, Integer, Real, Space, SumConstraint

SPACE = Space.of(
    {
        "heat": (20, 80),
        "rate": Real(1e-4, 1e2, log=True),
        "parts": Integer(1, 4),
        "count": Integer(1, 1000, log=True),
        "ratio": Real(0.1, 0.75, step=0.1),
        "acid": Category(["a", "b", "c"]),
    }
)


def drawn(n: int = 400) -> np.ndarray:
    U = np.random.default_rng(0).random((n, 6))
    return np.concatenate([U, np.zeros((1, 6)), np.ones((1, 6))])


def test_settings_points_and_cube_agree() -> None:
    """Each form leads to the same setting, and snapping again changes nothing."""
    X, points = SPACE.place(drawn()), SPACE.points(drawn())
    np.testing.assert_array_equal(SPACE.coordinates(points), X)
    np.testing.assert_allclose(SPACE.read(SPACE.settings(points)), points, rtol=1e-12)
    np.testing.assert_array_equal(SPACE.read(points), points)
    U = SPACE.snap(drawn())
    np.testing.assert_allclose(SPACE.place(U), X, atol=1e-13)
    np.testing.assert_allclose(SPACE.unit(X), U, atol=1e-13)


def test_coordinates_are_in_the_stated_units() -> None:
    setting = {"heat": 50, "rate": 0.01, "parts": 2, "count": 100, "ratio": 0.3, "acid": "b"}
    (x,) = SPACE.coordinates(SPACE.read([setting]))
    np.testing.assert_allclose(x, [50, -2, 2, 2, 0.3, 0, 1, 0])
    (other,) = SPACE.coordinates(SPACE.read([{**setting, "acid": "c"}]))
    assert np.linalg.norm(x - other) == pytest.approx(np.sqrt(2))
    gp = GaussianProcess.from_data(np.array([x, other]), [0.0, 1.0], domain=SPACE.domain)
    assert gp.kernel.lengthscale == pytest.approx((20, 2, 1, 1, 0.65 / 3, 1, 1, 1))
    assert gp.kernel.evaluate(x[None], other[None])[0, 0] / gp.kernel.variance > 0.3


def test_settings_are_read_from_a_frame_or_a_list_of_any_length() -> None:
    pandas = pytest.importorskip("pandas")
    rows = SPACE.settings(SPACE.points(drawn(5)))
    frame = pandas.DataFrame(rows).assign(y=1.0)[["y", *reversed(SPACE.names)]]
    np.testing.assert_array_equal(SPACE.read(frame), SPACE.read(rows))
    np.testing.assert_array_equal(SPACE.read(rows[0]), SPACE.read(rows)[:1])
    assert SPACE.read([]).shape == (0, 8)


def test_bounds_are_pairs_those_of_scipy_or_named() -> None:
    pairs = Space.of([(0, 1), (2, 5)])
    np.testing.assert_array_equal(Space.of(scipy.optimize.Bounds([0, 2], [1, 5])).box, pairs.box)
    np.testing.assert_array_equal(Space.of({"a": (0, 1), "b": Real(2, 5)}).box, pairs.box)
    assert (pairs.names, pairs.size) == (("x0", "x1"), np.inf)


def test_categories_may_come_from_an_array() -> None:
    """As from the column of a frame: a file and a setting have Python's own numbers."""
    for values in ([1, 2], [0.5, 1.5], ["a", "b"], [True, False]):
        category = Category(tuple(np.array(values)))
        assert category == Category(tuple(values))
        assert {type(one) for one in category.values} == {type(values[0])}


def test_every_setting_of_a_finite_space() -> None:
    space = Space.of({"n": Integer(1, 3), "s": Real(1, 16, step=5), "c": Category([True, False])})
    found = [tuple(one.values()) for one in space.settings(space.points(space.every()))]
    assert found == list(product((1, 2, 3), (1.0, 6.0, 11.0, 16.0), (True, False)))
    assert space.size == len(found) == 24


@pytest.mark.parametrize("named", [True, False])
def test_what_is_not_feasible_is_left_out(named: bool) -> None:
    """`feasible` takes a dict of named inputs, else the point."""
    seen = []

    def feasible(x: object) -> bool:
        seen.append(type(x))
        a, b = x.values() if isinstance(x, dict) else x  # type: ignore[union-attr, misc]
        return a + b < 0.5

    bounds = {"a": (0, 1), "b": (0, 1)} if named else [(0, 1), (0, 1)]
    space = Space.of(bounds, feasible)
    search = Cover.of(space, np.array([[0.1, 0.1], [0.9, 0.9]]), 64, 1, (0, 0))
    assert set(seen) == {dict if named else np.ndarray}
    assert (search.U.sum(axis=1) < 0.5).all()
    assert len(search.U) > 8


NOWHERE = BoxBandit(
    {"a": (0, 1)},
    GaussianProcess(Matern(0.3)),
    GPUCBPE(2),
    feasible=lambda setting: False,
    fit="never",
)
MIXTURE = {"oil": (0.1, 0.9), "water": (0.0, 0.8), "sand": (0.0, 0.5), "heat": (20, 80)}
SHARES = SumConstraint(("oil", "water", "sand"), 1.0)


def summed(bounds: Any, *names: str, total: float = 1.0) -> Space:
    return Space.of(bounds, sums=[SumConstraint(names, total)])


BAD: dict[str, tuple[Callable[[], object], str]] = {
    "order": (lambda: Space.of({"a": (1, 0)}), "bounds of a .* low < high"),
    "no inputs": (lambda: Space((), ()), "inputs with a name each; got 0"),
    "log of 0": (lambda: Real(0, 1, log=True), "0 < low"),
    "step": (lambda: Real(0, 1, step=0), "step above 0"),
    "not whole": (lambda: Integer(0.5, 3), "low to be a whole number"),  # type: ignore[arg-type]
    "text": (lambda: Category("abc"), "at least two"),  # type: ignore[arg-type]
    "lists": (lambda: Category(([1], [2])), "text or numbers"),
    "a category of no number": (lambda: Category((float("nan"), 1.0)), "finite numbers"),
    "feasible of a space": (
        lambda: BoxBandit(SPACE, NOWHERE.gp, GPUCBPE(2), feasible=lambda _: True, fit="never"),
        "feasible and sums in the space alone",
    ),
    "sums of a space": (lambda: Space.of(SPACE, sums=[SHARES]), "feasible and sums in the space"),
    "one sum": (lambda: Space.of(MIXTURE, sums=SHARES), "a list of SumConstraint"),
    "no sum": (lambda: Space.of(MIXTURE, sums=[3]), "a SumConstraint; got int"),
    "feasible of each coordinate": (
        lambda: Space.of([(0, 1), (0, 1)], lambda x: x > 0).holds(np.full((1, 2), 0.5)),
        r"feasible to return True or False; got array\(\[ True,  True\]\)",
    ),
    "an input that is none": (lambda: summed(MIXTURE, "oil", "gas"), "sum"),
    "a sum out of reach": (lambda: summed(MIXTURE, "oil", "water", total=3.0), "sum"),
    "a sum of whole numbers": (lambda: summed({"a": Integer(0, 3), "b": (0, 1)}, "a", "b"), "sum"),
    "a sum of logarithms": (
        lambda: summed({"a": Real(0.1, 1, log=True), "b": (0, 1)}, "a", "b"),
        "sum",
    ),
    "two sums": (
        lambda: Space.of(MIXTURE, sums=[SHARES, SumConstraint(("oil", "heat"), 30.0)]),
        "in one sum only",
    ),
    "a sum of one": (lambda: SumConstraint(("a",), 1.0), "at least two inputs"),
    "no name": (lambda: Space.of({1: (0, 1)}), "names of inputs"),
    "feasible": (lambda: Space.of([(0, 1)], True), "feasible to be a function"),
    "missing": (lambda: SPACE.read([{"heat": 50}]), "none of rate, parts"),
    "unknown": (lambda: Category(("a", "b")).read("d", "acid"), "acid to be one of 'a', 'b'"),
    "not one": (lambda: SPACE.read([[50, 1, 1, 1, 0.1, 1, 1, 0]]), "one 1, and else 0"),
    "point": (lambda: SPACE.read([[50, -1, 1, 1, 0.1, 1, 0, 0]]), "rate of points above 0"),
    "infeasible": (NOWHERE.ask, "a feasible setting; got none of 2048 settings"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    action, message = BAD[name]
    with pytest.raises(InputError, match=message):
        action()


def feasible(setting: dict[str, float]) -> bool:
    return setting["heat"] * setting["parts"] < 150


def asked() -> BoxBandit:
    """Three settings measured, and a batch of two open."""
    known = SPACE.settings(SPACE.points(np.random.default_rng(1).random((3, 6))))
    box = BoxBandit(
        dict(zip(SPACE.names, SPACE.inputs, strict=True)),
        SPACE.prior(known, [0.3, 1.0, -0.5]),
        GPUCBPE(2),
        feasible=feasible,
        samples=64,
        starts=1,
        fit="never",
    )
    box.tell(None, [0.3, 1.0, -0.5], points=known)
    box.ask()
    return box


def test_settings_answer_the_picks() -> None:
    """In any order; what the process sees of them are their coordinates."""
    box = asked()
    decision = box.ask()
    settings = box.space.settings(decision.points)
    assert all(map(feasible, settings))
    box.tell(None, [0.1, 0.2], points=settings[::-1])
    assert (box.t, box.pending) == (2, ())
    np.testing.assert_allclose(
        box.process.X[3:], box.space.coordinates(decision.points[::-1]), rtol=1e-12
    )
    moved = {**settings[0], "parts": settings[0]["parts"] % 4 + 1}
    box.tell(None, [0.0], points=[moved])  # another setting: nobody asked for it
    assert (box.t, len(box.process.X)) == (2, 6)
    assert feasible(box.space.settings(box.best().point[None])[0])


def test_a_file_has_the_inputs_but_no_function() -> None:
    box = asked()
    box.tell(box.ask().indices[:1], [0.4])
    file = io.StringIO()
    box.save(file)
    with pytest.raises(InputError, match="the function feasible"):
        BoxBandit.load(io.StringIO(file.getvalue()))
    again = BoxBandit.load(io.StringIO(file.getvalue()), feasible=feasible)
    assert (again.space.inputs, again.space.names) == (SPACE.inputs, SPACE.names)
    assert again.process.X.tobytes() == box.process.X.tobytes()
    np.testing.assert_array_equal(again.ask().points, box.ask().points)


# SciPy 1.15's own solver, which is only asked for comparison, clips a step to the bounds.
@pytest.mark.filterwarnings("ignore:Values in x were outside bounds:RuntimeWarning")
def test_the_nearest_setting_of_a_sum_by_quadratic_programming() -> None:
    """The projection, beside SciPy's solver, with bounds that bind and without."""
    rng = np.random.default_rng(3)
    for k in (2, 3, 5):
        low = rng.uniform(-1, 0, k)
        box = np.column_stack([low, low + rng.uniform(0.2, 2, k)])
        Z = rng.uniform(*box.T, size=(4, k))
        total = float(rng.uniform(*box.sum(axis=0)))
        for at_most in (False, True):
            names = tuple(f"x{i}" for i in range(k))
            found = SumConstraint(names, total, at_most).nearest(Z, box)
            for z, near in zip(Z, found, strict=True):
                kind = "ineq" if at_most else "eq"
                exact = scipy.optimize.minimize(
                    lambda x, z=z: ((x - z) ** 2).sum(), box.mean(axis=1), bounds=box,
                    constraints={"type": kind, "fun": lambda x, c=total: c - x.sum()}, tol=1e-14,
                )  # fmt: skip
                np.testing.assert_allclose(near, exact.x, atol=1e-5)
                assert near.sum() <= total + 1e-12
                assert at_most or near.sum() == pytest.approx(total, abs=1e-12)


def test_the_gradient_moves_what_is_added_together() -> None:
    """Beside differences of the score itself, where bounds bind and where not."""
    space, gp = Space.of(MIXTURE, sums=[SHARES]), GaussianProcess(Matern(0.7), 1e-3)
    rng = np.random.default_rng(1)
    X = space.points(rng.random((12, 4)))
    assert X[:, :3].sum(axis=1) == pytest.approx(np.ones(12), abs=1e-12)
    process = gp.condition(X, np.sin(5 * X[:, 0]) + X[:, 1] + X[:, 3] / 80)
    score = Acquisition(process, space, Bound(1.0, 2.0))
    steps = 1e-6 * np.eye(4)
    for u in rng.uniform(0.05, 0.95, (20, 4)):
        by_differences = (score.values(u + steps) - score.values(u - steps)) / 2e-6
        np.testing.assert_allclose(score.value_and_gradient(u)[1], by_differences, atol=1e-5)


@pytest.mark.parametrize("at_most", [False, True])
def test_every_pick_of_a_box_meets_its_sum(at_most: bool, tmp_path: Path) -> None:
    """Also after it was saved; the best is found where the sum stands in the way of a better."""
    sums = [replace(SHARES, at_most=at_most)]
    gp = GaussianProcess(Matern((1, 1, 1, 60)))
    box = BoxBandit(MIXTURE, gp, GPUCBPE(3), sums=sums, samples=64, starts=3, fit="never")
    for _ in range(4):
        made = box.ask()
        added = made.points[:, :3].sum(axis=1)
        assert (added <= 1 + 1e-12).all()
        assert at_most or added == pytest.approx(np.ones(3), abs=1e-12)
        x = made.points
        box.tell(made.indices, x[:, 0] + x[:, 1] - 0.2 * x[:, 2] - (x[:, 3] / 60 - 1) ** 2)
    box.save(tmp_path / "box.json")
    again = BoxBandit.load(tmp_path / "box.json")
    assert again.space.sums == tuple(sums)
    np.testing.assert_array_equal(again.ask().points, box.ask().points)
    assert box.best().point[2] == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize(
    "given", [Real(0, 1, step=0.3), Real(0.1, 0.75, step=0.05), Real(-7, 9e6, step=0.1)]
)
def test_a_value_on_a_step_is_the_number_that_a_person_writes(given: Real) -> None:
    """The point that is proposed, the setting and the choices are one number: 0.9, not 0.8999.."""
    space = Space.of({"x": given})
    points = space.points(np.random.default_rng(0).random((200, 1)))
    settings = [setting["x"] for setting in space.settings(points)]
    assert settings == points[:, 0].tolist()
    assert all(len(repr(x).lstrip("-")) <= 10 for x in settings)
    if given.size < 100:
        assert set(settings) <= set(given.choices)
    assert given.low <= min(settings) <= max(settings) <= given.high


@pytest.mark.parametrize(
    "bounds", [(0, 1e-200), (1, 1 + 1e-15), (1e9, 1e9 + 1e-6), (1e300, 1.1e300), (-1e308, 1e308)]
)
def test_a_range_that_cannot_be_divided_is_refused_as_such(bounds: tuple[float, float]) -> None:
    with pytest.raises(InputError, match=r"low and high within 1e\+100, .*; use another unit"):
        Real(*bounds)
