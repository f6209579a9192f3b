"""Your problem: the rows of an experiment, with fields for results, and what is known of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.components.tabs import row, tabs, title, titled
from ucbpe_app.pages.fields import COMPACT
from ucbpe_app.pages.problem import rows
from ucbpe_app.pages.problem.experiment import Faults
from ucbpe_app.pages.problem.layout import column, run
from ucbpe_app.pages.problem.rows import Order, Show
from ucbpe_app.pages.problem.sentences import (
    counted,
    entry_words,
    moment,
    recorded,
    row_words,
    withdrawn,
)
from ucbpe_app.pages.problem.views import texts
from ucbpe_app.pages.problem.views.tables import RowsView
from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.pictures.experiment import RESULTS, Result, results
from ucbpe_app.pictures.field import FIELD
from ucbpe_app.pictures.plane import LARGE_PLANE, PLANE
from ucbpe_app.pictures.small_curve import SMALL_CURVE
from ucbpe_app.pictures.small_field import SMALL_FIELD
from ucbpe_app.render.bokeh import BokehPicture
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.notation import sentences
from ucbpe_app.run.screen import Layers
from ucbpe_core.validation import sign_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from datetime import tzinfo

    import param
    from panel.viewable import Viewable

    from ucbpe_app.pages.problem.experiment import ExperimentState
    from ucbpe_app.pages.problem.frame import ExperimentFrame
    from ucbpe_app.pictures.picture import Picture, RunKind
    from ucbpe_core.experiment import Experiment

_LISTS = ("chart", "measurements", "all rows", "posterior", "journal")
_CHART, _MEASURED, _ALL, _POSTERIOR, _JOURNAL = _LISTS
_NOTHING = "No row is proposed. Propose some, or enter results for any row under all rows."
_RECENT = 12  # entries of the journal on screen
_NO_TRUTH = Layers(truth=False)
_LARGE = (CURVE, FIELD, LARGE_PLANE)
SMALL = (SMALL_CURVE, SMALL_FIELD, PLANE)


class PosteriorFigures(pn.viewable.Viewer):
    """The posterior over the table, in the kind of picture that the number of inputs has."""

    def __init__(self, kinds: Sequence[RunKind], *, beside: RunKind | None = None) -> None:
        super().__init__()
        self._kinds, self._beside = kinds, beside
        self._made: dict[RunKind, PictureView] = {}
        self._panel = pn.Column(sizing_mode="stretch_width", margin=0)

    def __panel__(self) -> Viewable:
        return self._panel

    def load(self, picture: ExperimentFrame) -> None:
        """Show where an experiment stands. Only the pictures in use are in the page."""
        kind = self._kinds[min(picture.scene.dimension, len(self._kinds)) - 1]
        beside = None if kind is self._kinds[-1] else self._beside
        shown = [self._view(one) for one in (kind, beside) if one is not None]
        with pn.io.hold():
            for view in shown:
                view.load(picture.scene)
                view.update(picture.frame)
                view.show(_NO_TRUTH)
            panels = [view.panel for view in shown]
            if self._panel.objects != panels:
                self._panel.objects = panels

    def _view(self, kind: RunKind) -> PictureView:
        # Making one takes a while, so that it waits until it is needed.
        if kind not in self._made:
            self._made[kind] = PictureView(kind)
        return self._made[kind]


class RowsSection:
    """`proposed` has fields for results, `others` the lists below; both are to be laid out.

    `attempt` runs a step of the experiment and says what is wrong with it; true if nothing is.
    """

    def __init__(
        self, experiment: ExperimentState, attempt: Callable[[Awaitable[Any]], Awaitable[bool]]
    ) -> None:
        self.experiment, self._attempt = experiment, attempt
        self.proposed = RowsView(
            lambda *asked: run(partial(self._record, self.proposed, *asked)),
            on_remove=lambda key: run(partial(self._withdraw, key)),
            on_action=lambda name: run(partial(self._act, name)),
            caption="Proposed rows", status="", field="result", remove="Withdraw this pick",
            nothing=_NOTHING, styles={"--row-height": "56px"},
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
        self.chart, self.journal = BokehPicture(RESULTS), texts.card()
        self.posterior = PosteriorFigures(_LARGE, beside=PLANE)
        self.choice, self._title = tabs(list(_LISTS)), title()
        filters = pn.Row(
            self.show, self.order, self.find, sizing_mode="stretch_width", margin=0,
            styles={"gap": "8px"},
        )  # fmt: skip
        self._lists = {
            _CHART: self.chart.panel,
            _MEASURED: self.measured,
            _ALL: column(filters, self.all),
            _POSTERIOR: self.posterior,
            _JOURNAL: self.journal,
        }
        self._list = column(self.chart.panel)
        self.others = column(row(self._title, self.choice), self._list)
        self.choice.param.watch(self._choose, "value")
        for widget in (self.show, self.order, self.find):
            widget.param.watch(self._filter, "value")
        for view in (self.measured, self.all):
            view.param.watch(self._load_list, "wanted")

    def load(self) -> None:
        """Show where the experiment stands."""
        experiment = self.experiment.current
        store = f"ucbpe-typed:{experiment.id}"
        self.proposed.param.update(
            store=f"{store}:proposed", actions=actions(experiment), output=experiment.table.output
        )
        self.all.param.update(store=f"{store}:rows")
        self.proposed.load(rows.proposals(experiment, self.experiment.picture.frame))
        self._title.object = titled(recorded(experiment))
        self._load_list()

    def _load_list(self, *_: param.parameterized.Event) -> None:
        """Only the list that is on screen."""
        state, experiment = self.experiment, self.experiment.current
        if experiment is None:
            return
        match self.choice.value:
            case "chart":
                self.chart.draw(results_of(experiment))
            case "measurements":
                self.measured.load(rows.measurements(experiment, state.zone, self.measured.wanted))
            case "all rows":
                show, order = Show(self.show.value), Order(self.order.value)
                asked = show, order, self.find.value, self.all.wanted
                self.all.load(rows.candidates(experiment, state.picture.frame, *asked))
            case "posterior":
                self.posterior.load(state.picture)
            case "journal":
                self._load_journal(experiment, state.zone)

    def _load_journal(self, experiment: Experiment, where: tzinfo) -> None:
        journal = experiment.journal
        entries = [
            (entry_words(one), moment(one.time, where), not one.counts)
            for one in reversed(journal[-_RECENT:])
        ]
        counts = counted(len(journal), "entry", "entries")
        self.journal.object = texts.journal(f"Journal, {counts}", entries)

    def _choose(self, event: param.parameterized.Event) -> None:
        with pn.io.hold():
            self._list.objects = [self._lists[event.new]]
            self._load_list()

    def _filter(self, _: param.parameterized.Event) -> None:
        if self.all.wanted:
            self.all.wanted = 0  # which loads the list
        else:
            self._load_list()

    async def _act(self, name: str) -> None:
        await self._attempt(getattr(self.experiment, name)())

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


def actions(experiment: Experiment) -> list[list[Any]]:
    """The buttons beside that which records: name of a step, label, and whether it is filled."""
    history, size = experiment.history, experiment.policy.batch_size
    found: list[list[Any]] = []
    if experiment.excluded:
        found.append(["allow", withdrawn(experiment), False])
    if history.pending:
        found.append(["withdraw_rest", "Withdraw the rest", False])
    if not history.untouched:
        more = "more" if history.batches else counted(size, "row").split()[1]
        found.append(["ask", f"Propose {size} {more}", not history.pending])
    return found


def results_of(experiment: Experiment) -> Picture:
    """The chart of what was measured, and of what was given up."""
    history = experiment.history
    made = [Result(one.t, one.role, one.y) for one in history.measured if one.y is not None]
    made += [Result(one.t, one.role, None) for one in history.gone]
    now = history.batches[-1].t if history.open_picks else None
    best = "" if history.best is None else row_words(experiment.table, history.best.index)
    return results(made, now, sign_of(experiment.plan.direction), best)
