"""Your problem: a file with results of an experiment."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app.pages.problem.layout import Question, button, column, run, styled
from ucbpe_app.pages.problem.results import read_results
from ucbpe_app.pages.problem.sentences import counted
from ucbpe_app.pages.problem.sheets.limits import MOST_BYTES
from ucbpe_app.pages.problem.sheets.workbook import read_content
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
            lambda name, content: run(partial(self._read, name, content)),
            label="Add results from a CSV or Excel file",
            hint="with a column candidate (or a label, or all inputs) and a column y",
            accept=".csv,.tsv,.txt,.xlsx",
            limit=MOST_BYTES,
            paste="Or paste results",
            example="candidate, y\n17, 71.3\n23, 68.4 ± 0.5\n31, failed: the flask broke",
        )
        self.question, self.message = Question(), texts.card()
        self.agree = button("Record these results", self._record, main=True, visible=False)
        self.cancel = button("Leave them out", self._forget)
        self._results: Results | None = None
        self.choices = column(styled("lab-actions", self.agree, self.cancel), visible=False)
        self._panel = styled("lab-part", self.upload, self.question, self.message, self.choices)

    def __panel__(self) -> Viewable:
        return self._panel

    async def _read(self, name: str, content: bytes, decimal: str | None = None) -> None:
        state = self.experiment
        self._forget()
        try:
            text, _, reading = await state.work(read_content, content)
            mark = decimal or reading.decimal
            results = await state.work(read_results, text, state.current, mark)
        except UCBPEError as error:
            asks = self.question.ask_decimal(error, partial(self._read, name, content))
            self.message.object = texts.fault(None if asks else error)
        else:
            self._results, self.message.object = results, texts.note(f"{name}: {_words(results)}")
            count = counted(len(results.entries), "result")
            self.agree.param.update(visible=bool(results.entries), label=f"Record {count}")
            self.choices.visible = True

    async def _record(self) -> None:
        results = self._results
        if results is not None:
            step = self.experiment.step(results.record)
            if await self._attempt(step):
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
