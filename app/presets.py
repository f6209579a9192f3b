"""Moments worth seeing, as data: settings, the event to open, and what to look for."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from app.events import Event, Kind
from app.settings import RunSpec, Settings, suggested

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Preset:
    """A named start: `settings` beside the problem's suggested prior, and the first event.

    `slug` is its name in an address: `/?preset=figure-2` opens it.
    """

    slug: str
    name: str
    problem: str
    caption: str
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    event: Event = Event(1, Kind.FIT)
    noisy: bool = False

    @property
    def layers(self) -> frozenset[str]:
        """Layers shown at first, names of fields of `Layers`."""
        return frozenset(("truth", "noisy") if self.noisy else ("truth",))

    def spec(self, problem: str | None = None) -> RunSpec:
        """Every setting; on another `problem`, with the prior that one suggests.

        Raises
        ------
        UCBPEError
            If the problem's data cannot be had.
        """
        chosen = suggested(problem or self.problem)
        return RunSpec(**{**asdict(Settings().spec()), **chosen, **self.settings})


# Figures 1 and 2 draw the mean plus or minus 2 deviations: beta = 4 whatever t.
_PAPER = MappingProxyType(
    {"schedule": "Constant", "beta": 4.0, "batch_size": 2, "batches": 6, "initial": 0}
)

PRESETS: tuple[Preset, ...] = (
    Preset(
        "start",
        "Start here: one curve",
        "multimodal",
        "Three measurements, then batches of four. Press Next and read why each point is chosen.",
        MappingProxyType({"batch_size": 4, "batches": 8, "initial": 3, "seed": 0}),
    ),
    Preset(
        "figure-1",
        "Paper, Figure 1",
        "figure1",
        "The belief after four observations: mean, and the band of a measurement, ± 2 deviations.",
        _PAPER,
        noisy=True,
    ),
    Preset(
        "figure-2",
        "Paper, Figure 2",
        "figure1",
        "x⁰ has been chosen but not measured, and the band has shrunk already (dashed): x¹ is "
        "where it is widest inside the relevant region.",
        _PAPER,
        Event(1, Kind.PICK, 1),
    ),
    Preset(
        "thin-peak",
        "Thin peak",
        "thin_peak",
        "A narrow maximum beside a broad hill: watch how long R⁺ keeps the ground around it.",
        MappingProxyType({"batch_size": 5, "batches": 8, "initial": 3}),
    ),
    Preset(
        "himmelblau",
        "Himmelblau in two dimensions",
        "himmelblau",
        "Four peaks, one a little higher. R⁺ closes in on them batch by batch.",
        MappingProxyType({"batch_size": 10, "batches": 12, "initial": 10}),
        Event(3, Kind.REGION),
    ),
    Preset(
        "mixture",
        "Gaussian mixture in two dimensions",
        "gaussian_mixture",
        "The highest of three bumps is the thinnest.",
        MappingProxyType({"batch_size": 10, "batches": 12, "initial": 10}),
        Event(2, Kind.REGION),
    ),
    Preset(
        "noise",
        "Noise as large as the signal",
        "generated_gp",
        "With noise variance 1, R⁺ is all of X for many batches: pure exploration fills space.",
        MappingProxyType({"batch_size": 10, "batches": 12, "initial": 20}),
        Event(2, Kind.REGION),
    ),
    Preset(
        "mackey-glass",
        "Mackey-Glass in six dimensions",
        "mackey_glass",
        "Six inputs leave no axes to draw f over: the decision plane shows it all. "
        "Point at a dot to read its inputs.",
        # With the whole of beta_t the region stays all of X for more batches than one would watch.
        MappingProxyType({"batch_size": 10, "batches": 12, "initial": 20, "scale": 0.1}),
        Event(3, Kind.REGION),
    ),
)
