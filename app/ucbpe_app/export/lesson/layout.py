"""The dashboard's views of a run, laid out for a file to step through."""

from __future__ import annotations

from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app import theme
from ucbpe_app.components.algorithm import AlgorithmView
from ucbpe_app.components.inputs import InputsView
from ucbpe_app.components.regret import RegretView
from ucbpe_app.components.timeline import Timeline
from ucbpe_app.export.words import run_rows
from ucbpe_app.markup import Markup
from ucbpe_app.pictures.plane import PLANE
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.events import Kind
from ucbpe_app.run.sentences.event import timeline_items
from ucbpe_app.views import main_kind

if TYPE_CHECKING:
    from ucbpe_app.lessons import Lesson, Span
    from ucbpe_app.run.cache import Bounds
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.screen import Layers

_CSS = """
:host { color: var(--mui-palette-text-primary); }
h2 { margin: 0 0 6px; font-size: 0.9375rem; font-weight: 600; line-height: 1.4; }
p { max-width: 75ch; margin: 0 0 6px; font-size: 0.9375rem; }
a { color: var(--mui-palette-primary-main); }
.radicand { border-top: 0.07em solid; padding-top: 0.1em; }
summary { font-weight: 500; cursor: pointer; }
details { margin-bottom: 8px; font-size: 0.9375rem; }
details p { margin: 4px 0 0; }
a:focus-visible, summary:focus-visible { outline: 2px solid; outline-offset: 2px; }
table { width: 100%; border-spacing: 0; font-size: 0.8125rem; line-height: 1.5; }
th { padding: 0 12px 0 0; color: var(--mui-palette-text-secondary); font-weight: 400; }
th, td { text-align: left; vertical-align: top; overflow-wrap: anywhere; }
"""

# Of the run; the browser's engine fills the same.
TABLE = MappingProxyType(
    {
        "row": '<tr><th scope="row">{name}</th><td>{value}</td></tr>',
        "run": '<section aria-label="This run"><h2>This run</h2><table>{rows}</table></section>',
    }
)
_LIVE_CSS = (Path(__file__).parent / "live" / "live.css").read_text(encoding="utf-8")
# The settings leave the pictures less width; on a narrow screen they stay in sight above them.
_LIVE_GRID = """
@media (max-width: 999px) {
  :host(.lab-grid) {
    grid-template: "settings" auto "main" auto "aside" auto / minmax(0, 1fr) !important;
  }
  .lab-settings {
    position: sticky !important;
    top: 0;
    z-index: 3;
    background: var(--mui-palette-background-paper);
    border-bottom: 1px solid var(--mui-palette-divider);
  }
}
"""
# At 1366 px the pictures keep the 640 px from which one map is large, the others beside it.
_LIVE_WIDTHS = {
    "--lab-drawer": "block",
    "--lab-drawer-width": "236px",
    "--lab-aside-width": "clamp(400px, 33vw, 720px)",
}


class LessonPage:
    """One run on one page; `panel` is all of it.

    `about` brings a caption and a question; links of the caption that lead to a moment of this very
    run stay links. With `live` there is a place for settings, which the file fills.
    """

    def __init__(
        self,
        replay: Replay,
        layers: Layers,
        about: Lesson | None,
        bounds: Bounds | None,
        *,
        live: bool = False,
    ) -> None:
        self._replay, scene = replay, replay.scene
        self.main = PictureView(main_kind(scene))
        self.plane = PictureView(PLANE) if layers.plane and scene.dimension <= 2 else None
        self.regret, self.inputs = RegretView(_in_browser, tabbed=False), InputsView()
        self.algorithm, self.run = AlgorithmView(), _markup(_table(replay))
        self._plain = layers.plain
        starts = [i for i, event in enumerate(replay.events) if event.kind is Kind.FIT]
        self.timeline = Timeline(total=len(replay.events), starts=starts)
        views = (self.main, self.plane, self.regret, self.algorithm, self.inputs)
        self.views = tuple(view for view in views if view is not None)
        for view in self.views:
            view.load(scene)
        if bounds is not None:
            self.regret.set_bounds(bounds.printed, bounds.proved)
        self.show(0)
        for view in self.views:
            view.show(layers)
        self.settings = Markup(stylesheets=[_LIVE_CSS], margin=0, sizing_mode="stretch_width")
        self.panel = self._layout(about, live=live)

    def show(self, index: int) -> None:
        """Draw an event."""
        frame = self._replay.frame(index)
        for view in self.views:
            view.update(frame)
        events = timeline_items(self._replay, frame.event.t, plain=self._plain)
        status = frame.tell(self._plain).status
        self.timeline.param.update(index=index, items=events, status=status)

    def _layout(self, about: Lesson | None, *, live: bool) -> pn.Column:
        """The page's columns."""
        styled = theme.styled
        said = [] if about is None else [_markup(_words(about, self._replay))]
        beside = [] if self.plane is None else [self.plane.panel]
        run = styled("lab-card", self.run, margin=(12, 0))
        pictures = styled("lab-pictures", *said, self.main.panel)
        algorithm, numbers = self.algorithm, (self.regret.panel, self.inputs.panel)
        settings = [styled("lab-settings", self.settings)] if live else []
        grid = styled(
            "lab-grid",
            *settings,
            styled("lab-main", pictures, styled("lab-timeline", self.timeline)),
            styled("lab-aside", algorithm.panel, *beside, *numbers, run),
        )
        if live:
            grid.stylesheets = [*grid.stylesheets, _LIVE_GRID]
            grid.styles = _LIVE_WIDTHS
        grid.css_classes = ["lab-grid", *([] if live else ["lab-bare"]), "lab-one-screen"]
        return grid


def _in_browser(_: int) -> None:
    """In a file the browser alone goes to the batch that is clicked."""


def _markup(html: str) -> Markup:
    return Markup(html, stylesheets=[_CSS], margin=0, sizing_mode="stretch_width")


def _words(about: Lesson, replay: Replay) -> str:
    paragraphs = (f"<p>{''.join(_span(one, replay) for one in part)}</p>" for part in about.caption)
    question, answer = escape(about.question), escape(about.answer)
    asked = f"<p>{question}</p>" if question else ""
    if answer:
        asked = f"<details><summary>{question or 'Answer'}</summary><p>{answer}</p></details>"
    return "".join(paragraphs) + asked


def _span(span: Span, replay: Replay) -> str:
    """Words of a caption; a link to another run cannot be opened from a file."""
    change = span.change
    if span.mathml:
        return span.mathml
    if span.bold:
        return f"<b>{escape(span.words)}</b>"
    if change is None or change.lesson or change.settings or change.event not in replay.events:
        return escape(span.words)
    return f'<a href="#{change.event.text}">{escape(span.words)}</a>'


def _table(replay: Replay) -> str:
    cells = (
        TABLE["row"].format(name=escape(name), value=escape(value))
        for name, value in run_rows(replay)
    )
    return TABLE["run"].format(rows="".join(cells))
