"""Whether a batch brings what `Search.worth` says, and pays where it says so.

    python benchmarks/worth.py [--draws 120]

f is a draw of the prior at 200 points of the unit square, of variance 1; where the prior is fitted
before each batch, a third of the draws are run. The table is kept in `results/worth.md`. Gained by
a batch is f where the mean is best after it, less f where it was best before. Each row is over the
batches of all draws; an interval is that of 95 %, by bootstrap over draws. Net is what a
measurement gained less its price, over the batches that are worth measuring at that price, and over
the others.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from ucbpe_core import GPUCBPE, Bandit, FiniteBeta, GaussianProcess, Matern
from ucbpe_core.policies import Policy, Recommended

BATCHES, K, INITIAL = 8, 4, 5
PRICES = (0.01, 0.05)
BOOTSTRAPS = 4000
KERNEL = Matern(nu=2.5, lengthscale=0.3)


def run(policy: Policy, noise: float, fit: str, seed: int) -> np.ndarray:
    """What each batch was said to bring, and what it gained, (T, 2)."""
    rng = np.random.default_rng(seed)
    X = rng.random((200, 2))
    gp = GaussianProcess(KERNEL, noise_variance=noise)
    f = gp.sample(X, rng)

    def measured(chosen: np.ndarray) -> np.ndarray:
        return f[chosen] + noise**0.5 * rng.standard_normal(len(chosen))

    bandit = Bandit(X, gp, policy, FiniteBeta(0.1, scale=0.2), repeats="allow", fit=fit)
    bandit.silence()
    first = rng.choice(len(X), INITIAL, replace=False)
    bandit.tell(first, measured(first))
    found = list[tuple[float, float]]()
    for _ in range(BATCHES):
        said = bandit.worth().improvement
        chosen, before = bandit.ask().indices, bandit.best().index
        bandit.tell(chosen, measured(chosen))
        bandit.fit_if_due()
        found.append((said, f[bandit.best().index] - f[before]))
    return np.array(found)


def interval(draws: list[np.ndarray]) -> str:
    """The mean of all values of these draws, with its interval."""
    sums, sizes = (np.array([how(one) for one in draws]) for how in (np.sum, len))
    if not sizes.sum():
        return "–"
    chosen = np.random.default_rng(0).integers(len(draws), size=(BOOTSTRAPS, len(draws)))
    means = sums[chosen].sum(axis=1) / np.maximum(sizes[chosen].sum(axis=1), 1)
    low, high = np.quantile(means, (0.025, 0.975))
    return f"{sums.sum() / sizes.sum():.4f} ({low:.4f} to {high:.4f})"


def main(draws: int) -> None:
    warnings.simplefilter("ignore")
    net = [f"{words} at {c}" for c in PRICES for words in ("net, worth it", "net, not worth it")]
    head = ["rule, noise variance, prior", "said", "gained", "gained - said", *net]
    print("|", " | ".join(head), "|\n|" + "---|" * len(head))
    for rule in (Recommended(K), GPUCBPE(K)):
        for noise in (1e-4, 0.1):
            for fit, prior, share in (("never", "known", 1), ("each batch", "fitted", 3)):
                runs = [run(rule, noise, fit, seed) for seed in range(draws // share)]
                cells = [f"{rule.name}, {noise:g}, {prior}, {len(runs)} draws"]
                cells += [interval([one[:, i] for one in runs]) for i in (0, 1)]
                cells.append(interval([one[:, 1] - one[:, 0] for one in runs]))
                for c in PRICES:
                    for worth in (True, False):
                        kept = [one[(one[:, 0] / K > c) == worth, 1] / K - c for one in runs]
                        cells.append(f"{interval(kept)}, {sum(map(len, kept))} batches")
                print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=120)
    main(parser.parse_args().draws)
