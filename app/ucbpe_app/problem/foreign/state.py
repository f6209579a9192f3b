"""The file of another tool's run, what is asked of it, and the run retraced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import param

from ucbpe_app.problem.sheets.limits import MOST_MADE, MOST_MEASUREMENTS
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import Worker
from ucbpe_core import UCBPEError, retrace
from ucbpe_core.errors import InputError, grouped
from ucbpe_core.foreign import Retrace, read_run
from ucbpe_core.spaces.design import Design, gridded
from ucbpe_core.support.validation import read_only
from ucbpe_core.tables.table import Table

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Integers


class ForeignRun(Worker):
    """A run, once a file was read; the one before stays if that is not possible."""

    retraced = param.ClassSelector(class_=Retrace, doc="None before there is one.")
    error = param.ClassSelector(class_=UCBPEError, doc="Why there is none, or what is asked.")

    def __init__(self) -> None:
        super().__init__()
        self.title, self.answers = "", dict[str, str]()
        self._content = b""

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
        content, answers = self._content, dict[str, Any](self.answers)
        with self.latest(Job()) as job:
            try:
                found = await self.work(_retraced, content, answers, job, job=job)
            except UCBPEError as error:
                self.error = error
            else:
                self.param.update(retraced=found, error=None)
                return True
        return False


def _retraced(content: bytes, answers: dict[str, Any], job: Job) -> Retrace:
    run = read_run(content, **answers)
    if len(run.trials) > MOST_MEASUREMENTS:  # a step would keep others waiting
        wanted, got = f"at most {grouped(MOST_MEASUREMENTS)} trials", grouped(len(run.trials))
        raise InputError(wanted, got, "use ucbpe_core.retrace in Python, which takes 2,000")
    found = retrace(run, progress=job.progress)
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
