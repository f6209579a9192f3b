"""A run, with its files and tables."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError
from ucbpe_core.extras import install
from ucbpe_core.run import Run

if TYPE_CHECKING:
    import pandas as pd

    from ucbpe_core.records.files import PathOrFile


@dataclass(frozen=True, eq=False)
class Trace(Run):
    """A finished run of `policy` on `problem`, in the direction of the problem.

    Values, measurements, `posterior` and y_dot are in the units of f in either direction; regrets
    are at least 0.

    Attributes
    ----------
    problem : the function, known at all candidates
    history : every measurement, in the order made, and every batch; times are left out
    seed : of the initial points and of the noise
    made : `decisions` and `posterior` where they are at hand, as after `simulate`; a trace that was
        loaded derives them from its history at first use
    workers : how many results arrive together, and how long evaluations take; by default a batch
        takes one unit of time, and its results arrive together
    hold_data : whether the measurements are those of another run (see `replay_decisions`): `y`,
        `values` and the regrets then belong to the candidates in `history`, not to the picks
    decisions : the T decisions: a batch of K picks each, or, where results arrived one by one, as
        many picks as workers were free
    timetable : who made each pick, from when to when
    posterior : after the last batch; `posterior.at(n)` is that after n observations
    gp, policy, beta : the plan of batch 1
    initial : number of observations before batch 1
    y : every measurement in order, shape (initial + T K,)
    values : true f where each batch was measured, shape (T, K); not where results arrived one by
        one. Regrets at t are then those of the results that arrived after decision t
    refits : (t, prior) for each time that the prior was fitted again: it is that of batch t and of
        those after. `posterior` has the last one, so that with refits `posterior.at(n)` is the
        posterior of the first n observations under this prior, not what the posterior was then.

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate, Trace
    >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=5, initial=4)
    >>> trace.simple_regret.round(2)
    array([0.44, 1.68, 0.01, 0.01, 0.  ])
    >>> trace.save("run.json")
    >>> Trace.load("run.json").digest == trace.digest
    True
    """

    def save(self, path: PathOrFile, *, overwrite: bool = False) -> None:
        """Write a JSON file that `load` reads back; `docs/trace.md` describes its fields.

        Parameters
        ----------
        path : the file, or a text file open for writing
        overwrite : whether to replace a file at the path that is not of this run

        Raises
        ------
        InputError
            For a policy, kernel or schedule of a class that is not registered, a path that cannot
            be written or has another file, or measurements of another run. An existing file is then
            left unchanged.
        """
        from ucbpe_core.records import run  # as below: not needed unless a run is saved

        self.require_measured("save it")
        run.save(self, path, overwrite=overwrite)

    @classmethod
    def load(cls, path: PathOrFile) -> Trace:
        """The trace that `save` wrote, equal to the last bit.

        The posterior is conditioned again when it is first asked for, and R and R+ follow from it:
        on the same machine that gives the same bits; on another the picks and measurements are the
        same, and the posterior differs by rounding. Nothing in the file is executed, and neither
        loading nor conditioning needs more memory than the run did.

        Parameters
        ----------
        path : the file, or a text file open for reading

        Raises
        ------
        InputError
            For a file that cannot be read, is not JSON, is truncated, has another version, was
            altered after it was saved, is not of a trace, or has content that no run can have.
        """
        from ucbpe_core.records import run

        return cls(**run.load(path))

    def to_csv(self, path: PathOrFile) -> None:
        """Write one row for each measurement; `docs/trace.md` describes the columns.

        Parameters and errors are those of `save`.
        """
        from ucbpe_core.records import run, sheets

        self.require_measured("write a row for each measurement")
        sheets.write(path, self.history, run.columns(self))

    def to_frame(self) -> pd.DataFrame:
        """The rows and columns of `to_csv` as a pandas table; `attrs` describes the run.

        Raises
        ------
        InputError
            Without pandas, which the extra "study" installs, or for measurements of another run.

        Examples
        --------
        >>> from ucbpe_core import GPUCBPE, problems, simulate
        >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=5, initial=4)
        >>> frame = trace.to_frame()
        >>> len(frame), list(frame.columns[:4])
        (19, ['state', 'measurement', 'candidate', 'input 1: x'])
        """
        from ucbpe_core.records import run, sheets

        self.require_measured("list its measurements")
        frame = sheets.frame(self.history, run.columns(self))
        frame.attrs.update(run.about(self))
        return frame

    def plot(self) -> Any:
        """r_t^K, the least of them so far, as a HoloViews overlay; the dashboard draws it.

        Raises
        ------
        InputError
            Without the dashboard, which the extra "app" installs.
        """
        for entry in entry_points(group="ucbpe.plots", name="trace"):
            return entry.load()(self)
        raise InputError("the dashboard, which draws, to be installed", "none", install("app"))

    def _repr_html_(self) -> str:
        """What a notebook shows: what was run, and how well it did."""
        from ucbpe_core.records import run

        return run.html(self)
