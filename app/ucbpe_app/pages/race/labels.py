"""What the configurations of a race are called, and their settings in short."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ucbpe_app.pages.race.setup import LETTERS, OWN
from ucbpe_app.run.changes import WORDS, told
from ucbpe_app.run.choices import schedule_label
from ucbpe_app.run.screen import uses
from ucbpe_app.run.sentences import number
from ucbpe_app.run.settings import SETTINGS

if TYPE_CHECKING:
    from ucbpe_app.pages.race.setup import Configuration
    from ucbpe_app.run.settings import RunSpec

# How settings are written where their words are not used.
_SAID = {
    "batch_size": "K = {}",
    "kernel": "{} kernel",
    "lengthscale": "ℓ {}",
    "noise_variance": "noise {}",
    "schedule": "β {}",
    "beta": "β = {}",
    "scale": "β × {}",
}


def labels(configurations: tuple[Configuration, ...]) -> tuple[str, ...]:
    """A name for each: its own, or its policy and what sets it apart from others of the policy.

    No two are equal: where that does not tell them apart, their letters do.
    """
    names = [one.label or _automatic(one, configurations) for one in configurations]
    times = Counter(names)
    return tuple(
        name if times[name] == 1 else f"{name} ({letter})"
        for name, letter in zip(names, LETTERS, strict=False)
    )


def summary(configuration: Configuration) -> str:
    """The settings of a configuration in a line: K, the kernel, and beta."""
    settings = configuration.settings
    parts = [
        f"K = {configuration.batch_size}",
        settings.kernel,
        *_kernel(settings),
        _beta(settings),
    ]
    return " · ".join(parts)


def _automatic(one: Configuration, everyone: tuple[Configuration, ...]) -> str:
    policy, used = one.settings.policy, _used(one)
    others = [other for other in everyone if other is not one and other.settings.policy == policy]
    apart = [
        _said(name, value)
        for name, value in used.items()
        if any(_used(other).get(name) != value for other in others)
    ]
    return ", ".join([policy, *apart[:2]])


def _used(configuration: Configuration) -> dict[str, Any]:
    """The settings that this configuration makes use of, first K: that tells most."""
    settings = configuration.settings
    values = {name: getattr(settings, name) for name in OWN if uses(settings, name)}
    values["schedule"] = schedule_label(settings.schedule)
    return {"batch_size": configuration.batch_size, **values}


def _kernel(settings: RunSpec) -> list[str]:
    """Its shape, and so not its variance."""
    names = [
        name
        for name, one in SETTINGS.items()
        if one.part == "kernel" and name != "variance" and uses(settings, name)
    ]
    return [_said(name, getattr(settings, name)) for name in names]


def _beta(settings: RunSpec) -> str:
    scaled = "" if settings.scale == 1 else f" × {number(settings.scale)}"
    if settings.schedule == "Constant":
        return f"β = {number(settings.beta)}{scaled}"
    return f"β {schedule_label(settings.schedule)}{scaled}"


def _said(name: str, value: float | str) -> str:
    return _SAID.get(name, f"{WORDS[name]} {{}}").format(told(value))
