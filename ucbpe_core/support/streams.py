"""Every random stream of this package: one purpose, one key.

A stream is a NumPy `SeedSequence` of a seed and a key. No two purposes share a key, so that one
seed can serve all of them in one run and what they draw is independent::

    purpose                                     entropy             spawn_key
    function                                    seed
    policy, in batch t                          [seed, t]
    initial points                              seed                (0,)
    noise, in batch t                           [e, t], e a word of seed and (1,)
    seed of a run's policy                      seed                (2,)
    coverage: f                                 seed                (3,)
    coverage: a problem's own observations      seed                (4,)
    starts of a fit                             seed                (5,)
    search over a box, in batch t: samples      seed                (6, t)
    the same: clouds, climbs, walks             seed                (6, t, 1..3)
    draws in a picture                          seed                (7,)
    a random beta_t                             seed                (8, t)
    how long evaluations take                   seed                (9,)
    first batch of a fitted search              0                   (10,)
    what the next batch is worth                0                   (11,)
    study: function, run, policy, prior         seed                (crc32(label), replicate, 0..3)

A new purpose takes a new spawn_key: NumPy appends it after entropy padded to 128 bits, so
it is apart from every seed below 2^128. Entropy that is a list is not: [s, t] is the number
s + t 2^32. The two purposes that have it keep it, because all runs made so far do; they are apart
from `function` for seeds below 2^32, and for the 64-bit seeds that a study derives.
"""

from __future__ import annotations

import zlib

import numpy as np

from ucbpe_core.support.validation import count

_INITIAL, _NOISE, _POLICY_SEED, _COVERAGE, _OBSERVED, _FIT, _BOX, _PICTURED = range(8)
_BETA, _DURATIONS, _FIRST, _WORTH = 8, 9, 10, 11
MOST = 2**128 - 1  # a seed: NumPy tells larger ones from spawn keys no longer
BOX_PARTS = ("samples", "clouds", "climbs", "walks")
STUDY = ("function", "run", "policy", "hyperparameters")


def function(seed: int | np.random.Generator) -> np.random.Generator:
    """What a problem or a prior draws itself: values of f, or candidates where f is given."""
    return _plain(seed)


def initial_points(seed: int) -> np.random.Generator:
    """The random candidates observed before batch 1."""
    return np.random.default_rng(_keyed(seed, _INITIAL))


def noise(seed: int, t: int) -> np.random.Generator:
    """The noise of the measurements of batch t; t = 0 for those before batch 1."""
    return np.random.default_rng([_word(_keyed(seed, _NOISE)), t])


def policy_seed(seed: int) -> int:
    """The seed that `simulate` gives a policy without one: 32 bits, exact in any file."""
    return int(_keyed(seed, _POLICY_SEED).generate_state(1, np.uint32)[0])


def policy(seed: int | None, t: int) -> np.random.Generator:
    """What a policy of this seed (0 for None) draws in batch t."""
    return np.random.default_rng([0 if seed is None else seed, t])


def coverage_functions(seed: int) -> np.random.Generator:
    """The replicates of f that coverage is counted over."""
    return np.random.default_rng(_keyed(seed, _COVERAGE))


def coverage_observations(seed: int) -> np.random.Generator:
    """The noise of a problem's own observations, made again of another f."""
    return np.random.default_rng(_keyed(seed, _OBSERVED))


def fit_starts(seed: int | np.random.Generator) -> np.random.Generator:
    """The random starts of a fit; a generator is taken as it is."""
    return seed if isinstance(seed, np.random.Generator) else _plain(_keyed(seed, _FIT))


def box_search(seed: int, t: int, part: str = "samples") -> np.random.Generator:
    """What a part of the search over a box draws in batch t; `BOX_PARTS` lists the parts."""
    number = BOX_PARTS.index(part)
    return np.random.default_rng(_keyed(seed, _BOX, t, *([number] if number else [])))


def pictured_draws(seed: int) -> np.random.Generator:
    """The draws of f that a picture of a run shows: of this prior, but apart from its f."""
    return np.random.default_rng(_keyed(seed, _PICTURED))


def beta(seed: int, t: int) -> np.random.Generator:
    """What a schedule of this seed draws for beta_t."""
    return np.random.default_rng(_keyed(seed, _BETA, t))


def durations(seed: int) -> np.random.Generator:
    """How long the evaluations of a run take."""
    return np.random.default_rng(_keyed(seed, _DURATIONS))


def first_batch() -> np.random.Generator:
    """The scrambling of the sequence that a first batch follows: the same in every search."""
    return np.random.default_rng(_keyed(0, _FIRST))


def worth() -> np.random.Generator:
    """The scrambling of the sequences that the worth of a batch is averaged over."""
    return np.random.default_rng(_keyed(0, _WORTH))


def study_seeds(seed: int, label: str, replicate: int) -> dict[str, int]:
    """The seeds of one replicate of a problem in a study, by the names in `STUDY`."""
    key = (zlib.crc32(label.encode()), replicate)
    return {name: _word(_keyed(seed, *key, stream)) for stream, name in enumerate(STUDY)}


def study_prior(seed: int, label: str, replicate: int) -> np.random.Generator:
    """What fitting the prior of a replicate draws: separate observations, then starts."""
    return _plain(study_seeds(seed, label, replicate)["hyperparameters"])


def _plain(seed: int | np.random.Generator | np.random.SeedSequence) -> np.random.Generator:
    if not isinstance(seed, np.random.Generator | np.random.SeedSequence):
        seed = count(seed, "seed", 0, MOST)
    return np.random.default_rng(seed)


def _keyed(seed: int, *key: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(count(seed, "seed", 0, MOST), spawn_key=key)


def _word(sequence: np.random.SeedSequence) -> int:
    return int(sequence.generate_state(1, np.uint64)[0])
