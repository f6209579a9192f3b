"""The belief as rows: a dense solve, Figure 1 and its own past agree with it; memory and time."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import dense_std, examples
from tests.core.strategies import Instance, instances
from ucbpe_core import GPUCBPE, RBF, Bandit, GaussianProcess, Kernel, Matern, Posterior
from ucbpe_core.errors import TooLargeError
from ucbpe_core.gp.kernels import Polynomial
from ucbpe_core.problems import figure1, printed_figure1
from ucbpe_core.support import limits


def assert_identical(one: Posterior, other: Posterior) -> None:
    """Equal bit for bit."""
    assert one.n == other.n
    assert one.conditioned_indices == other.conditioned_indices
    for name in ("mean", "std"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    np.testing.assert_array_equal(one.state.data, other.state.data)
    assert all(np.array_equal(one.state.rows[i], other.state.rows[i]) for i in range(one.n))


def long_case(n: int) -> Instance:
    """n observations of 40 candidates in the plane, repeats included."""
    rng = np.random.default_rng(0)
    X, members, y = rng.uniform(size=(40, 2)), rng.integers(0, 40, 130), rng.normal(size=130)
    gp = GaussianProcess(Matern(0.3, nu=2.5), noise_variance=0.1, mean=0.5)
    return Instance(gp, X, members[:n].tolist(), y[:n], rng)


@examples(30)
@given(instances(), st.data())
def test_a_hallucination_is_the_row_of_its_observation(case: Instance, data: st.DataObject) -> None:
    """It keeps the mean, and the observation reuses its row: the same std, bit for bit."""
    before, M = case.posterior, len(case.candidates)
    picks = data.draw(st.lists(st.integers(0, M - 1), min_size=1, max_size=5))
    imagined = before.hallucinate(picks)
    assert np.array_equal(imagined.mean, before.mean)
    np.testing.assert_array_equal(imagined.state.data.residuals[before.n :], 0)
    measured = before.observe(picks, case.rng.normal(size=len(picks)))
    assert np.array_equal(measured.std, imagined.std)
    for i in range(measured.n):
        assert np.shares_memory(measured.state.rows[i], imagined.state.rows[i])
    expected = dense_std(case.gp, case.candidates[[*case.members, *picks]], case.candidates)
    np.testing.assert_allclose(imagined.std, expected, rtol=1e-8, atol=1e-8)


KERNELS = [
    Matern((0.2, 0.5, 0.3), nu=2.5),
    RBF(0.3),
    Polynomial(3) + Matern(0.4, nu=0.7) * RBF(0.5),
]


def wide_case(kernel: Kernel, size: int) -> Instance:
    """140 observations of so many candidates in space."""
    rng = np.random.default_rng(size)
    gp = GaussianProcess(kernel, noise_variance=0.01)
    members = rng.integers(size, size=140)
    return Instance(gp, rng.random((size, 3)), members.tolist(), rng.standard_normal(140), rng)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
@pytest.mark.parametrize("size", [1, 15, 17, 2047, 2049, 5003])
def test_rows_at_once_or_one_by_one(kernel: Kernel, size: int) -> None:
    """Across strips of columns and blocks of rows, from the prior and from the middle."""
    case = wide_case(kernel, size)
    slow = prior = Posterior.prior(case.gp, case.candidates)
    for j, value in zip(case.members, case.y, strict=True):
        slow = slow.observe(j, value)
    assert_identical(prior.observe(case.members, case.y), slow)
    middle = Posterior.prior(case.gp, case.candidates).observe(case.members[:50], case.y[:50])
    assert_identical(middle.observe(case.members[50:], case.y[50:]), slow)
    middle.observe(0, 1.0)
    assert_identical(middle.observe(case.members[50:], case.y[50:]), slow)


def test_branches_at_points() -> None:
    """Two different points after the same candidates are two different rows."""
    belief = long_case(3).posterior
    one, other = (belief.observe_points([point], [1.0]) for point in ([0.1, 0.2], [0.9, 0.8]))
    again = belief.observe_points([[0.1, 0.2]], [1.0])
    assert_identical(one, again)
    X = np.concatenate([belief.candidates[list(belief.conditioned_indices)], [[0.9, 0.8]]])
    expected = dense_std(belief.gp, X, belief.candidates)
    np.testing.assert_allclose(other.std, expected, rtol=1e-8, atol=1e-8)


def test_figure1() -> None:
    """The printed curves, on the observations as candidates of the problem."""
    x, mean, edge = printed_figure1().T
    problem = figure1()
    prior = Posterior.prior(problem.gp, problem.candidates)
    belief = prior.observe(problem.observed, problem.observed_y)
    distance = np.abs(problem.candidates - x)
    shown = distance.argmin(axis=0)
    np.testing.assert_allclose(distance.min(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(belief.mean[shown], mean, rtol=0, atol=1e-10)
    upper = belief.mean + 2 * np.sqrt(belief.std**2 + 0.01)
    np.testing.assert_allclose(upper[shown], edge, rtol=0, atol=1e-10)
    prediction = belief.conditioned().predict(x, noisy=True)
    np.testing.assert_allclose(prediction.mean + 2 * prediction.std, edge, rtol=0, atol=1e-10)


def test_threads_that_share_rows_get_right_beliefs() -> None:
    """Each thread goes its own way from one belief; none may see another's row as its own."""
    rng = np.random.default_rng(0)
    # Enough candidates that a row takes longer than a thread's turn.
    gp, candidates = GaussianProcess(RBF(lengthscale=0.3), 0.01), rng.random((3000, 2))
    ways = rng.integers(3000, size=4).tolist()

    def shared() -> Posterior:
        return Posterior.prior(gp, candidates).observe([0, 1], [0.0, 1.0])

    alone = [shared().hallucinate([way]).std for way in ways]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(20):
            start = shared()
            with ThreadPoolExecutor(4) as pool:
                beliefs = list(pool.map(lambda way, start=start: start.hallucinate([way]), ways))
            for belief, std in zip(beliefs, alone, strict=True):
                np.testing.assert_array_equal(belief.std, std)
    finally:
        sys.setswitchinterval(interval)


