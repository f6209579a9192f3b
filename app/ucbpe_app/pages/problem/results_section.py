"""Your problem: a file with results of an experiment."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app.pages.problem.layout import DecimalQuestion, button, column, run, styled
from ucbpe_app.pages.problem.sentences import counted
from ucbpe_app.pages.problem.sheets.dialect import decode
from ucbpe_app.pages.problem.sheets.limits import MOST_BYTES
from ucbpe_app.pages.problem.views import texts
from ucbpe_app.pages.problem.views.parts import Upload
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
        self.decimal = DecimalQuestion(self._read_as)
        self.told = texts.card()
        self.agree = button("Record these results", self._record, main=True, visible=False)
        self.cancel = button("Leave them out", self._forget)
        self._results: Results | None = None
        self._source = ("", "")  # name and text of the last file
        self._choices = column(styled("lab-actions", self.agree, self.cancel), visible=False)
        self._panel = styled("lab-part", self.upload, self.decimal, self.told, self._choices)

    def __panel__(self) -> Viewable:
        return self._panel

    async def _read(self, name: str, content: bytes) -> None:
        self._forget()
        try:
            text, _ = decode(content)
        except UCBPEError as error:
            self.told.object = texts.fault(error)
            return
        self._source = name, text
        await self._read_as(None)

    async def _read_as(self, decimal: str | None) -> None:
        name, text = self._source
        self._forget()
        try:
            self._results = await self.experiment.read(text, decimal)
        except UCBPEError as error:
            asks = self.decimal.ask(error)
            self.told.object = "" if asks else texts.fault(error)
            return
        self._show(name, self._results)

    def _show(self, name: str, found: Results) -> None:
        new = len(found.y)
        counts = [
            (found.answers, "answers a proposed row", "answer proposed rows"),
            (new - found.answers, "is of another row", "are of other rows"),
            (
                found.again,
                "was recorded before and is left out",
                "were recorded before and are left out",
            ),
            (found.empty, "row has no value", "rows have no value"),
        ]
        parts = "; ".join(counted(count, one, many) for count, one, many in counts if count)
        said = " ".join([f"{name}: {counted(new, 'new result')}. {parts}.", *found.remarks])
        self.told.object = texts.note(said)
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
        self.decimal.ask(None)
        self.agree.visible = self._choices.visible = False
