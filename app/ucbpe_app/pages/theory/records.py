"""What the Theory page shows of a run, as frozen records. Arrays over t = 1 .. T are read-only."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ucbpe_app.run.events import Event
    from ucbpe_core.validation import Floats


class Status(StrEnum):
    """Whether a statement holds at a t."""

    HOLDS = "holds"
    FAILS = "fails"
    SILENT = "silent"


@dataclass(frozen=True)
class Cell:
    """A statement at a t: whether it holds, its numbers, and the event that shows them."""

    state: Status
    numbers: str
    event: Event


@dataclass(frozen=True)
class Statement:
    """A row of the grid.

    Attributes
    ----------
    name : of the check, as in `theory.check_lemmas`
    title, grounds : what it is, and why it should hold, in words
    cells : at t = 1 .. T
    sentence : at which t it holds, and how narrowly
    """

    name: str
    title: str
    grounds: str
    cells: tuple[Cell, ...] = field(repr=False)
    sentence: str

    @property
    def fails(self) -> bool:
        """Whether it does at any t."""
        return any(cell.state is Status.FAILS for cell in self.cells)


@dataclass(frozen=True, eq=False)
class Gain:
    """Information in nats, shape (T,): of the run, of a greedy choice, and a bound on gamma_tK."""

    run: Floats = field(repr=False)
    greedy: Floats = field(repr=False)
    bound: Floats = field(repr=False)


@dataclass(frozen=True, eq=False)
class Bound:
    """A cumulative regret and its bounds, shape (T,); None without noise, where they are infinite.

    Attributes
    ----------
    own : of the run
    printed, proved : Theorem 1 as printed, and as its proof gives it
    trivial : what no run exceeds
    sentence : how they compare at T
    """

    own: Floats = field(repr=False)
    printed: Floats | None = field(repr=False)
    proved: Floats | None = field(repr=False)
    trivial: Floats = field(repr=False)
    sentence: str


@dataclass(frozen=True, eq=False)
class RunTheory:
    """All that the page shows of one run.

    Attributes
    ----------
    batches, batch_size : T and K
    sqrt_beta, wide : sqrt(beta_t), and 2 sqrt(beta_(t+1)) of R+, shape (T,)
    allowed : probability of leaving the band by t that the union bound allows, shape (T,)
    delta : that of beta for a finite X; None where beta is another, or a part of it
    gain : None without noise
    batch, full : R_T^K and R_TK
    schedule : name of the formula of beta_t
    about, band, information, units : paragraphs for the reasons
    summary : the run in a line
    """

    batches: int
    batch_size: int
    sqrt_beta: Floats = field(repr=False)
    wide: Floats = field(repr=False)
    allowed: Floats = field(repr=False)
    delta: float | None
    gain: Gain | None = field(repr=False)
    batch: Bound = field(repr=False)
    full: Bound = field(repr=False)
    statements: tuple[Statement, ...] = field(repr=False)
    schedule: str
    about: tuple[str, ...]
    band: tuple[str, ...]
    information: tuple[str, ...]
    units: str
    summary: str
