"""Your problem: a file with results of an experiment."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app.pages.problem.layout import Question, button, column, run, styled
from ucbpe_app.pages.problem.reading import WorksheetChoice
from ucbpe_app.pages.problem.results import read_results
from ucbpe_app.pages.problem.sentences import counted
from ucbpe_app.pages.problem.sheets.dialect import Reading
from ucbpe_app.pages.problem.sheets.limits import MOST_BYTES
from ucbpe_app.pages.problem.sheets.workbook import read_content, worksheets
from ucbpe_app.pages.problem.views import texts
from ucbpe_app.pages.problem.views.parts import Upload
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from panel.viewable import Viewable

    from ucbpe_app.pages.problem.experiment import ExperimentState
    from ucbpe_app.pages.problem.results import Results


class ResultsSection(pn.viewable.Viewer):
    """A file with results of an experiment: what it would add is said before it is recorded."""

    def __init__(
        self,
        experiment: ExperimentState,
        attempt: Callable[[Awaitable[Any]], Coroutine[Any, Any, bool]],
    ) -> None:
        super().__init__()
        self.experiment, self._attempt = experiment, attempt
        self.upload = Upload(
            lambda name, content: run(partial(self._load, name, content)),
            label="Add results from a CSV or Excel file",
            hint="with a column candidate (or a label, or all inputs) and a column y",
            accept=".csv,.tsv,.txt,.xlsx",
            limit=MOST_BYTES,
            paste="Or paste results",
            example="candidate, y\n17, 71.3\n23, 68.4 ± 0.5\n31, failed: the flask broke",
        )
        self.question, self.message = Question(), texts.card()
        self.worksheet = WorksheetChoice(lambda: run(self._read_other))
        self.worksheet.select.margin = (12, 0)
        self._file: tuple[str, bytes] = "", b""
        self._asked = Reading()
        self.agree = button("Record these results", self._record, main=True, visible=False)
        self.cancel = button("Leave them out", self._close)
        self._results: Results | None = None
        self.choices = column(styled("lab-actions", self.agree, self.cancel), visible=False)
        self._panel = styled(
            "lab-part", self.upload, self.worksheet, self.question, self.message, self.choices
        )

    def __panel__(self) -> Viewable:
        return self._panel

    async def _load(self, name: str, content: bytes) -> None:
        self._forget()
        try:
            names = await self.experiment.work(worksheets, content)
        except UCBPEError as error:
            self.message.object = texts.fault(error)
        else:
            self._file, self._asked = (name, content), Reading()
            self.worksheet.offer(names, None)
            await self._read(self._asked)

    async def _read_other(self) -> None:
        asked = self.worksheet.asked
        if asked != self._asked.worksheet:
            await self._read(Reading(worksheet=asked))

    async def _read(self, reading: Reading) -> None:
        state, (name, content) = self.experiment, self._file
        self._forget()
        self._asked = reading
        try:
            text, remarks, read = await state.work(read_content, content, reading)
            results = await state.work(read_results, text, state.current, read)
        except UCBPEError as error:
            asks = self.question.ask_reading(error, reading, self._read)
            fault = texts.fault(error) + texts.note(self.worksheet.others(error))
            self.message.object = texts.note("") if asks else fault
        else:
            words = " ".join([f"{name}:", *remarks, _words(results)])
            self._results, self.message.object = results, texts.note(words)
            count = counted(len(results.entries), "result")
            self.agree.param.update(visible=bool(results.entries), label=f"Record {count}")
            self.choices.visible = True

    async def _record(self) -> None:
        results = self._results
        if results is not None:
            step = self.experiment.step(results.record)
            if await self._attempt(step):
                self._close()

    def _close(self) -> None:
        """Done with the file."""
        self._asked = Reading()
        self.worksheet.offer((), None)
        self._forget()

    def _forget(self) -> None:
        self._results, self.message.object = None, texts.note("")
        self.question.ask("", {})
        self.agree.visible = self.choices.visible = False


def _words(results: Results) -> str:
    """What a file would add, and what is left out of it."""
    new = len(results.entries)
    counts = [
        (results.answers, "answers a proposed row", "answer proposed rows"),
        (new - results.answers, "is of another row", "are of other rows"),
        (results.failed, "is a run that failed", "are runs that failed"),
        (
            results.again,
            "was recorded before and is left out",
            "were recorded before and are left out",
        ),
        (results.empty, "row has no value", "rows have no value"),
    ]
    parts = "; ".join(
        counted(count, singular, plural) for count, singular, plural in counts if count
    )
    return " ".join([f"{counted(new, 'new result')}. {parts}.", *results.remarks])
