"""What a race is made of: its configurations, what they share, and what they are called."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from ucbpe_app.run.changes import WORDS, worded
from ucbpe_app.run.choices import schedule_label
from ucbpe_app.run.sentences import number
from ucbpe_app.run.settings import ONE_BY_ONE, SETTINGS, RunSpec, Settings
from ucbpe_core.errors import InputError
from ucbpe_core.policies import GPUCB

LETTERS = tuple("ABCDEFGH")  # of the configurations, by place
FEWEST, MOST = 2, len(LETTERS)
LONGEST_LABEL = 32

COMMON = tuple(name for name, setting in SETTINGS.items() if setting.shared)
OWN = tuple(name for name in SETTINGS if name not in COMMON)

# The default competitors of a configuration are the first three with another policy; who adds
# further ones is offered the others, so that eight can be eight rules.
_RIVALS = (
    "GP-UCB-PE", "GreedyUCB", "GP-BUCB", "GP-UCB",
    "Vizier UCB-PE", "PIMS", "Kriging believer", "qEI",
)  # fmt: skip
_MOST_BATCHES = int(Settings.param["batches"].bounds[1])
# How settings are written where their words are not used.
_TEXTS = {
    "batch_size": "K = {}",
    "kernel": "{} kernel",
    "lengthscale": "ℓ {}",
    "noise_variance": "noise {}",
    "schedule": "β {}",
    "beta": "β = {}",
    "scale": "β × {}",
    "results": "{}",
}


class Unit(StrEnum):
    """What counts as the same progress: as many batches, as many evaluations of f, or time."""

    ITERATIONS = "iterations"
    EVALUATIONS = "evaluations"
    TIME = "time"


# Places in time are whole numbers of these, of the mean duration of an evaluation.
TICKS = 1000


@dataclass(frozen=True)
class Configuration:
    """One competitor: its settings, those in `COMMON` being the race's, and its name if it has one.

    Raises
    ------
    InputError
        For a label of more than 32 characters.
    """

    settings: RunSpec
    label: str = ""

    def __post_init__(self) -> None:
        if len(self.label) > LONGEST_LABEL:
            expected = f"a label of at most {LONGEST_LABEL} characters"
            raise InputError(expected, f"{len(self.label)}", "shorten it")

    @property
    def batch_size(self) -> int:
        """K; that of GP-UCB is 1 whatever is set."""
        return 1 if self.settings.policy == GPUCB.name else self.settings.batch_size

    def taking(self, **changes: Any) -> Configuration:
        """The same with other settings."""
        return replace(self, settings=replace(self.settings, **changes))


@dataclass(frozen=True)
class Setup:
    """A race to be run: two to eight configurations with the same common settings.

    T = `batches` is the number of batches of each configuration at equal iterations, and in time.
    At equal evaluations it is that of the largest K, and the others make floor(T max K / K)
    batches.

    Raises
    ------
    InputError
        For fewer than two configurations, or more than eight.
    """

    configurations: tuple[Configuration, ...]
    unit: Unit = Unit.ITERATIONS

    def __post_init__(self) -> None:
        if not FEWEST <= len(self.configurations) <= MOST:
            expected = f"{FEWEST} to {MOST} configurations"
            got = str(len(self.configurations))
            raise InputError(expected, got, "add or remove some")

    @property
    def common(self) -> dict[str, Any]:
        """The settings that all share."""
        settings = asdict(self.configurations[0].settings)
        return {name: settings[name] for name in COMMON}

    @property
    def largest(self) -> int:
        """The largest K."""
        return max(configuration.batch_size for configuration in self.configurations)

    def runs(self) -> tuple[RunSpec, ...]:
        """The settings of each run, as the Step page would have them too.

        Raises
        ------
        InputError
            If a configuration needs more batches, or picks, than a run on screen may have.
        """
        return tuple(self._run(place) for place in range(len(self.configurations)))

    def sharing(self, **changes: Any) -> Setup:
        """With these settings in every configuration."""
        return replace(
            self, configurations=tuple(entry.taking(**changes) for entry in self.configurations)
        )

    def changing(self, place: int, configuration: Configuration) -> Setup:
        """With another configuration in one place."""
        changed = list(self.configurations)
        changed[place] = configuration
        return replace(self, configurations=tuple(changed))

    def duplicating(self, place: int) -> Setup:
        """With a copy of a configuration right after it, without its name."""
        copy = replace(self.configurations[place], label="")
        before, after = self.configurations[: place + 1], self.configurations[place + 1 :]
        return replace(self, configurations=(*before, copy, *after))

    def adding(self) -> Setup:
        """With the first configuration once more, by a policy that is not there yet."""
        present = {configuration.settings.policy for configuration in self.configurations}
        policy = next((name for name in _RIVALS if name not in present), _RIVALS[0])
        new = replace(self.configurations[0].taking(policy=policy), label="")
        return replace(self, configurations=(*self.configurations, new))

    def removing(self, place: int) -> Setup:
        """Without one of the configurations."""
        others = [entry for at, entry in enumerate(self.configurations) if at != place]
        return replace(self, configurations=tuple(others))

    def _run(self, place: int) -> RunSpec:
        configuration = self.configurations[place]
        K, batches = configuration.batch_size, configuration.settings.batches
        if self.unit is Unit.EVALUATIONS:
            batches = batches * self.largest // K
        if batches > _MOST_BATCHES:
            evaluations = configuration.settings.batches * self.largest
            raise InputError(
                f"at most {_MOST_BATCHES} batches of configuration {LETTERS[place]}",
                f"{batches}: {evaluations} evaluations with K = {K}",
                "lower T or the largest K, or compare at equal iterations",
            )
        run = replace(configuration.settings, batch_size=K, batches=batches)
        Settings().accept(**asdict(run))
        return run


def race_of(settings: RunSpec) -> Setup:
    """A race of this run and, under the same prior, the three policies that it is compared with."""
    rivals = [name for name in _RIVALS if name != settings.policy][:3]
    first = Configuration(settings)
    return Setup((first, *(first.taking(policy=name) for name in rivals)))


def labels(configurations: tuple[Configuration, ...]) -> tuple[str, ...]:
    """A name for each: its own, or its policy and what sets it apart from others of the policy.

    No two are equal: where that does not tell them apart, their letters do.
    """
    names = [entry.label or _automatic(entry, configurations) for entry in configurations]
    times = Counter(names)
    return tuple(
        name if times[name] == 1 else f"{name} ({letter})"
        for name, letter in zip(names, LETTERS, strict=False)
    )


def summary(configuration: Configuration, sqrt_beta: float) -> str:
    """K, the scale of beta and the multiplier in use, where its policy has a band."""
    settings = configuration.settings
    parts = [f"K = {configuration.batch_size}"]
    if SETTINGS["results"].used(settings) and settings.results == ONE_BY_ONE:
        parts.append(ONE_BY_ONE)
    if SETTINGS["scale"].used(settings) and settings.scale != 1:
        parts.append(f"scale c {number(settings.scale)}")
    return ", ".join([*parts, f"√β = {number(sqrt_beta)}"])


def _automatic(own: Configuration, everyone: tuple[Configuration, ...]) -> str:
    policy, used = own.settings.policy, _used(own)
    others = [other for other in everyone if other is not own and other.settings.policy == policy]
    apart = [
        _text(name, value)
        for name, value in used.items()
        if any(_used(other).get(name) != value for other in others)
    ]
    return ", ".join([policy, *apart[:2]])


def _used(configuration: Configuration) -> dict[str, Any]:
    """The settings that this configuration makes use of, first K: that tells most."""
    settings = configuration.settings
    values = {name: getattr(settings, name) for name in OWN if SETTINGS[name].used(settings)}
    values["schedule"] = schedule_label(settings.schedule)
    return {"batch_size": configuration.batch_size, **values}


def _text(name: str, value: float | str) -> str:
    return _TEXTS.get(name, f"{WORDS[name]} {{}}").format(worded(value))
