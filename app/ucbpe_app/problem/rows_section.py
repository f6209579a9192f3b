"""Your problem: the rows of an experiment with fields for results, and its measurements."""

from __future__ import annotations

from functools import cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.pictures.experiment import RESULTS, Result, results
from ucbpe_app.pictures.plane import LARGE_PLANE, PLANE
from ucbpe_app.pictures.small import SMALL_CURVE, SMALL_FIELD
from ucbpe_app.problem import rows, texts
from ucbpe_app.problem.entries import Faults, correct, faults_of, record, withdraw
from ucbpe_app.problem.layout import column, run
from ucbpe_app.problem.rows import Order, Show
from ucbpe_app.problem.sentences import counted, entry_words, moment, recorded, trial_words
from ucbpe_app.problem.views import RowsView
from ucbpe_app.render.bokeh import OWN_HEIGHT, BokehPicture, filling
from ucbpe_app.render.view import PictureView, main_kind
from ucbpe_app.run.notation import sentences
from ucbpe_app.run.screen import Layers
from ucbpe_app.widgets.fields import COMPACT
from ucbpe_app.widgets.tabs import row, tabs, title, titled
from ucbpe_core.search.experiment import Experiment
from ucbpe_core.support.validation import sign_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence

    import param
    from panel.viewable import Viewable

    from ucbpe_app.pictures.picture import Picture, RunKind
    from ucbpe_app.problem.experiment import ExperimentState
    from ucbpe_app.run.frames import Frame, Scene

_NOTHING = "No row is proposed. Propose some, or enter results for any row under all rows."
_RECENT = 12  # entries of the journal on screen
_NO_TRUTH = Layers(truth=False)
_STEPS: dict[str, Callable[[Experiment], object]] = {
    "ask": Experiment.ask,
    "allow": Experiment.allow,
    "withdraw_rest": lambda experiment: experiment.withdraw(list(experiment.pending)),
}


def large(scene: Scene) -> Sequence[RunKind]:
    """The posterior, and with few inputs the decision plane."""
    main = main_kind(scene)
    return (main,) if main is LARGE_PLANE else (main, PLANE)


def small(scene: Scene) -> Sequence[RunKind]:
    """The posterior alone."""
    return ((SMALL_CURVE, SMALL_FIELD, PLANE)[min(scene.dimension, 3) - 1],)


class PosteriorFigures(pn.viewable.Viewer):
    """The posterior over the table, in the kinds of pictures that `kinds` gives for a scene.

    `options` are those of its column.
    """

    def __init__(self, kinds: Callable[[Scene], Sequence[RunKind]], **options: Any) -> None:
        super().__init__()
        self._kinds = kinds
        # Making one takes a while, so that it waits until it is needed.
        self._view = cache(PictureView)
        self._panel = pn.Column(sizing_mode="stretch_width", margin=0, **options)

    def __panel__(self) -> Viewable:
        return self._panel

    def load(self, scene: Scene, frame: Frame) -> None:
        """Show the state of an experiment. Only the pictures in use are in the page."""
        shown = [self._view(kind) for kind in self._kinds(scene)]
        with pn.io.hold():
            for view in shown:
                view.load(scene)
                view.update(frame)
                view.show(_NO_TRUTH)
            panels = [view.panel for view in shown]
            if self._panel.objects != panels:
                self._panel.objects = panels


