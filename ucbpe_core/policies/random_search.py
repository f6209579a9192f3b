"""Random search: the baseline that learns nothing."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ucbpe_core.policies.base import Pick, Policy, Situation
from ucbpe_core.validation import count

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class RandomSearch(Policy):
    """K candidates drawn uniformly with replacement (Bergstra and Bengio, JMLR 2012).

    Parameters
    ----------
    batch_size : int, K >= 1
    seed : int
        Batch t draws from the stream (seed, t), so that asking again gives the same batch.
    """

    name: ClassVar[str] = "Random search"
    rules: ClassVar[Mapping[str, str]] = MappingProxyType({"random": "uniform on X"})
    batch_size: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        self._check_batch_size()
        count(self.seed, "seed", minimum=0)

    def picks(self, situation: Situation) -> tuple[Pick, ...]:
        posterior, chosen = situation.posterior, list[Pick]()
        rng = np.random.default_rng([self.seed, situation.t])
        for j in rng.integers(len(posterior.candidates), size=self.batch_size).tolist():
            chosen.append(Pick(j, "random", float(posterior.std[j]), float("nan")))
            posterior = posterior.hallucinate([j])
        return tuple(chosen)
