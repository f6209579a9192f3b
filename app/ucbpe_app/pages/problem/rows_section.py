"""Your problem, the rows of an experiment, with fields for results, and results from a file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.pages.fields import COMPACT
from ucbpe_app.pages.problem import rows
from ucbpe_app.pages.problem.experiment import Faults
from ucbpe_app.pages.problem.layout import DecimalQuestion, button, column, heading, run, styled
from ucbpe_app.pages.problem.rows import Order, Show
from ucbpe_app.pages.problem.sentences import counted
from ucbpe_app.pages.problem.sheets.dialect import decode
from ucbpe_app.pages.problem.sheets.limits import MOST_BYTES
from ucbpe_app.pages.problem.views import texts
from ucbpe_app.pages.problem.views.parts import Upload
from ucbpe_app.pages.problem.views.tables import RowsView
from ucbpe_app.run.notation import sentences
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    import param
    from panel.viewable import Viewable

    from ucbpe_app.pages.problem.experiment import ExperimentState
    from ucbpe_app.pages.problem.results import Results

_LISTS = ("Measurements", "All rows")
_NOTHING = "No row is proposed. Propose a batch, or enter results for any row under All rows."


class RowsSection:
    """Tables with fields for results; `proposed` and `others` are to be laid out.

    `attempt` runs a step of the experiment and says what is wrong with it; true if nothing is.
    """

    def __init__(
        self, experiment: ExperimentState, attempt: Callable[[Awaitable[Any]], Awaitable[bool]]
    ) -> None:
        self.experiment, self._attempt = experiment, attempt
        self.proposals = RowsView(
            lambda *asked: run(partial(self._record, self.proposals, *asked)),
            on_remove=lambda key: run(partial(self._withdraw, key)),
            caption="Proposed rows", status="", field="result", remove="Withdraw this pick",
            reasons=True,
            nothing=_NOTHING,
        )  # fmt: skip
        self.measured = RowsView(
            lambda *asked: run(partial(self._correct, *asked)),
            caption="Measurements", field="value", verb="Correct", one="value", many="values",
            clears=True, parted=True, nothing="Nothing is measured yet.",
        )  # fmt: skip
        self.all = RowsView(
            lambda *asked: run(partial(self._record, self.all, *asked)),
            caption="All rows", field="result", parted=True, nothing="No row matches.",
        )  # fmt: skip
        self.show = pmui.Select(label="Show", options=[one.value for one in Show], **COMPACT)
        self.order = pmui.Select(label="Order", options=[one.value for one in Order], **COMPACT)
        self.find = pmui.TextInput(label="Find", placeholder="candidate, label or input", **COMPACT)
        self.choice = pmui.RadioButtonGroup(
            options=list(_LISTS), value=_LISTS[0], size="small", margin=(0, 0, 8, 0),
            sx={"& .MuiToggleButton-root": {"textTransform": "none"}},
        )  # fmt: skip
        filters = pn.Row(
            self.show, self.order, self.find, sizing_mode="stretch_width", margin=0,
            styles={"gap": "8px"},
        )  # fmt: skip
        self._lists = {
            _LISTS[0]: self.measured,
            _LISTS[1]: column(filters, self.all),
        }
        self._list = column(self.measured)
        self.proposed = styled("lab-part", heading("Proposed rows"), self.proposals)
        self.others = styled("lab-part", self.choice, self._list)
        self.choice.param.watch(self._choose, "value")
        for widget in (self.show, self.order, self.find):
            widget.param.watch(self._filter, "value")
        for view in (self.measured, self.all):
            view.param.watch(self._load_list, "wanted")

    def load(self) -> None:
        """Show where the experiment stands."""
        experiment = self.experiment.current
        store = f"ucbpe-typed:{experiment.id}"
        self.proposals.param.update(store=f"{store}:proposed")
        self.all.param.update(store=f"{store}:rows")
        self.proposals.load(rows.proposals(experiment))
        self._load_list()

    def _load_list(self, *_: param.parameterized.Event) -> None:
        """Only the list that is on screen."""
        experiment = self.experiment
        if experiment.current is None:
            return
        if self.choice.value == _LISTS[0]:
            page = rows.measurements(experiment.current, experiment.zone, self.measured.wanted)
            self.measured.load(page)
        else:
            frame = experiment.picture.frame
            show, order = Show(self.show.value), Order(self.order.value)
            page = rows.candidates(
                experiment.current, frame, show, order, self.find.value, self.all.wanted
            )
            self.all.load(page)

    def _choose(self, event: param.parameterized.Event) -> None:
        with pn.io.hold():
            self._list.objects = [self._lists[event.new]]
            self._load_list()

    def _filter(self, _: param.parameterized.Event) -> None:
        if self.all.wanted:
            self.all.wanted = 0  # which loads the list
        else:
            self._load_list()

    async def _record(self, view: RowsView, request: int, texts: Mapping[str, str]) -> None:
        await self._try(view, request, texts, self.experiment.tell(texts))

    async def _correct(self, request: int, texts: Mapping[str, str]) -> None:
        await self._try(self.measured, request, texts, self.experiment.correct(texts))

    async def _withdraw(self, key: str) -> None:
        await self._attempt(self.experiment.withdraw(key))

    async def _try(
        self, view: RowsView, request: int, texts: Mapping[str, str], step: Awaitable[Any]
    ) -> None:
        """One step from a table; what is wrong is said at the fields, which keep their texts."""
        view.busy, recorded, fault, faults = True, False, view.fault, view.faults
        try:
            recorded = await self._attempt(step)
        except Faults as wrong:
            faults = {key: sentences(error) for key, error in wrong.errors.items()}
            fault = "Nothing was recorded: see the fields in red."
        finally:
            if recorded:
                view.settle(request, list(texts))
            else:
                view.settle(request, [], fault, faults)
            view.busy = False


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
