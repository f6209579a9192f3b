"""What of the screen a person chooses: layers of the pictures, and controls, by name."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from ucbpe_app.run.setting import Row, arranged
from ucbpe_app.run.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping


@dataclass(frozen=True)
class Layers:
    """What the person chose to see.

    Attributes
    ----------
    truth : the true function
    noisy : the band of a measurement, sqrt(std^2 + noise_variance), as well as that of f
    log : regrets on a log axis
    bounds : the bounds of Theorem 1 with the cumulative regret
    plane : the decision plane with a function of one or two inputs
    stop : how much can be gained at most by going on, by the band, and the sentence on it
    predict : picks are guessed before they are shown, and until then the truth is hidden
    plain : words are plain, without terms of the field; a lesson decides this, not a person
    draws, prior : draws of the posterior, and of the prior
    """

    truth: bool = True
    noisy: bool = False
    log: bool = False
    bounds: bool = False
    plane: bool = False
    stop: bool = False
    predict: bool = False
    plain: bool = False
    draws: bool = False
    prior: bool = False

    @classmethod
    def of(cls, names: Container[str], *, plain: bool) -> Layers:
        """The layers of these names, and no others."""
        return cls(**{name: name in names for name in LAYERS}, plain=plain)

    @property
    def draw(self) -> str:
        """The layer whose draw is the large map, where nobody can choose another."""
        return "draws" if self.draws else "prior" if self.prior else ""

    @property
    def shown(self) -> Layers:
        """What views draw."""
        return replace(self, truth=False) if self.predict else self


LAYERS = tuple(field.name for field in fields(Layers) if field.name != "plain")
# Once layers, which lesson files can still name.
GONE = frozenset({"beside", "covariance", "rules"})

# The settings column: its headings, and under each the settings, those of a row side by side.
SECTIONS: Mapping[str, tuple[Row, ...]] = MappingProxyType(arranged(SETTINGS))
PLACED = tuple(name for rows in SECTIONS.values() for row in rows for name in row)

# What belongs to the prior but is not in its section.
_OF_BELIEF = {"fit", *(name for row in SECTIONS["Joined"] for name in row)}
# Groups of controls that can be hidden by one name. A capital tells a group from a control.
GROUPS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "Start": frozenset({"preset", "reset"}),
        **{
            title: frozenset(name for row in rows for name in row)
            | (_OF_BELIEF if title == "Belief" else set())
            for title, rows in SECTIONS.items()
        },
        "Layers": frozenset(LAYERS),
    }
)
CONTROLS = frozenset[str]().union(*GROUPS.values())


def controls_of(names: Iterable[str]) -> frozenset[str]:
    """The controls that these groups and controls name."""
    return frozenset[str]().union(*(GROUPS.get(name, {name}) for name in names))
