"""Your problem: a file with results of an experiment, and what a person may say of its reading."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.problem import texts
from ucbpe_app.problem.layout import Question, button, column, run, styled
from ucbpe_app.problem.results import read_results
from ucbpe_app.problem.sentences import counted
from ucbpe_app.problem.sheets.limits import MOST_BYTES, check_bytes
from ucbpe_app.problem.views import Upload
from ucbpe_app.widgets.fields import COMPACT
from ucbpe_app.widgets.form import group_heading
from ucbpe_core import UCBPEError
from ucbpe_core.tables.dialect import DECIMALS, SEPARATORS, Reading
from ucbpe_core.tables.times import MINUTES
from ucbpe_core.tables.workbook import read_content, worksheets

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

    from panel.viewable import Viewable

    from ucbpe_app.problem.experiment import ExperimentState
    from ucbpe_app.problem.results import Results


_DETECT = "detect"
# The label of each field of `Reading`, and the words for its values.
_FIELDS: dict[str, tuple[str, dict[Any, str]]] = {
    "separator": ("Separator", SEPARATORS),
    "decimal": ("Decimal", DECIMALS),
    "header": ("First line", {True: "names", False: "data"}),
    "minutes": ("Times", MINUTES),
}


class WorksheetChoice(pn.viewable.Viewer):
    """Which worksheet of a workbook is read; there if it has several in sight.

    `read` is called when a person has chosen.
    """

    def __init__(self, read: Callable[[], Any]) -> None:
        super().__init__()
        self.select = pmui.Select(label="Worksheet", options=[], visible=False, **COMPACT)
        self.select.param.watch(lambda _: read(), "value")

    def __panel__(self) -> Viewable:
        return self.select

    @property
    def asked(self) -> str | None:
        """What a person has asked for; None for the first, which is read unasked."""
        names, name = self.select.options, self.select.value
        return None if not names or name == names[0] else name

    def offer(self, names: Sequence[str], name: str | None) -> None:
        """Offer these, with this one chosen, or else the first."""
        first = names[0] if names else None
        self.select.param.update(options=list(names), value=name or first, visible=len(names) > 1)

    def others(self, error: UCBPEError | None) -> str:
        """Where the table may be, if the one that is read cannot be used."""
        names = [name for name in self.select.options if name != self.select.value]
        if error is None or not names:
            return ""
        return f"Worksheet {self.select.value} was read. Others to choose: {', '.join(names)}."


class ReadingForm(pn.viewable.Viewer):
    """How a file is read: each setting as detected, unless a person has chosen.

    `read` is called when one has.
    """

    def __init__(self, read: Callable[[], Any]) -> None:
        super().__init__()
        self.worksheet = WorksheetChoice(read)
        self.selects = {name: _select(name) for name in _FIELDS}
        for select in self.selects.values():
            select.param.watch(lambda _: read(), "value")
        self._heading = group_heading("How it is read")
        self._panel = column(self._heading, self.worksheet, *self.selects.values())

    def __panel__(self) -> Viewable:
        return self._panel

    @property
    def asked(self) -> Reading:
        """What a person has asked for."""
        values = {name: select.value for name, select in self.selects.items()}
        chosen = {name: None if value == _DETECT else value for name, value in values.items()}
        return Reading(**chosen, worksheet=self.worksheet.asked)

    def offer(self, asked: Reading, worksheets: Sequence[str], *, table: bool) -> None:
        """Show what is asked for of a file; of ranges, which are no table, nothing can be."""
        self._heading.visible = table
        self.worksheet.offer(worksheets, asked.worksheet)
        open_fields = _open_fields(asked, worksheets) if table else ()
        for name, select in self.selects.items():
            value = getattr(asked, name)
            select.param.update(
                visible=name in open_fields, value=_DETECT if value is None else value
            )

    def facts(self, read: Reading) -> list[tuple[str, str]]:
        """How a table was read, in words."""
        names = _open_fields(read, self.worksheet.select.options)
        return [(_FIELDS[name][0], _FIELDS[name][1][getattr(read, name)]) for name in names]


def _select(name: str) -> pmui.Select:
    label, choices = _FIELDS[name]
    options = {"detected": _DETECT, **{text: key for key, text in choices.items()}}
    return pmui.Select(label=label, options=options, value=_DETECT, **COMPACT)


def _open_fields(reading: Reading, worksheets: Sequence[str]) -> list[str]:
    """What there is to say: no separators of a workbook, nothing of times without any."""
    closed = {"separator": bool(worksheets), "minutes": reading.minutes is None}
    return [name for name in _FIELDS if not closed.get(name)]


class ResultsSection(pn.viewable.Viewer):
    """A file with results of an experiment: what it would add is shown before it is recorded."""

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
            check_bytes(content)
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