class RowsSection:
    """`proposed` has fields for results, `others` the lists below; both are to be laid out.

    `attempt` runs a step of the experiment; it returns whether the step succeeded, else says why.
    """

    def __init__(
        self,
        experiment: ExperimentState,
        attempt: Callable[[Awaitable[Any]], Coroutine[Any, Any, bool]],
    ) -> None:
        self.experiment, self._attempt = experiment, attempt
        self.proposed = RowsView(
            self._ask,
            caption="Proposed rows", status="", field="result", remove="Withdraw this pick",
            keeps=True, undoes=True, nothing=_NOTHING, styles={"--row-height": "56px"},
        )  # fmt: skip
        self.measured = RowsView(
            self._ask,
            caption="Measurements", field="value", verb="Correct", noun="value",
            clears=True, nothing="Nothing is measured yet.",
        )  # fmt: skip
        self.all = RowsView(
            self._ask, caption="All rows", field="result", nothing="No row matches."
        )
        self.show = pmui.Select(label="Show", options=[show.value for show in Show], **COMPACT)
        self.order = pmui.Select(label="Order", options=[order.value for order in Order], **COMPACT)
        self.find = pmui.TextInput(label="Find", placeholder="candidate, label or input", **COMPACT)
        for widget in (self.show, self.order, self.find):
            widget.styles = {"flex": "1 1 168px"}  # as wide as what they say, also on a phone
        self.chart, self.journal = BokehPicture(RESULTS), texts.card()
        self.posterior = PosteriorFigures(large, styles=OWN_HEIGHT)
        filters = pn.Row(
            self.show, self.order, self.find, sizing_mode="stretch_width", margin=0,
            styles={"gap": "8px", "flex-wrap": "wrap"},
        )  # fmt: skip
        self._lists = {
            "chart": (self.chart.panel, self._load_chart),
            "measurements": (self.measured, self._load_measured),
            "all rows": (column(filters, self.all), self._load_all),
            "posterior": (self.posterior, self._load_posterior),
            "journal": (self.journal, self._load_journal),
        }
        self.choice, self._title = tabs(list(self._lists)), title()
        self._list = column(self.chart.panel, **filling(RESULTS))
        self.others = column(row(self._title, self.choice), self._list, **filling(RESULTS))
        self.choice.param.watch(self._choose, "value")
        for widget in (self.show, self.order, self.find):
            widget.param.watch(self._filter, "value")
        for view in (self.measured, self.all):
            view.param.watch(self._load_list, "wanted")

    def load(self) -> None:
        """Show the state of the experiment."""
        experiment = self.experiment.current
        for view in (self.proposed, self.measured, self.all):
            view.identity = experiment.id
        self.proposed.param.update(actions=actions(experiment), output=experiment.table.output)
        self.proposed.load(rows.proposals(experiment, self.experiment.picture.known))
        self._title.object = titled(recorded(experiment))
        self._load_list()

    def _load_list(self, *_: param.parameterized.Event) -> None:
        """Load only the list on screen."""
        if self.experiment.current is not None:
            self._lists[self.choice.value][1]()

    def _load_chart(self) -> None:
        self.chart.draw(results_of(self.experiment.current))

    def _load_measured(self) -> None:
        state, wanted = self.experiment, self.measured.wanted
        self.measured.load(rows.measurements(state.current, state.zone, wanted))

    def _load_all(self) -> None:
        state, show, order = self.experiment, Show(self.show.value), Order(self.order.value)
        asked = show, order, self.find.value, self.all.wanted
        self.all.load(rows.candidates(state.current, state.picture.frame, *asked))

    def _load_posterior(self) -> None:
        shown = self.experiment.picture
        self.posterior.load(shown.scene, shown.frame)

    def _load_journal(self) -> None:
        journal, where = self.experiment.current.journal, self.experiment.zone
        entries = [
            (entry_words(entry) + ("" if entry.counts else " (undone)"), moment(entry.time, where))
            for entry in reversed(journal[-_RECENT:])
        ]
        counts = counted(len(journal), "entry", "entries")
        self.journal.object = texts.facts(f"Journal, {counts}", entries)

    def _choose(self, event: param.parameterized.Event) -> None:
        with pn.io.hold():
            self._list.objects = [self._lists[event.new][0]]
            self._load_list()

    def _filter(self, _: param.parameterized.Event) -> None:
        if self.all.wanted:
            self.all.wanted = 0  # which loads the list
        else:
            self._load_list()

    def _ask(self, view: RowsView, data: Mapping[str, Any]) -> None:
        """Do what a person asked for in a table."""
        step = self.experiment.step
        match data:
            case {"tell": entered, "request": request}:
                typed = {str(key): str(text) for key, text in entered.items()}
                run(partial(self._take, view, int(request), typed))
            case {"check": entered}:
                self._check(view, {str(key): str(text) for key, text in entered.items()})
            case {"remove": key}:
                run(lambda: self._attempt(step(partial(withdraw, key=str(key)))))
            case {"action": "undo"}:
                if self.experiment.current.undoable is not None:
                    run(lambda: self._attempt(self.experiment.undo()))
            case {"action": "redo"}:
                if self.experiment.current.redoable is not None:
                    run(lambda: self._attempt(self.experiment.redo()))
            case {"action": name}:
                run(lambda: self._attempt(step(_STEPS[name])))

    def _check(self, view: RowsView, typed: Mapping[str, str]) -> None:
        """Mark the fields that have been left with what cannot be read, before it is recorded."""
        corrections = view is self.measured
        wrong = faults_of(self.experiment.current, typed, corrections=corrections)
        kept = {key: words for key, words in view.faults.items() if key not in typed}
        view.faults = kept | {key: sentences(error) for key, error in wrong.items()}

    async def _take(self, view: RowsView, request: int, typed: Mapping[str, str]) -> None:
        """Take one step from a table; errors are shown at the fields, which keep their texts."""
        change = correct if view is self.measured else record
        view.busy, recorded, fault, faults = True, False, view.fault, view.faults
        try:
            recorded = await self._attempt(self.experiment.step(partial(change, texts=typed)))
        except Faults as wrong:
            faults = {key: sentences(error) for key, error in wrong.errors.items()}
            fault = "Nothing was recorded: see the fields in red."
        finally:
            if recorded:
                view.settle(request, list(typed))
            else:
                view.settle(request, [], fault, faults)
            view.busy = False


def actions(experiment: Experiment) -> list[list[Any]]:
    """The buttons in the row of Record: the name of a step, its label, and whether it is filled."""
    history, size = experiment.history, experiment.policy.batch_size
    first = experiment.plan.fit == "each batch" and not history.data
    buttons: list[list[Any]] = []
    if experiment.excluded:
        states = sorted({trial.state for trial in history.gone}, reverse=True)
        rows = counted(len(experiment.excluded), f"{' or '.join(states)} row")
        buttons.append(["allow", f"Allow {rows} again", False])
    if history.pending:
        buttons.append(["withdraw_rest", "Withdraw the rest", False])
    if not history.untouched:
        rows = f"the first {counted(experiment.first, 'row')}" if first else f"{size} more"
        if not history.batches and not first:
            rows = counted(size, "row")
        buttons.append(["ask", f"Propose {rows}", not history.pending])
    return buttons


def results_of(experiment: Experiment) -> Picture:
    """The chart of results and of picks given up."""
    history = experiment.history
    measured = [trial for trial in history.measured if trial.y is not None]
    # A result that no batch proposed belongs to the latest batch before it.
    latest = accumulate((trial.t for trial in measured), max)
    made = [
        Result(trial.t or t, trial.role, trial.y) for trial, t in zip(measured, latest, strict=True)
    ]
    made += [Result(trial.t, trial.role, None) for trial in history.gone]
    now = history.batches[-1].t if history.open_picks else None
    best = "" if history.best is None else trial_words(experiment.table, history.best)
    return results(made, now, sign_of(experiment.plan.direction), best)
