"""The file of another tool's run, what is asked of it, and the run retraced."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param

from ucbpe_app.problem.settings import FITS, PlanSettings
from ucbpe_app.problem.sheets.limits import MOST_MADE, MOST_MEASUREMENTS
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import Worker
from ucbpe_app.widgets.strip import EXPLORED
from ucbpe_core import UCBPEError, retrace
from ucbpe_core.errors import InputError, grouped
from ucbpe_core.foreign import Retrace, read_run
from ucbpe_core.spaces.design import Design, gridded
from ucbpe_core.support.validation import read_only, sign_of
from ucbpe_core.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ucbpe_core import GaussianProcess, Kernel
    from ucbpe_core.foreign import Run
    from ucbpe_core.support.validation import Integers

FITTED, NEVER = FITS  # before each trial, or never
# A file is opened with these.
_SETTINGS: dict[str, Any] = {
    "fit": FITTED,
    "kernel": "Matérn",
    "nu": 2.5,
    "schedule": "Constant",
    "beta": 4.0,
}


class ForeignRun(Worker):
    """A run, once a file was read; the one before stays if that is not possible."""

    retraced = param.ClassSelector(class_=Retrace, doc="None before there is one.")
    error = param.ClassSelector(class_=UCBPEError, doc="Why there is none, or what is asked.")
    refused = param.ClassSelector(class_=UCBPEError, doc="Why settings were not taken.")

    def __init__(self) -> None:
        super().__init__()
        self.title, self.answers = "", dict[str, str]()
        self._content = b""
        self.settings, self._showing = PlanSettings(**_SETTINGS), False
        self.settings.param.watch(self._set, [*EXPLORED, "fit"])

    @property
    def present(self) -> Retrace:
        """The run, once there is one."""
        found: Retrace | None = self.retraced
        if found is None:
            raise InputError("a run of another tool", "none yet", "open one first")
        return found

    async def open(self, name: str, content: bytes) -> bool:
        """Read a file and retrace its run; whether there is one."""
        self.title, self._content, self.answers = name, content, {}
        return await self._read()

    async def answer(self, field: str, answer: str) -> bool:
        """The same with an answer to what was asked, a parameter of `read_run`."""
        self.answers = {**self.answers, field: answer}
        return await self._read()

    async def _read(self) -> bool:
        with self._quietly():
            self.settings.accept(**_SETTINGS)
        return await self._retrace("error", _opened, self._content, dict[str, Any](self.answers))

    @property
    def fitted(self) -> bool:
        """Whether the prior is fitted before each trial; else it is that of the settings."""
        return bool(self.settings.fit == FITTED)

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Change settings to show what was found, and not to find anything else."""
        self._showing = True
        try:
            yield
        finally:
            self._showing = False

    def show(self, gp: GaussianProcess | None) -> None:
        """Take the numbers of a fitted prior, of f or -f, into the settings, if they can say it."""
        if gp is None or not self.fitted:
            return
        self.settings.extent = read_only(np.ptp(self.present.candidates, axis=0))
        with self._quietly(), suppress(UCBPEError):
            sign = sign_of(self.present.run.direction)
            self.settings.show_prior(replace(gp, mean=sign * gp.mean))

    def _set(self, *events: param.parameterized.Event) -> None:
        """Retrace by other settings: a prior whose numbers are set is not fitted any more."""
        if self._showing or self.retraced is None:
            return
        if {event.name for event in events} & {"lengthscale", "noise_variance"}:
            with self._quietly():
                self.settings.accept(fit=NEVER)
        pn.state.execute(self._again)

    async def _again(self) -> None:
        gp = self.settings.gp()
        prior = gp.kernel if self.fitted else gp
        await self._retrace("refused", _retraced, self.present.run, prior, self.settings.beta)

    async def _retrace(self, fault: str, function: Callable[..., Retrace], *args: Any) -> bool:
        with self.latest(Job()) as job:
            try:
                found = await self.work(function, *args, job, job=job)
            except UCBPEError as error:
                self.param.update(**{fault: error})
            else:
                self.param.update(retraced=found, error=None, refused=None)
                return True
        return False


def _opened(content: bytes, answers: dict[str, Any], job: Job) -> Retrace:
    run = read_run(content, **answers)
    if len(run.trials) > MOST_MEASUREMENTS:  # a step would keep others waiting
        wanted, got = f"at most {grouped(MOST_MEASUREMENTS)} trials", grouped(len(run.trials))
        raise InputError(wanted, got, "use ucbpe_core.retrace in Python, which takes 2,000")
    return _retraced(run, None, _SETTINGS["beta"], job)


def _retraced(run: Run, prior: GaussianProcess | Kernel | None, beta: float, job: Job) -> Retrace:
    found = retrace(run, prior=prior, beta=beta, progress=job.progress)
    _ = found.gain, found.check  # here, in the worker's thread
    return found


def as_table(retraced: Retrace) -> tuple[Table, Integers]:
    """A table of settings that stand for all and those of the trials; which row each trial is.

    Of trials with a result, in the order in which it became known.
    """
    run = retraced.run
    own = run.points[list(retraced.order)]
    every = np.concatenate([gridded(run.space, MOST_MADE - len(own)), own])
    rows, which = np.unique(every, axis=0, return_inverse=True)
    design = Design(run.space.names, run.space.inputs)
    return Table.of(design, run.output, rows), read_only(which[len(every) - len(own) :])
