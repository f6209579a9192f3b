"""What is shown of one candidate at an event, all of it read from the frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.run.criterion import Criterion, criterion
from ucbpe_app.run.sentences import coordinate, number, pick_label

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.replay import Replay
    from ucbpe_core.support.validation import Floats

_DRAWN = 2  # inputs; of more, a table beside tells them
# What rows are called where words are plain; those of no name are left out.
_PLAIN = {
    "mean μ": "best guess", "std σ": "std", "upper": "band, top", "lower": "band, bottom",
    "in R": "", "in R⁺": "",
}  # fmt: skip
_YES_OR_NO = {True: "yes", False: "no", None: "not known yet"}


@dataclass(frozen=True, eq=False)
class Reading:
    """One candidate at one event.

    Attributes
    ----------
    index, x : which one, and its inputs, shape (d,)
    mean, std, upper, lower : of the posterior on screen; std with the picks before counted, std(k)
    in_region, in_region_plus : None while the region is not known
    criterion : in force at this event; None once the batch is measured
    truth : the true value
    distance : to the pick that the event is about, in units of the inputs; None without one
    subject : label of that pick; empty without one
    picked : labels of the picks of this batch that are this candidate
    """

    index: int
    x: Floats = field(repr=False)
    mean: float
    std: float
    upper: float
    lower: float
    in_region: bool | None
    in_region_plus: bool | None
    criterion: Criterion | None = field(repr=False)
    truth: float
    distance: float | None
    subject: str
    picked: tuple[str, ...]

    @property
    def rank(self) -> tuple[int, int] | None:
        """Rank by the criterion, and of how many; None without one."""
        return None if self.criterion is None else self.criterion.rank(self.index)


def read(replay: Replay, frame: Frame, index: int) -> Reading:
    """What is known of candidate `index` at the event of a frame."""
    problem, subject = replay.trace.problem, frame.subject
    mean, std, x = float(frame.mean[index]), float(frame.std_now[index]), problem.candidates[index]
    half = frame.sqrt_beta * std
    return Reading(
        index=index,
        x=x,
        mean=mean,
        std=std,
        upper=mean + half,
        lower=mean - half,
        in_region=None if frame.region is None else bool(frame.region[index]),
        in_region_plus=None if frame.region_plus is None else bool(frame.region_plus[index]),
        criterion=criterion(replay, frame),
        truth=float(problem.values[index]),
        distance=None if subject is None else float(np.linalg.norm(x - subject.x)),
        subject="" if subject is None else pick_label(subject.number),
        picked=tuple(pick_label(pick.number) for pick in frame.picks if pick.index == index),
    )


class ReadingRow(NamedTuple):
    """A line of the readout: a name, a value, and its kind.

    Two of kind "half" share a line, one of kind "whole" has its own; one of kind "input" is for
    where no table of inputs is beside.
    """

    name: str
    value: str
    kind: str = "half"


def rows(
    scene: Scene, reading: Reading, *, truth: bool, guessing: bool = False, plain: bool = False
) -> list[ReadingRow]:
    """What to show of a reading: the same names for every candidate.

    Parameters
    ----------
    truth : whether the true value may be shown
    guessing : whether the next pick is being guessed: at the fit event the rank gives it away
    plain : whether words are those that need no word of the field: then no rule is named
    """
    *names, output = scene.axes
    extents = np.ptp(scene.candidates, axis=0).tolist()
    inputs = list(zip(names, map(coordinate, reading.x.tolist(), extents), strict=True))
    true = [(f"true {output}", number(reading.truth))] if truth else []
    lines = [
        [("mean μ", number(reading.mean)), ("std σ", number(reading.std))],
        [("upper", number(reading.upper)), ("lower", number(reading.lower))],
    ]
    if scene.uses_region:
        facts = (_YES_OR_NO[fact] for fact in (reading.in_region, reading.in_region_plus))
        lines.append(list(zip(("in R", "in R⁺"), facts, strict=True)))
    # One input shares its line with the true value; more leave that a line of its own.
    lines = [inputs + true, *lines] if len(inputs) == 1 else [inputs, *lines, true]
    entries = [
        ReadingRow(*cell, _kind(line, table=line is inputs and len(inputs) > _DRAWN))
        for line in lines
        for cell in line
    ]
    if plain:
        named = (row._replace(name=_PLAIN.get(row.name, row.name)) for row in entries)
        return [*(row for row in named if row.name), _distance_row(reading)]
    return [*entries, _rank_row(reading, guessing=guessing), _distance_row(reading)]


def _kind(line: list[tuple[str, str]], *, table: bool) -> str:
    if table:
        return "input"
    return "whole" if len(line) == 1 else "half"


def _rank_row(reading: Reading, *, guessing: bool) -> ReadingRow:
    of = reading.criterion
    if of is None:
        return ReadingRow("rank", "none: the batch is measured", "whole")
    hidden = guessing and not reading.subject
    value = "shown after the reveal" if hidden else _rank(of, reading)
    return ReadingRow(f"rank for {pick_label(of.k)}", value, "whole")


def _distance_row(reading: Reading) -> ReadingRow:
    if reading.distance is None:
        return ReadingRow("distance", "no pick yet", "whole")
    return ReadingRow(f"distance to {reading.subject}", number(reading.distance), "whole")


def _rank(by: Criterion, reading: Reading) -> str:
    """The rank, by what, and among which candidates; or why there is none."""
    if by.values is None:
        return f"none: the rule uses {by.name}"
    if reading.rank is None:
        return "none: not in R⁺"
    rank, size = reading.rank
    return f"{rank} of {size}{' in R⁺' if by.bounded else ''} by {by.name}"
