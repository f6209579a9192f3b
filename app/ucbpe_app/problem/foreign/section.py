"""A run of another tool on the page: how it went, its trials one by one, and going on from it."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param

from ucbpe_app import theme
from ucbpe_app.html import Html, joined
from ucbpe_app.pictures.slices import SLICES, slices_of
from ucbpe_app.pictures.trials import TRIALS, trials
from ucbpe_app.private.panel import Component
from ucbpe_app.problem.foreign import words
from ucbpe_app.problem.foreign.frame import shown
from ucbpe_app.problem.foreign.state import FITTED
from ucbpe_app.problem.layout import button
from ucbpe_app.problem.views import source
from ucbpe_app.render.bokeh import BokehPicture, filling
from ucbpe_app.render.view import PictureView, main_kind
from ucbpe_app.run.screen import Layers
from ucbpe_app.widgets.layouts import Sheet, strip, text
from ucbpe_app.widgets.strip import SettingsStrip
from ucbpe_app.widgets.timeline import Timeline
from ucbpe_core.support.validation import sign_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from panel.viewable import Viewable

    from ucbpe_app.problem.foreign.frame import Shown
    from ucbpe_app.problem.foreign.state import ForeignRun
    from ucbpe_core.foreign import Run

_SHEET = Sheet(Path(__file__).parents[1] / "retrace.css")
_PLACE = Html("<p>Run of another tool</p><h2>{}</h2><p>{}</p>")
_RANK = Html(
    '<li><span>{}</span><svg aria-hidden="true"><line class="track" x1="0" x2="100%" y1="10" '
    'y2="10"/><line class="better" x1="0" x2="{}%" y1="10" y2="10"/><circle class="rank" cx="{}%" '
    'cy="10" r="6"/></svg><b>{}</b></li>'
)
_KIND = Html('<span title="{}">{} {}</span>')
_LEGEND = Html('<p>{}.</p><p>{}</p><p class="quiet" title="{}">{}</p>')
_WHY = Html('<h2>{}</h2><p>{}</p><p class="quiet">{}</p><p class="quiet setting" title="{}">{}</p>')
_WHAT = ("what was known", "their choice")


class Cells(Component):
    """The trials of a run by what each choice did; `on_trial` gets the number of one pressed."""

    kinds = param.List([], item_type=str, doc="Of each trial: see `Choice.kind`.")
    titles = param.List([], item_type=str, doc="What each is called.")
    at = param.Integer(0, doc="The trial on screen.")
    label = param.String("", doc="All of them in a few words.")

    _esm = source("dom.js", "cells.js")
    _stylesheets: ClassVar[list[str]] = [source("cells.css")]

    def __init__(self, on_trial: Callable[[int], None]) -> None:
        super().__init__(sizing_mode="stretch_width", margin=0)
        self._on_trial = on_trial

    def receive(self, data: Any) -> None:
        """Take the press on a cell."""
        self._on_trial(int(data["trial"]))


class RetraceSection(pn.viewable.Viewer):
    """A run of another tool; `go_on` makes it an experiment."""

    def __init__(self, run: ForeignRun, go_on: Callable[[], Any]) -> None:
        super().__init__()
        self.run = run
        self.timeline, self.cells = Timeline(word="Choice", stop="improvement"), Cells(self._go_to)
        self.place, self.legend = text("place"), _SHEET.text("retrace-legend")
        self.stop = text("possible")
        self.why, self.ranks = _SHEET.text("retrace-why"), _SHEET.text("retrace-ranks")
        self.results = BokehPicture(TRIALS)
        self.view, self.slices = cache(PictureView), cache(partial(BokehPicture, SLICES))
        self.pictures = theme.within("lab-pictures")
        chart = pn.Column(self.results.panel, sizing_mode="stretch_width", margin=0,
                          **filling(TRIALS))  # fmt: skip
        on = button("Go on from here", go_on)
        self.settings = SettingsStrip(run.settings)
        self.settings.fields["lengthscale"].control.label = "Lengthscale/range"
        self.fit = button("", lambda: run.settings.accept(fit=FITTED), plain=True)
        self._panel = theme.within(
            "lab-screen",
            theme.within("lab-strip", self.settings, theme.within("lab-tools", self.fit)),
            theme.within(
                "lab-lesson",
                strip(
                    "verdict", self.place, strip("said", self.cells, self.legend),
                    strip("verdict-parts", self.stop, on),
                ),
            ),
            self.pictures,
            theme.within("lab-aside", self.why, self.ranks, chart),
            theme.placed("lab-timeline", self.timeline),
        )  # fmt: skip
        self._panel.styles = {"--above": "48px"}  # of the bar with the steps
        self.timeline.param.watch(lambda event: self._draw(event.new), "index")
        self._run: Run | None = None  # the one on screen
        run.param.watch(lambda event: self.timeline.param.update(busy=event.new), "busy")
        run.param.watch(self._load, "retraced")
        run.param.watch(self._refuse, "refused")
        if run.retraced is not None:  # this is made when the first run is there
            self._load()

    def __panel__(self) -> Viewable:
        return self._panel

    def _load(self, *_: param.parameterized.Event) -> None:
        """Show another run at its first choice that a model explains; the same where it is."""
        found = self.run.present
        run, counts = found.run, {kind: n for kind, n in found.counts.items() if n}
        legend = Html(", ").join(
            _KIND.format(words.RULED[kind], n, words.KINDS[kind]) for kind, n in counts.items()
        )
        first = next((i for i, choice in enumerate(found.choices) if choice.ranks), 0)
        index = self.timeline.index if found.run is self._run else 2 * first + 1
        self._run = found.run
        with pn.io.hold():
            tool = run.tool.split(",")[0]
            self.place.object = _PLACE.format(self.run.title, f"{tool}, {len(run.trials)} trials")
            self.cells.param.update(
                kinds=[choice.kind for choice in found.choices],
                titles=[
                    f"Trial {trial.number}: {words.KINDS[choice.kind]}"
                    for trial, choice in zip(run.trials, found.choices, strict=True)
                ],
                label=", ".join(f"{n} {words.KINDS[kind]}" for kind, n in counts.items()),
            )
            remarks = " ".join(run.remarks)
            self.legend.object = _LEGEND.format(legend, words.summary(found), remarks, remarks)
            self.stop.object = Html("<p><b>Stop here?</b> {}</p>").format(words.may_stop(found))
            size = 2 * len(run.trials)
            self.timeline.param.update(total=size, starts=list(range(0, size, 2)), phases=[0],
                                       stops=[2 * i + 1 for i in found.improvements])  # fmt: skip
            maps = len(run.space.names) == 2 and len(run.space.box) == 2
            self._panel.css_classes = [
                "lab-screen", "lab-column", *(["lab-maps"] if maps else []),
            ]  # fmt: skip
            self._draw(index)

    def _refuse(self, event: param.parameterized.Event) -> None:
        self.settings.resync()
        if event.new is not None:
            self.settings.show_error(["noise_variance"], event.new)

    def _go_to(self, trial: int) -> None:
        with pn.io.hold():
            self._draw(2 * trial + 1)

    def _draw(self, index: int) -> None:
        """Draw an event: before a trial, or its choice."""
        found, (i, chosen) = self.run.present, divmod(index, 2)
        run, choice = found.run, found.choices[i]
        said = words.sentence(found, i) if chosen else words.kept_words(found, i)
        drawn = shown(found, i, said, chosen=bool(chosen))
        number = run.trials[i].number
        with pn.io.hold():
            self._show(drawn)
            self.run.show(choice.gp)
            label = "Fitted before each trial" if self.run.fitted else "Fit before each trial"
            self.fit.param.update(label=label, disabled=self.run.fitted)
            title = f"What trial {number} traded" if chosen else f"Before trial {number}"
            setting = ", ".join(f"{name} {_written(value)}" for name, value in
                                run.trials[i].setting.items()) if chosen else ""  # fmt: skip
            kind = f"{words.KINDS[choice.kind].capitalize()}: {words.RULED[choice.kind]}."
            self.why.object = _WHY.format(title, said, kind if chosen else "", setting, setting)
            self.ranks.object = self._ranks(i) if chosen and choice.ranks else Html("")
            self.results.draw(trials(run.y, i, sign_of(run.direction)))
            self.cells.at = i
            self.timeline.param.update(
                index=index,
                items=[
                    {"label": label, "index": 2 * i + k, "look": "other"}
                    for k, label in enumerate(_WHAT)
                ],
                status=said,
            )

    def _ranks(self, i: int) -> Html:
        """Their ranks by rule, the best first."""
        ranks = sorted(self.run.present.choices[i].ranks.items(), key=lambda item: item[1])
        direction = self.run.present.run.direction
        rows = [
            _RANK.format(words.rule_name(rule, direction), n - 1, n - 1, words.ordinal(n))
            for rule, n in ranks
        ]
        head = Html("<h2>Rank of their choice among 100 places</h2><ul>{}</ul>")
        return head.format(joined(rows))

    def _show(self, drawn: Shown | None) -> None:
        """Draw the model; nothing where there was none."""
        panels = []
        if drawn is not None:
            view = self.view(main_kind(drawn.scene))
            view.load(drawn.scene)
            view.show(Layers(truth=False))
            view.ask(featured=drawn.featured)
            view.update(drawn.frame)
            panels.append(view.panel)
            if drawn.slices is not None:
                below = self.slices()
                below.draw(slices_of(drawn.scene, drawn.frame, drawn.slices, view.request))
                panels = [theme.styled("lab-sliced", view.panel, below.panel, margin=0)]
        if self.pictures.objects != panels:
            self.pictures.objects = panels


def _written(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
