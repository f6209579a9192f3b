"""Vizier's UCB-PE: scores against Vizier's own code, on the same posterior, and files."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.core.reference import Floats
from ucbpe_core import Bandit, GaussianProcess, Matern, Posterior
from ucbpe_core.gp import region
from ucbpe_core.policies import VizierUCBPE
from ucbpe_core.policies.vizier_ucb_pe import Scores

LENGTHS, VARIANCE = (0.3, 0.5), 1.7


@pytest.fixture(scope="module")
def own() -> Any:
    """Modules of Vizier, in double precision."""
    jax = pytest.importorskip("jax")
    pytest.importorskip("vizier")
    jax.config.update("jax_enable_x64", True)
    base = "vizier._src."
    return SimpleNamespace(
        jnp=pytest.importorskip("jax.numpy"),
        rule=pytest.importorskip(base + "algorithms.designers.gp_ucb_pe", exc_type=Exception),
        models=pytest.importorskip(base + "jax.models.tuned_gp_models"),
        sp=pytest.importorskip(base + "jax.stochastic_process_model"),
        types=pytest.importorskip(base + "jax.types"),
    )


def features(own: Any, X: Floats) -> Any:
    array = own.types.PaddedArray.as_padded
    empty = array(np.zeros((len(X), 0), dtype=own.types.INT_DTYPE))
    return own.types.ModelInput(array(own.jnp.asarray(X)), empty)


def predictive(own: Any, X: Floats, y: Floats, noise: float) -> Any:
    """Vizier's posterior of a Matern 5/2 process with given hyperparameters."""
    inputs = features(own, X)
    labels = own.types.PaddedArray.as_padded(own.jnp.asarray(y)[:, None])
    data = own.types.ModelData(features=inputs, labels=labels)
    coroutine = own.models.VizierGaussianProcess.build_model(data).coroutine
    params = {
        "signal_variance": own.jnp.array(VARIANCE),
        "observation_noise_variance": own.jnp.array(noise),
        "continuous_length_scale_squared": own.jnp.array(LENGTHS) ** 2,
        "categorical_length_scale_squared": own.jnp.zeros(0),
    }
    model = own.sp.StochasticProcessWithCoroutine(coroutine, params)
    return own.sp.UniformEnsemblePredictive(predictives=model.precompute_predictive(data))


class OfF:
    """A predictive of f: theirs is of a measurement, so that its variance includes the noise."""

    def __init__(self, measured: Any, noise: float) -> None:
        self.measured, self.noise = measured, noise
        self.predictives = measured.predictives

    def predict(self, xs: Any) -> Any:
        found = self.measured.predict(xs)
        return SimpleNamespace(
            mean=found.mean, stddev=lambda: (found.variance() - self.noise) ** 0.5
        )


@pytest.mark.parametrize("noise", [1e-3, 0.3])
def test_both_scores_at_500_points(own: Any, noise: float) -> None:
    """Without a trust region, and with the std of f; two points are pending."""
    rng = np.random.default_rng(5)
    Z = rng.random((500, 2))
    seen, pending = [7, 30, 99, 250], [11, 402]
    y = np.cos(5 * Z[seen]).sum(axis=1)
    gp = GaussianProcess(Matern(LENGTHS, VARIANCE, nu=2.5), noise)
    start = Posterior.prior(gp, Z).observe(seen, y).hallucinate(pending)
    mine = Scores(VizierUCBPE(), start)

    every = [*seen, *pending]
    shown = OfF(predictive(own, Z[seen], y, noise), noise)
    counted = OfF(predictive(own, Z[every], np.zeros(len(every)), noise), noise)
    config = own.rule.UCBPEConfig()
    labels = own.types.PaddedArray.as_padded(own.jnp.asarray(y)[:, None])
    jax = pytest.importorskip("jax")
    upper = own.rule.UCBScoreFunction(
        shown, counted, config.ucb_coefficient, None, jax.random.PRNGKey(0), labels
    )
    penalised = own.rule.PEScoreFunction(
        shown, counted, config.ucb_coefficient, config.explore_region_ucb_coefficient,
        config.cb_violation_penalty_coefficient, None,
        config.multimetric_promising_region_penalty_type,
    )  # fmt: skip
    pairs = (
        (region.upper(start, 1.8**2), upper.score(features(own, Z))),
        (mine.penalised(start, mine.threshold([])), penalised.score(features(own, Z))),
    )
    for score, theirs in pairs:
        np.testing.assert_allclose(score, np.asarray(theirs), rtol=0, atol=1e-6)


def test_a_decision_opened_again_has_its_region(tmp_path: Any) -> None:
    """Also where a pick of the batch before is pending."""
    bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), VizierUCBPE(3, seed=0))
    bandit.tell([5, 10], [0.2, 0.7])
    first = bandit.ask()
    bandit.tell(first.indices[:2], [0.5, -0.3])
    made = bandit.ask()
    bandit.save(tmp_path / "bandit.json")
    opened = Bandit.load(tmp_path / "bandit.json").ask()
    for one, other in zip(made.explored, opened.explored, strict=True):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            assert one.level == pytest.approx(other.level, rel=1e-12)
            np.testing.assert_array_equal(one.mask, other.mask)
