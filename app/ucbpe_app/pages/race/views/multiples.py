"""One picture per configuration, all of one kind: a curve, a field, or a decision plane."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app import theme
from ucbpe_app.markup import Markup
from ucbpe_app.pages.looks import named
from ucbpe_app.pages.race.measures import where
from ucbpe_app.pages.race.views.base import RaceView
from ucbpe_app.pictures.plane import SMALL_PLANE
from ucbpe_app.pictures.small_curve import SMALL_CURVE, share_axis
from ucbpe_app.pictures.small_field import SMALL_FIELD
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences import number, percentage

if TYPE_CHECKING:
    from ucbpe_app.line_styles import PolicyLook
    from ucbpe_app.pages.race.race import Race, RunState

_CSS = Path(__file__).with_name("multiples.css").read_text(encoding="utf-8")
_KINDS = (SMALL_CURVE, SMALL_FIELD, SMALL_PLANE)  # of problems with 1, 2 and more inputs


class MultiplesView(RaceView):
    """The pictures of a race, in the order of its configurations.

    They are built when a race needs others than the last: of another kind, or of another number.
    A step changes sources and properties only.
    """

    def __init__(self) -> None:
        super().__init__()
        self.pictures: tuple[PictureView, ...] = ()
        self.headings: tuple[Markup, ...] = ()
        self._race: Race | None = None
        self._layers = Layers()
        self.title = Markup("", margin=0, **_layout("race-title"))
        self._grid = pn.Column(**_layout("race-grid"))
        self._panel = pn.Column(self.title, self._grid, **_layout("race-multiples"))

    def load(self, race: Race) -> None:
        self._race = race
        scenes = [runner.scene for runner in race.runners]
        kind = _KINDS[min(scenes[0].dimension, len(_KINDS)) - 1]
        if len(scenes) != len(self.pictures) or kind is not self.pictures[0].kind:
            self._build(kind, len(scenes))
        for picture, runner, look in zip(self.pictures, race.runners, race.looks, strict=True):
            picture.request = replace(picture.request, color=look.mark.color)
            picture.load(runner.scene)

    def update(self, index: int) -> None:
        race = self._race
        if race is None:
            return
        states = race.states(index)
        others = tuple(
            (runner.scene, state.frame) for runner, state in zip(race.runners, states, strict=True)
        )
        for i, (runner, state) in enumerate(zip(race.runners, states, strict=True)):
            picture = self.pictures[i]
            picture.request = replace(picture.request, others=others, decision=state.decision)
            picture.update(state.frame)
            own = picture.kind is SMALL_CURVE and not all(
                share_axis(state.frame, one.frame) or one.frame.sqrt_beta > state.frame.sqrt_beta
                for one in states
            )
            self.headings[i].object = _heading(race.looks[i], runner.label, state, own=own)
        self.title.object = _title(race, index)

    def show(self, layers: Layers) -> None:
        self._layers = layers
        for picture in self.pictures:
            picture.show(layers)

    def _build(self, kind: Any, count: int) -> None:
        """Other pictures, with ranges of their own; those of before leave the page."""
        self.pictures = tuple(PictureView(kind) for _ in range(count))
        self.headings = tuple(Markup("", margin=0, **_layout("race-heading")) for _ in range(count))
        for picture in self.pictures:
            if kind is SMALL_FIELD and picture is not self.pictures[0]:
                picture.rendered.follow(self.pictures[0].rendered)  # they pan and zoom together
            picture.show(self._layers)
        self._grid.css_classes = ["race-grid", f"race-{kind.name}", f"race-{count}"]
        self._grid.objects = [
            pn.Column(heading, picture.panel, **_layout("race-cell"))
            for heading, picture in zip(self.headings, self.pictures, strict=True)
        ]


def _title(race: Race, i: int) -> str:
    """What the pictures show, and the colours of a map from the lowest to the highest mean."""
    when = where(race, i) if i else "before the first batch"
    scenes = [runner.scene for runner in race.runners]
    region = "; R⁺ inside the line" if any(one.uses_region for one in scenes) else ""
    if scenes[0].dimension != 2:
        region = "; R⁺ along the lower edge" if region and scenes[0].dimension == 1 else ""
        return f'<div class="row"><h3>Each run {when}{region}</h3></div>'
    low, high = zip(*(scene.means for scene in scenes), strict=True)
    colors = ", ".join(theme.FIELD[:: len(theme.FIELD) // 8])
    bar = f'<i style="background:linear-gradient(to right, {colors})"></i>'
    scale = f"<span>mean μ {number(min(low))}{bar}{number(max(high))}</span>"
    return f'<div class="row"><h3>Where they measure, {when}{region}</h3>{scale}</div>'


def _heading(look: PolicyLook, label: str, state: RunState, *, own: bool) -> str:
    """HTML of the name of a configuration, which leads to this moment in Step, and its R+."""
    plus = state.decision.region_plus
    notes = [*(["own axis"] if own else []), *([] if plus is None else [f"R⁺ {percentage(plus)}"])]
    note = f"<span>{', '.join(notes)}</span>" if notes else ""
    link = escape(f"?{state.query}")
    return (
        f'<h3><a href="{link}" title="Open in Step" aria-label="Open in Step: {escape(label)}">'
        f"{named(look, label)}</a>{note}</h3>"
    )


def _layout(name: str) -> dict[str, Any]:
    """Options of a component with one of the classes of multiples.css."""
    return {"css_classes": [name], "stylesheets": [_CSS], "sizing_mode": "stretch_width"}
