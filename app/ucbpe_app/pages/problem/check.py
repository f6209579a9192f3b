"""Whether the model fits: what it predicted before each batch, against what was measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binomtest

from ucbpe_core.validation import frozen_copy

if TYPE_CHECKING:
    from ucbpe_core.experiment import Experiment
    from ucbpe_core.validation import Floats

STDS = 2.0  # to either side; 95.4 % of normal results are inside
_INSIDE = 0.954
_LEVEL = 0.05  # below this probability of what was seen something is said
_MOST_BATCHES = 30  # the latest
_MANY = 5  # picks of a role, to say something of their signs


@dataclass(frozen=True, eq=False)
class Check:
    """Predictions of measured picks, shape (n,) each.

    Attributes
    ----------
    roles : of the picks
    mean, std : of a noisy value, by the prior in force, given what was known before the batch
    y : what was measured
    """

    roles: tuple[str, ...]
    mean: Floats = field(repr=False)
    std: Floats = field(repr=False)
    y: Floats = field(repr=False)

    @property
    def inside(self) -> int:
        """How many results are within `STDS` std of their prediction."""
        return int((np.abs(self.y - self.mean) <= STDS * self.std).sum())

    @property
    def words(self) -> str:
        """What the numbers say; of signs only where chance alone would rarely do it."""
        n = len(self.y)
        if not n:
            return "No proposed row is measured yet."
        said = f"results inside ± {STDS:g} std."
        if binomtest(self.inside, n, _INSIDE, alternative="less").pvalue < _LEVEL:
            return f"{said} A prior that fits has 95 %: fit the prior again?"
        exploring = np.array([role == "pe" for role in self.roles])
        above = int((self.y > self.mean)[exploring].sum())
        count = int(exploring.sum())
        if count < _MANY or binomtest(above, count, 0.5).pvalue >= _LEVEL:
            return said
        many, where = (above, "higher") if 2 * above > count else (count - above, "lower")
        return f"{said} But {many} of {count} ◆ are {where} than expected: fit the prior again?"


def check_of(experiment: Experiment) -> Check:
    """The check of an experiment, over its latest batches."""
    data, posterior = experiment.history.data, experiment.posterior
    begins: dict[int, int] = {}  # of each batch, how many measurements came before its first
    for place, trial in enumerate(data):
        if trial.t:
            begins.setdefault(trial.t, place)
    latest = set(sorted(begins)[-_MOST_BATCHES:])
    noise = experiment.plan.gp.noise_variance
    before = {t: posterior.at(n) for t, n in begins.items() if t in latest}
    made = [trial for trial in data if trial.t in latest]
    mean = [float(before[trial.t].mean[trial.index]) for trial in made]
    std = [float(np.sqrt(before[trial.t].std[trial.index] ** 2 + noise)) for trial in made]
    y = [float(trial.y or 0.0) for trial in made]
    return Check(
        tuple(trial.role for trial in made), frozen_copy(mean), frozen_copy(std), frozen_copy(y)
    )
