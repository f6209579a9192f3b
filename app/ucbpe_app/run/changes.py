"""Settings in a few words: what a change changes, and how two runs differ."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from ucbpe_app.run.own import label_of
from ucbpe_app.run.sentences import number
from ucbpe_app.run.settings import SETTINGS

if TYPE_CHECKING:
    from ucbpe_app.run.settings import RunSpec

_MOST = 3  # told by name; of more, their number
WORDS = {name: one.word or name.replace("_", " ") for name, one in SETTINGS.items()}


def differences(before: RunSpec, after: RunSpec) -> tuple[str, ...]:
    """Names of the settings in which two runs differ, the problem first."""
    old, new = asdict(before), asdict(after)
    return tuple(name for name in WORDS if old[name] != new[name])


def change(before: RunSpec, after: RunSpec) -> str:
    """What a change changes: ``lengthscale 0.65 → 1.3, K 4 → 10``.

    A new problem brings its own prior, so it is enough to name it.
    """
    names = differences(before, after)
    if "problem" in names:
        return f"{label_of(before.problem)} → {label_of(after.problem)}"
    return _listed(
        [f"{WORDS[name]} {value(before, name)} → {value(after, name)}" for name in names]
    )


def apart(run: RunSpec, other: RunSpec) -> str:
    """What sets a run apart from another: ``K = 4, β multiplier c = 1``, "" for equal settings."""
    names = differences(other, run)
    if "problem" in names:
        return label_of(run.problem)
    return _listed([f"{WORDS[name]} = {value(run, name)}" for name in names])


def value(spec: RunSpec, name: str) -> str:
    """A setting's value in words."""
    found = getattr(spec, name)
    if name == "problem":
        return label_of(found)
    return told(found)


def told(value: float | str) -> str:
    """The value of a setting other than the problem."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else number(value)


def _listed(parts: list[str]) -> str:
    """The first few, and how many more there are."""
    more = len(parts) - _MOST
    return ", ".join(parts[:_MOST]) + (f" and {more} more" if more > 0 else "")
