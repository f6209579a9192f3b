"""The counts of certificates, by another way, and what the table says of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta as beta_distribution

from tools.reproduction import certificates
from tools.reproduction.summary import RESULTS
from tools.reproduction.write import CERTIFICATES
from ucbpe_core import GPUCBPE, FiniteBeta, problems, simulate


def test_counts_are_those_of_each_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the peak by dense bounds, from the posterior that each batch began with."""
    monkeypatch.setattr(certificates, "_BATCHES", 4)
    monkeypatch.setattr(certificates, "_SCALES", (0.05,))
    file = tmp_path / CERTIFICATES
    certificates.write(file, 3)
    drawn, peak = pd.read_csv(file).to_dict("records")
    assert drawn["replicates"] == peak["replicates"] == 3
    problem, failed, broken = problems.thin_peak(), 0, 0
    for seed in range(3):
        schedule = FiniteBeta(scale=0.05)
        trace = simulate(problem, GPUCBPE(5), beta=schedule, batches=4, initial=3, seed=seed)
        counts = 0
        for decision in trace.decisions:
            start = trace.posterior.at(decision.n)
            low, high = (start.mean + sign * decision.sqrt_beta * start.std for sign in (-1, 1))
            regret = problem.values.max() - problem.values[np.argmax(low)]
            counts += bool(regret > high.max() - low.max())
        failed, broken = failed + counts, broken + (counts > 0)
    assert (peak["failed_batches"], peak["failed"], peak["left"]) == (failed, broken, 3)
    assert failed
    certificates.write(file, 5)
    assert pd.read_csv(file)["replicates"].eq(3).all(), "what is there is not counted again"


def test_the_table_has_clopper_pearson_limits() -> None:
    kept = pd.read_csv(RESULTS / CERTIFICATES)
    assert (kept["replicates"] == certificates.REPLICATES).all()
    _, _, *rows = certificates.table(RESULTS / CERTIFICATES).splitlines()
    for row, one in zip(rows, kept.itertuples(), strict=True):
        n, k = one.replicates, one.left
        low = beta_distribution.ppf(0.025, k, n - k + 1) if k else 0.0
        high = beta_distribution.ppf(0.975, k + 1, n - k) if k < n else 1.0
        wanted = f"{100 * k / n:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
        assert row.split(" | ")[2] == wanted
    right = kept[(kept["f"] == "draws of the prior") & (kept["scale"] == 1)].iloc[0]
    assert right["failed"] <= right["left"] <= 0.1 * right["replicates"]
