"""Random search: the baseline that learns nothing."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from ucbpe_core import streams
from ucbpe_core.policies.base import BatchContext, Policy
from ucbpe_core.policies.decision import Pick

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class RandomSearch(Policy):
    """K candidates drawn uniformly with replacement (Bergstra and Bengio, JMLR 2012).

    ::

        Bandit(candidates, gp, RandomSearch(batch_size=10, seed=0)).ask()

    Parameters
    ----------
    batch_size : int, K >= 1
    seed : int, or None
        Batch t draws from the stream (seed, t), so that asking again gives the same batch.
        None: `simulate` derives one from the seed of the run; elsewhere it is 0.
    """

    name: ClassVar[str] = "Random search"
    rules: ClassVar[Mapping[str, str]] = MappingProxyType({"random": "uniform on X"})
    batch_size: int = 10
    seed: int | None = None

    def __post_init__(self) -> None:
        self._check_batch_size()
        self._check_seed()

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        posterior, chosen = context.posterior, list[Pick]()
        rng = streams.policy(self.seed, context.t)
        for j in rng.integers(len(posterior.candidates), size=self.batch_size).tolist():
            chosen.append(Pick(j, "random", float(posterior.std[j]), float("nan")))
            posterior = posterior.hallucinate([j])
        return tuple(chosen)
