"""Your problem, the table: bring one, say what its columns are for, and choose what to do."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app import theme
from ucbpe_app.problem import texts
from ucbpe_app.problem.layout import (
    Asked,
    Question,
    Questions,
    actions,
    button,
    column,
    heading,
    run,
    styled,
)
from ucbpe_app.problem.results_section import ReadingForm
from ucbpe_app.problem.sentences import counted
from ucbpe_app.problem.settings import GOALS
from ucbpe_app.problem.sheets.data import EXAMPLES
from ucbpe_app.problem.sheets.draft import Draft
from ucbpe_app.problem.sheets.draft import question as text_question
from ucbpe_app.problem.sheets.limits import MOST_BYTES, MOST_FILE_BYTES, SPOKEN
from ucbpe_app.problem.sheets.ranges import RangesDraft
from ucbpe_app.problem.views import SheetView, Upload
from ucbpe_app.run.notation import sentences, short
from ucbpe_app.widgets.fields import COMPACT
from ucbpe_app.widgets.form import group_heading
from ucbpe_core.tables.columns import lines_words
from ucbpe_core.tables.roles import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    import param
    from panel.viewable import Viewable

    from ucbpe_app.html import Html
    from ucbpe_app.problem.foreign.opening import OpenRun
    from ucbpe_app.problem.sheets.data import Example, TableData
    from ucbpe_app.problem.views import SavedExperiments

_EMPTY = "No table yet. Paste one, choose a file, or try an example."
_WHAT = (
    "Each row of a table of candidates is one thing that can be measured, with its inputs in "
    "columns.",
    "Such a list states almost any constraint: leave out the rows that cannot be set.",
    "Without a list, write ranges in the same field, as in the example. Sums work too, such as "
    "oil + water = 1.",
    "With a value in every row you can simulate: watch policies find the best row. Without, or "
    "with a few, you can run an experiment: the laboratory proposes which rows to measure next.",
)
_NO_VALUE = "Which column is the value to optimise? Choose it in the row 'used as'."
_EXAMPLE = (
    "temperature,time,yield\n60,5,71.2\n— or —\ntemperature: 60 to 100\nsolvent: water, ethanol"
)
_LONGEST_NAME = 80
_COUNTED = ("the question", "the questions")


def _assigned(name: str, role: Role, draft: Draft) -> Draft:
    return draft.assign({name: role})


class TableSection(pn.viewable.Viewer):
    """The table that a person brings.

    Parameters
    ----------
    data : its state
    simulate, experiment : what the buttons do that begin one
    open_file : takes the content of a saved experiment
    saved : the experiments that the browser has saved
    opening : opens a run of another tool
    """

    def __init__(
        self,
        data: TableData,
        simulate: Callable[[], Coroutine[Any, Any, None]],
        experiment: Callable[[], Coroutine[Any, Any, None]],
        open_file: Callable[[bytes], Coroutine[Any, Any, None]],
        saved: SavedExperiments,
        opening: OpenRun,
    ) -> None:
        super().__init__()
        self.data = data
        self.upload = Upload(
            self._load, label="Choose a CSV or Excel file", hint="or drop it here, up to 5 MB",
            accept=".csv,.tsv,.txt,.xlsx", limit=MOST_BYTES,
            paste="or paste a table, or ranges", example=_EXAMPLE,
        )  # fmt: skip
        self.saved = Upload(
            lambda _, content: run(partial(open_file, content)),
            label="Open a saved experiment",
            hint="a file that ends in .ucbpe.json",
            accept=".json",
            limit=MOST_FILE_BYTES,
        )
        self.sheet = SheetView(lambda *choice: run(partial(self._use, *choice)))
        self.fault, self.facts, self.status = texts.card(), texts.card(), texts.card()
        self.question, self.questions = Question(), Questions()
        self.simulate = button("Simulate this table", simulate, disabled=True)
        self.experiment = button("Run an experiment", experiment, main=True, disabled=True)
        self._saved, self._opening = saved, opening
        self.reading = ReadingForm(lambda: run(self._read_as))
        self.title = pmui.TextInput(label="Name", value=data.title, **COMPACT)
        self.goal = pmui.Select(label="Goal", options=list(GOALS), **COMPACT)
        self.noise = pmui.FloatInput(
            label="Noise added when simulated (variance)", value=0.0, start=0.0, **COMPACT
        )
        self.left_out = pmui.TextInput(
            label="Rows left out, by line", placeholder="5, 12-14", **COMPACT
        )
        self._panel = self._layout()
        data.param.watch(self._show, ["draft", "error"])
        self.left_out.param.watch(self._leave_out, "value")
        self.title.param.watch(self._rename, "value")
        self._show()

    def __panel__(self) -> Viewable:
        return self._panel

    def _layout(self) -> pn.Column:
        examples = [
            styled(
                "lab-choice",
                button(f"Example: {example.name}", partial(self._try, example)),
                styled("lab-choice-text", texts.card(texts.paragraphs("", [example.purpose]))),
            )
            for example in EXAMPLES
        ]
        self._preview = styled("lab-part", heading("What the columns are for"), self.sheet)
        bring = styled("lab-part", heading("Load a table of candidates"), self.upload, *examples)
        self._options = column(
            self.reading,
            self.left_out,
            group_heading("Use"),
            self.title,
            self.goal,
            self.noise,
        )
        return theme.columns(
            column(self.fault, self.question, self.questions, self._saved, self._preview, bring),
            actions(self.status, self.simulate, self.experiment),
            theme.styled("lab-card", self.facts),
            self._options,
            column(group_heading("Go on with an experiment"), self.saved),
            column(group_heading("Open a run of another tool"), self._opening),
        )

    def _load(self, name: str, content: bytes) -> None:
        name = PurePath(name).stem[:_LONGEST_NAME] or "Table"
        run(partial(self.data.load, content, name))

    def _try(self, example: Example) -> Coroutine[Any, Any, bool]:
        return self.data.load(example.text.encode(), "Extraction", confirmed=True)

    async def _read_as(self) -> None:
        reading = self.reading.asked
        if reading != self.data.asked:
            await self.data.read_as(reading)

    def _change(self, make: Callable[[Draft], Draft]) -> None:
        run(partial(self.data.change, make))

    async def _use(self, column: str, role: Role, request: int) -> None:
        await self.data.change(lambda draft: draft.assign({column: role}))
        self.sheet.answered = request

    def _leave_out(self, event: param.parameterized.Event) -> None:
        # Not for what `_show` writes; but lines that are right again remove the error.
        draft = self.data.draft
        if draft and (event.new != lines_words(draft.left_out) or self.data.error is not None):
            self._change(lambda draft: draft.leave_out(event.new))

    def _rename(self, event: param.parameterized.Event) -> None:
        self.data.title = event.new.strip()[:_LONGEST_NAME] or "Table"

    def _show(self, *events: param.parameterized.Event) -> None:
        data, draft = self.data, self.data.draft
        with pn.io.hold():
            if draft is not None and any(event.name == "draft" for event in events):
                self.left_out.value = lines_words(draft.left_out)
            table = not isinstance(draft, RangesDraft)
            self.left_out.visible = table
            self.reading.offer(data.asked, data.worksheets, table=table)
            unclear = self.question.ask_reading(data.error, data.asked, data.read_as)
            self.questions.ask({} if unclear else self._open())
            asked = draft and draft.confirmed and draft.unreadable and data.error is draft.chosen
            fault = texts.fault(data.error) + texts.note(self.reading.worksheet.others(data.error))
            self.fault.object = texts.note("") if unclear or asked else fault
            self.sheet.load(draft)
            self._preview.visible = draft is not None
            self._options.visible = data.can_be_read
            self.title.value = data.title
            self.facts.object = self._facts()
            self.status.object = texts.status(self._standing())
            ready = draft is not None and draft.ready
            self.experiment.disabled = not ready
            self.simulate.disabled = not (ready and draft.table.complete)

    def _open(self) -> Asked:
        """The open questions: the value, what cannot be read, and the use of each text.

        Each answer names what it is about: by its turn, the table may have changed.
        """
        draft = self.data.draft
        asked: dict[str, tuple[str, dict[str, Callable[[Draft], Draft]]]] = {}
        if draft is None:
            return {}
        if not draft.confirmed:
            name = draft.value
            if name is None:
                text, label = _NO_VALUE, "No value is measured yet"
            else:
                text = f"Is {name} the value to optimise? If not, choose it in the row 'used as'."
                label = f"Yes, optimise {short(name)}"
            asked["value"] = text, {label: lambda draft: draft.confirm(name)}
        elif lines := {cell.line for cell in draft.unreadable}:
            label = f"Leave out {counted(len(lines), 'row')}"
            answer = {label: lambda draft: draft.leave_out_unreadable(lines)}
            asked["rows"] = sentences(draft.chosen), answer
        for column_ in draft.open_texts:
            asked[f"text {column_.name}"] = (
                text_question(column_),
                {
                    "Yes, a category": partial(_assigned, column_.name, Role.CATEGORY),
                    "Leave it out": partial(_assigned, column_.name, Role.LABEL),
                },
            )
        return {
            about: (text, {one: partial(self._change, do) for one, do in answers.items()})
            for about, (text, answers) in asked.items()
        }

    def _facts(self) -> Html:
        draft = self.data.draft
        if draft is None:
            return texts.paragraphs("What is a table of candidates?", (*_WHAT, SPOKEN))
        if isinstance(draft, RangesDraft):
            return texts.facts("Made of ranges", (), (*draft.made.remarks, SPOKEN))
        rows = self.reading.facts(draft.sheet.reading)
        remarks = (draft.table or draft.sheet).remarks
        return texts.facts("What was read", rows, (*remarks, SPOKEN))

    def _standing(self) -> str:
        draft = self.data.draft
        if draft is None:
            return "See the question above." if self.question.visible else _EMPTY
        table = draft.table
        if table is None:
            return "Not usable yet: see the notice above."
        values = len(table.known[0])
        known = counted(values, "value") + " known"
        size = f"{counted(len(table), 'row')}, {counted(len(table.names), 'input')}"
        if self.questions.asked:
            asked = _COUNTED[len(self.questions.asked) > 1]
            return f"{size}, {known}. See {asked} above the table."
        if table.complete:
            return f"{size}, every value known: simulate, or take them as measured."
        if values:
            return f"{size}, {known}: they count as measured."
        if isinstance(draft, RangesDraft):
            names = counted(len(draft.design.names), "input")
            return f"{counted(len(table), 'setting')} of {names}: run an experiment to measure."
        column = "" if Role.VALUE in draft.roles else ", no value column"
        return f"{size}{column}: run an experiment to measure."
