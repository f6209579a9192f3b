"""Your problem, results from a file: read, shown, and recorded once somebody has agreed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app.pages.problem.layout import button, column, run, styled
from ucbpe_app.pages.problem.sentences import counted
from ucbpe_app.pages.problem.sheets.decode import decode
from ucbpe_app.pages.problem.sheets.limits import MOST_BYTES
from ucbpe_app.pages.problem.views import texts
from ucbpe_app.pages.problem.views.upload import Upload
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from panel.viewable import Viewable

    from ucbpe_app.pages.problem.experiment import ExperimentState
    from ucbpe_app.pages.problem.results import Results


class ResultsSection(pn.viewable.Viewer):
    """A file with results of an experiment."""

    def __init__(
        self, experiment: ExperimentState, attempt: Callable[[Awaitable[Any]], Awaitable[bool]]
    ) -> None:
        super().__init__()
        self.experiment, self._attempt = experiment, attempt
        self.upload = Upload(
            lambda name, content: run(partial(self._read, name, content)),
            label="Add results from a CSV file",
            hint="with a column candidate (or a label, or all inputs) and a column y",
            accept=".csv,.tsv,.txt",
            limit=MOST_BYTES,
        )
        self.told = texts.card()
        self.agree = button("Record these results", self._record, main=True, visible=False)
        self.cancel = button("Leave them out", self._forget)
        self._results: Results | None = None
        self._choices = column(styled("lab-actions", self.agree, self.cancel), visible=False)
        self._panel = styled("lab-part", self.upload, self.told, self._choices)

    def __panel__(self) -> Viewable:
        return self._panel

    async def _read(self, name: str, content: bytes) -> None:
        try:
            text, _ = decode(content)
            self._results = await self.experiment.read(text)
        except UCBPEError as error:
            self._forget()
            self.told.object = texts.fault(error)
            return
        self._show(name, self._results)

    def _show(self, name: str, found: Results) -> None:
        new = len(found.y)
        said = [
            (found.answers, "answers a proposed row", "answer proposed rows"),
            (new - found.answers, "is of another row", "are of other rows"),
            (
                found.again,
                "was recorded before and is left out",
                "were recorded before and are left out",
            ),
            (found.empty, "row has no value", "rows have no value"),
        ]
        parts = "; ".join(counted(count, one, many) for count, one, many in said if count)
        self.told.object = texts.note(f"{name}: {counted(new, 'new result')}. {parts}.")
        self.agree.param.update(visible=new > 0, label=f"Record {counted(new, 'result')}")
        self._choices.visible = True

    async def _record(self) -> None:
        found = self._results
        if found is None:
            return
        step = self.experiment.tell_values(list(found.candidates), list(found.y))
        if await self._attempt(step):
            self._forget()

    def _forget(self) -> None:
        self._results, self.told.object = None, ""
        self.agree.visible = self._choices.visible = False