def test_the_tolerances_of_mean_and_std() -> None:
    """prior std (1e-11 + 2 n u sqrt(conditioning)), and that of the mean, from their formulas."""
    gp = GaussianProcess(Polynomial(1, variance=2.0), 0.0, mean=-7.0)
    posterior = Posterior.prior(gp, [0.0, 1.0, -1.0, 0.5]).observe([0, 1], [-6.0, -9.0])
    last, u, n = posterior.state.last, 2.0**-52, 2 + gp.kernel.rounding_units
    assert posterior.state.rows.prior_variance == 4.0
    assert last.noise_ratio == pytest.approx(1e10)
    for std, conditioning in (
        (None, 1e10), (1e-3, (2 / 1e-3) ** 2), (2.0, max(last.conditioning, 1.0)),
    ):  # fmt: skip
        expected = 2 * (1e-11 + 2 * n * u * np.sqrt(conditioning))
        assert posterior.std_tolerance(std) == pytest.approx(expected, rel=1e-9)
    w = np.linalg.norm(posterior.state.data.residuals)
    expected = 2e-11 + n * u * (7 + 4 * np.sqrt(last.conditioning) * w)
    assert posterior.tolerance == pytest.approx(expected, rel=1e-9)


def test_the_posterior_of_the_negative() -> None:
    """That of -f given -y: the same rows, the negated mean."""
    case = long_case(20)
    posterior, other = case.posterior, case.posterior.signed(-1)
    assert posterior.signed(1) is posterior
    assert (other.gp.mean, other.gp.kernel) == (-posterior.gp.mean, posterior.gp.kernel)
    np.testing.assert_array_equal(other.y, -posterior.y)
    negated = Posterior.prior(other.gp, case.candidates).observe(case.members, -case.y)
    assert_identical(other.observe([1], [0.3]), negated.observe([1], [0.3]))


GP = GaussianProcess(RBF(0.2), 0.01)


def test_what_is_free_is_what_linux_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert limits.free() > 1e6
    monkeypatch.setattr(limits, "_SYSTEM", tmp_path / "meminfo")
    assert limits.free() == np.inf
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:      4000 kB\n")
    assert limits.free() == 4000 * 1024


def test_rows_that_do_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The belief before stays, and goes on once there is room."""
    X = np.random.default_rng(0).random((200_000, 2))
    bandit = Bandit(X, GP, GPUCBPE(3))
    monkeypatch.setattr(limits, "free", lambda: 100e6)
    with pytest.raises(TooLargeError, match=r"0\.11 GB .* for 2 rows over 200 000 candidates"):
        bandit.tell([1, 2], [0.5, 1.0])
    assert bandit.posterior.n == 0
    monkeypatch.setattr(limits, "free", lambda: 1e9)
    bandit.tell([1, 2], [0.5, 1.0])
    np.testing.assert_array_equal(
        bandit.posterior.std, Posterior.prior(GP, X).observe([1, 2], [0.5, 1.0]).std
    )


def test_small_beliefs_do_not_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "free", lambda: 0.0)
    assert Posterior.prior(GP, np.arange(100.0)).observe([1, 2], [0.5, 1.0]).n == 2


def test_long_work_tells_how_far_it_is_and_can_be_ended() -> None:
    X = np.random.default_rng(0).random((5000, 2))
    members, y = np.arange(100), np.zeros(100)
    seen: list[tuple[int, int]] = []
    belief = Posterior.prior(GP, X).observe(
        members, y, progress=lambda done, total: seen.append((done, total))
    )
    done, total = np.array(seen).T
    assert (np.diff(done) > 0).all()
    assert done[-1] == total[0] == 100 * 5000

    def end(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    bandit = Bandit(X, GP, GPUCBPE(3))
    with pytest.raises(KeyboardInterrupt):
        bandit.tell(members, y, progress=end)
    assert bandit.posterior.n == 0
    bandit.tell(members[:70], y[:70])
    bandit.tell(members[70:], y[70:])
    np.testing.assert_array_equal(bandit.posterior.std, belief.std)
