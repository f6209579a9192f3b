"""A run of another tool: its trials, in the order in which they began, over a space."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np

from ucbpe_core.errors import InputError, grouped
from ucbpe_core.spaces.inputs import Category, Integer, Real
from ucbpe_core.spaces.space import Space
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import direction_of, frozen_copy, sign_of
from ucbpe_core.tables.limits import MOST_LEVELS
from ucbpe_core.tables.roles import is_logarithmic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ucbpe_core.support.validation import Booleans, Direction, Floats

Kind = Real | Category

MOST_TRIALS = 2_000  # the model before each is computed, which takes a minute
MOST_INPUTS = 20  # with more, some 2,000 values say little about a model with as many lengthscales

State = Literal["done", "failed", "pruned", "running"]
# What tools call them, in lower case; None has not begun, and is left out.
STATES: Mapping[str, State | None] = MappingProxyType({
    **dict.fromkeys(("complete", "completed", "done", "ok", ""), "done"),
    **dict.fromkeys(("fail", "failed", "abandoned", "error"), "failed"),
    **dict.fromkeys(("pruned", "early_stopped"), "pruned"),
    **dict.fromkeys(("running", "pending"), "running"),
    **dict.fromkeys(("waiting", "candidate", "staged")),
})  # fmt: skip


class ForeignTrial(NamedTuple):
    """A trial of another tool.

    Attributes
    ----------
    number : as the tool counts
    setting : values of the parameters by name; some can be missing
    y : its result, None where there is none; of a pruned trial what it had is no result
    state : "done", "failed", "pruned" or "running"
    start, end : in seconds, from any moment on; None where that is not known
    batch : trials with the same one were chosen together; None where that is not known

    Examples
    --------
    >>> from ucbpe_core.foreign import ForeignTrial
    >>> ForeignTrial(0, {"x": 0.5}, 2.0, "done").batch is None
    True
    """

    number: int
    setting: Mapping[str, Any]
    y: float | None
    state: State
    start: float | None = None
    end: float | None = None
    batch: int | None = None

    def overlaps(self, later: ForeignTrial) -> bool:
        """Whether its result was not known yet when `later`, which began after it, was chosen."""
        if self.batch is not None and self.batch == later.batch:
            return True
        if self.end is not None and later.start is not None:
            return self.end > later.start
        return self.state == "running"


@dataclass(frozen=True, eq=False)
class Run(Frozen):
    """A run of another tool. `Run.of` makes it of trials, and `read_run` of a file.

    Attributes
    ----------
    space : of the parameters that all trials with a result have
    trials : in the order in which they began
    direction : "maximize" or "minimize"
    tool, output : what made it, and what was measured, for people
    remarks : what a person should know of how it was read

    Examples
    --------
    >>> from ucbpe_core.foreign import ForeignTrial, Run
    >>> trials = [ForeignTrial(i, {"x": x}, x * x, "done") for i, x in enumerate([0.0, 1.5, 1.0])]
    >>> run = Run.of(trials, "minimize")
    >>> run.y, run.space.inputs
    (array([0.  , 2.25, 1.  ]), (Real(low=0.0, high=1.5, log=False, step=None),))
    """

    space: Space
    trials: tuple[ForeignTrial, ...] = field(repr=False)
    direction: Direction = "maximize"
    tool: str = ""
    output: str = "value"
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        trials: Sequence[ForeignTrial],
        direction: Direction,
        kinds: Mapping[str, Kind] | None = None,
        *,
        tool: str = "",
        output: str = "value",
        remarks: Sequence[str] = (),
    ) -> Self:
        """The run of trials in any order.

        Parameters
        ----------
        kinds : of the parameters whose distribution is known. Any other is a category if it has a
            text, and else a number, between the least and the greatest value: a whole one if all
            are, logarithmic by the rule of `Table.read`

        Raises
        ------
        InputError
            For no result, more than 2,000 trials, no parameter that varies, or more than 20.
        """
        if len(trials) > MOST_TRIALS:
            wanted, got = f"at most {grouped(MOST_TRIALS)} trials", grouped(len(trials))
            raise InputError(wanted, got, "take a part of the run")
        checked = [_checked(trial) for trial in trials]
        pairs = zip(checked, trials, strict=True)
        odd = [str(one.number) for one, was in pairs if one.state != was.state]
        told = [f"The result of trial {', '.join(odd)} is not finite: it failed."] if odd else []
        done = [trial for trial in checked if trial.y is not None]
        if not done:
            got = f"{len(trials)} trials without one"
            raise InputError("a trial with a result", got, "open a run that has some")
        inputs = _Inputs(done, kinds or {})
        if not 0 < len(inputs.varied) <= MOST_INPUTS:
            wanted = f"1 to {MOST_INPUTS} parameters that vary, and that all trials have"
            remedy = "leave those out that matter least" if inputs.varied else "look at the file"
            raise InputError(wanted, str(len(inputs.varied)), remedy)
        space, remarks = Space.of(inputs.varied), (*remarks, *told, *inputs.words())
        timed = all(trial.start is not None for trial in checked)

        def key(trial: ForeignTrial) -> tuple[float, float, int]:
            start = trial.start if timed and trial.start is not None else 0.0
            return start, -1 if trial.batch is None else trial.batch, trial.number

        ordered = tuple(sorted((_within(space, trial) for trial in checked), key=key))
        return cls(space, ordered, direction_of(direction), tool, output, remarks)

    @cached_property
    def y(self) -> Floats:
        """Results (n,), nan where there is none."""
        return frozen_copy([np.nan if trial.y is None else trial.y for trial in self.trials])

    @cached_property
    def points(self) -> Floats:
        """Coordinates (n, D) as the Gaussian process sees them; nan for incomplete settings."""
        X = np.full((len(self.trials), len(self.space.box)), np.nan)
        whole = [i for i, one in enumerate(self.trials) if one.setting.keys() >= self._names]
        read = self.space.read([self.trials[i].setting for i in whole], "trials")
        X[whole] = self.space.coordinates(read)
        return frozen_copy(X)

    @cached_property
    def complete(self) -> Booleans:
        """Which trials have a value of every parameter, (n,)."""
        return frozen_copy(np.isfinite(self.points).all(axis=1), dtype=bool)

    @property
    def _names(self) -> set[str]:
        return set(self.space.names)

    def known(self, i: int) -> tuple[int, ...]:
        """Which trials had a result when trial i, by its place in `trials`, was chosen."""
        return tuple(self._before(i, pending=False))

    def pending(self, i: int) -> tuple[int, ...]:
        """Which trials were running when trial i was chosen."""
        return tuple(self._before(i, pending=True))

    def _before(self, i: int, *, pending: bool) -> Iterator[int]:
        now = self.trials[i] if i < len(self.trials) else None
        for j, one in enumerate(self.trials[:i]):
            runs = one.overlaps(now) if now else one.state == "running"
            if runs if pending else one.y is not None and not runs:
                yield j

    def best(self, among: Sequence[int]) -> int | None:
        """Which of these trials has the best result; the first of equal ones."""
        sign = sign_of(self.direction)
        having = [i for i in among if self.trials[i].y is not None]
        return max(having, key=lambda i: sign * self.y[i], default=None)


def _checked(trial: ForeignTrial) -> ForeignTrial:
    """The trial with a result only if that is finite and the trial is done."""
    if trial.state == "done" and (trial.y is None or not isfinite(trial.y)):
        return trial._replace(y=None, state="failed")
    return trial if trial.state == "done" else trial._replace(y=None)


def _within(space: Space, trial: ForeignTrial) -> ForeignTrial:
    """The trial with the parameters of the space alone."""
    kinds = zip(space.names, space.inputs, strict=True)
    own = {
        name: str(trial.setting[name]) if isinstance(kind, Category) else trial.setting[name]
        for name, kind in kinds
        if trial.setting.get(name) is not None
    }
    return trial._replace(setting=own)


class _Inputs:
    """The parameters that all trials with a result have: those that vary, and those that do not."""

    def __init__(self, done: Sequence[ForeignTrial], kinds: Mapping[str, Kind]) -> None:
        counts = Counter(
            name for one in done for name, value in one.setting.items() if value is not None
        )
        self.partly = {name: n for name, n in counts.items() if n < len(done)}
        self.size, self.varied = len(done), dict[str, Kind]()
        self.left, self.guessed = list[str](), list[str]()
        for name in (name for name, n in counts.items() if n == len(done)):
            values = [one.setting[name] for one in done]
            kind = kinds.get(name) or _kind_of(values)
            if kind is None:
                self.left.append(name)
                continue
            self.varied[name] = kind
            if isinstance(kind, Real) and name not in kinds:
                self.guessed.append(name)

    def words(self) -> Iterator[str]:
        for name, n in self.partly.items():
            yield f"{name} is left out: only {n} of {self.size} trials with a result have it."
        if self.left:
            yield f"Left out, as always the same, or a text of each trial: {', '.join(self.left)}."
        if self.guessed:
            names = ", ".join(self.guessed)
            yield f"The file has no range, so its values set the range of {names}."


def _kind_of(values: Sequence[Any]) -> Kind | None:
    """What a parameter with these values is; None for one that does not vary, or names trials."""
    numeric = all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)
    different = list(dict.fromkeys(values if numeric else map(str, values)))
    if len(different) < 2:
        return None
    if not numeric:
        return Category(tuple(map(str, different))) if len(different) <= MOST_LEVELS else None
    low, high = min(different), max(different)
    whole = all(float(one).is_integer() for one in different)
    log = is_logarithmic(np.array(values, float))
    return (Integer if whole else Real)(low, high, log)


def merged(one: Kind | None, other: Kind) -> Kind:
    """The kind of a parameter whose range was changed during the run."""
    if not isinstance(one, Real) or not isinstance(other, Real):
        return other
    return replace(one, low=min(one.low, other.low), high=max(one.high, other.high))
