import numpy as np
import pytest

from ucbpe_core import RBF, GaussianProcess, fit_hyperparameters
from ucbpe_core.problems import tsunami
from ucbpe_core.problems.simulated import read_table


def test_values_are_run_up_behind_the_island_over_run_up_far_from_it():
    rows, problem = read_table(), tsunami()
    assert problem.candidates.shape == (512, 5)
    np.testing.assert_array_equal(problem.values, rows[:, 5] / rows[:, 6])
    assert (rows[:, 5:] > 0).all()


def test_candidates_are_the_parameters_in_the_units_of_the_axes():
    rows, problem = read_table(), tsunami()
    slopes, far, deep, omega = problem.candidates[:, :2], *problem.candidates[:, 2:].T
    np.testing.assert_allclose(slopes * [0.1, 0.4], rows[:, :2])
    np.testing.assert_allclose(far * 5000, rows[:, 2], atol=1e-9)
    np.testing.assert_allclose(deep * 1000, rows[:, 3])
    np.testing.assert_allclose(np.exp(omega), rows[:, 4])
    low, high = rows[:, :5].min(axis=0), rows[:, :5].max(axis=0)
    np.testing.assert_allclose(low, [0.05, 0.05, 0, 100, 0.002], rtol=0.01, atol=20)
    np.testing.assert_allclose(high, [0.2, 0.2, 5000, 1000, 0.1], rtol=0.01)


def test_long_waves_are_amplified_and_short_ones_are_not():
    """What linear theory says of a shadow, and of waves much longer than the island."""
    rows, values = read_table(), tsunami().values
    omega = rows[:, 4]
    assert np.median(values[omega < 0.01]) > 1.03
    assert np.median(values[omega > 0.04]) < 0.9
    assert values[omega < 0.0025].max() < values[omega < 0.008].max()


@pytest.mark.slow
def test_suggested_prior_has_maximum_marginal_likelihood():
    problem = tsunami()
    data = problem.candidates, problem.values
    fit = fit_hyperparameters(GaussianProcess(RBF()), *data, priors=None)
    kernel, suggested = fit.gp.kernel, problem.gp
    assert suggested.kernel.lengthscale == pytest.approx(kernel.lengthscale, rel=0.1)
    assert suggested.kernel.variance == pytest.approx(kernel.variance, rel=0.2)
    assert suggested.mean == pytest.approx(fit.gp.mean, abs=0.03)
    # What one lengthscale cannot follow, and the noise of a measurement.
    unexplained = fit.gp.noise_variance + problem.noise_variance
    assert suggested.noise_variance == pytest.approx(unexplained, rel=0.1)
