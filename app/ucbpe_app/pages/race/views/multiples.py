"""One picture per configuration, all of one kind: a curve, a field, or a decision plane."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ucbpe_app import theme
from ucbpe_app.html import EMPTY, Html
from ucbpe_app.pages.comparing import named
from ucbpe_app.pages.layouts import Sheet
from ucbpe_app.pages.race.measures import where
from ucbpe_app.pictures.plane import SMALL_PLANE
from ucbpe_app.pictures.small import SMALL_CURVE, SMALL_FIELD, share_axis
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences import number, percentage

if TYPE_CHECKING:
    from ucbpe_app.line_styles import PolicyLook
    from ucbpe_app.markup import Markup
    from ucbpe_app.pages.race.race import Race, RunState

_SHEET = Sheet(Path(__file__).with_suffix(".css"))
_TITLE = Html('<div class="row"><h3>{}</h3>{}</div>')
_SCALE = Html('<span>mean μ {}<i style="background:linear-gradient(to right, {})"></i>{}</span>')
_HEADING = Html(
    '<h3><a href="?{query}" title="Open in Step" aria-label="Open in Step: {label}">{name}</a>'
    "{note}</h3>"
)
_NOTE = Html("<span>{}</span>")
_KINDS = (SMALL_CURVE, SMALL_FIELD, SMALL_PLANE)  # of problems with 1, 2 and more inputs


class MultiplesView:
    """The pictures of a race, in the order of its configurations; lay out `panel`.

    They are built when a race needs others than the last: of another kind, or of another number.
    A step changes sources and properties only.
    """

    def __init__(self) -> None:
        self.pictures: tuple[PictureView, ...] = ()
        self.headings: tuple[Markup, ...] = ()
        self._race: Race | None = None
        self._layers = Layers()
        self.title, self._grid = _SHEET.text("race-title"), _SHEET.column("race-grid")
        self.panel = _SHEET.column("race-multiples", self.title, self._grid)

    def show(self, race: Race, index: int) -> None:
        """Draw a race at one of its places."""
        if race is not self._race:
            self._load(race)
        states = race.states(index)
        others = tuple(
            (runner.scene, state.frame) for runner, state in zip(race.runners, states, strict=True)
        )
        for i, (runner, state) in enumerate(zip(race.runners, states, strict=True)):
            picture = self.pictures[i]
            picture.request = replace(picture.request, others=others, decision=state.decision)
            picture.update(state.frame)
            own = picture.kind is SMALL_CURVE and not all(
                share_axis(state.frame, other.frame)
                or other.frame.sqrt_beta > state.frame.sqrt_beta
                for other in states
            )
            self.headings[i].object = _heading(race.looks[i], runner.label, state, own=own)
        self.title.object = _title(race, index)

    def choose(self, layers: Layers) -> None:
        """Show these layers."""
        self._layers = layers
        for picture in self.pictures:
            picture.show(layers)

    def _load(self, race: Race) -> None:
        self._race = race
        scenes = [runner.scene for runner in race.runners]
        kind = _KINDS[min(scenes[0].dimension, len(_KINDS)) - 1]
        if len(scenes) != len(self.pictures) or kind is not self.pictures[0].kind:
            self._build(kind, len(scenes))
        for picture, runner, look in zip(self.pictures, race.runners, race.looks, strict=True):
            picture.request = replace(picture.request, color=look.mark.color)
            picture.load(runner.scene)

    def _build(self, kind: Any, count: int) -> None:
        """Other pictures, with ranges of their own; those of before leave the page."""
        self.pictures = tuple(PictureView(kind) for _ in range(count))
        self.headings = tuple(_SHEET.text("race-heading") for _ in range(count))
        for picture in self.pictures:
            if kind is SMALL_FIELD and picture is not self.pictures[0]:
                picture.rendered.follow(self.pictures[0].rendered)  # they pan and zoom together
            picture.show(self._layers)
        self._grid.css_classes = ["race-grid", f"race-{kind.name}", f"race-{count}"]
        self._grid.objects = [
            _SHEET.column("race-cell", heading, picture.panel)
            for heading, picture in zip(self.headings, self.pictures, strict=True)
        ]


def _title(race: Race, i: int) -> Html:
    """What the pictures show, and the colours of a map from the lowest to the highest mean."""
    when = where(race, i) if i else "before the first batch"
    scenes = [runner.scene for runner in race.runners]
    region = "; R⁺ inside the line" if any(scene.uses_region for scene in scenes) else ""
    if scenes[0].dimension != 2:
        region = "; R⁺ along the lower edge" if region and scenes[0].dimension == 1 else ""
        return _TITLE.format(f"Each run {when}{region}", EMPTY)
    if region and not scenes[0].grid:
        region = "; R⁺ in clear dots"
    low, high = zip(*(scene.means for scene in scenes), strict=True)
    colors = ", ".join(theme.FIELD[:: len(theme.FIELD) // 8])
    scale = _SCALE.format(number(min(low)), colors, number(max(high)))
    return _TITLE.format(f"Where they measure, {when}{region}", scale)


def _heading(look: PolicyLook, label: str, state: RunState, *, own: bool) -> Html:
    """HTML of the name of a configuration, which leads to this moment in Step, and its R+."""
    plus = state.decision.region_plus
    notes = [*(["own axis"] if own else []), *([] if plus is None else [f"R⁺ {percentage(plus)}"])]
    note = _NOTE.format(", ".join(notes)) if notes else EMPTY
    return _HEADING.format(query=state.query, label=label, name=named(look, label), note=note)
