"""One picture per configuration, all of one kind: a curve, a field, or a decision plane."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app import theme
from ucbpe_app.markup import Markup
from ucbpe_app.pages.race.views.base import RaceView
from ucbpe_app.pages.race.views.marks import swatch
from ucbpe_app.pictures.curve import SMALL_CURVE
from ucbpe_app.pictures.field import SMALL_FIELD
from ucbpe_app.pictures.marks import mark_of
from ucbpe_app.pictures.plane import SMALL_PLANE
from ucbpe_app.render import legends
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences import number, percentage, role_name
from ucbpe_app.run.sentences.texts import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.pages.race.race import Race, RaceRun, RunState
    from ucbpe_app.run.frames import Scene

_CSS = Path(__file__).with_name("multiples.css").read_text(encoding="utf-8")
_KINDS = ("curve", "field", "plane")  # of problems with 1, 2 and more inputs


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
        self._kind = ""
        self._layers = Layers()
        self._legend = legends.text("", "race-legend")
        self._legend.stylesheets = [*self._legend.stylesheets, _CSS]
        self._grid = pn.Column(**_layout("race-grid"))
        self._panel = pn.Column(self._legend, self._grid, **_layout("race-multiples"))

    def load(self, race: Race) -> None:
        self._race = race
        scenes = [runner.scene for runner in race.runners]
        kind = _KINDS[min(scenes[0].dimension, len(_KINDS)) - 1]
        if kind != self._kind or len(scenes) != len(self.pictures):
            self._build(kind, len(scenes))
        for picture, runner in zip(self.pictures, race.runners, strict=True):
            picture.load(runner.scene)
        self._describe()

    def update(self, index: int) -> None:
        if self._race is None:
            return
        states = self._race.states(index)
        others = tuple(
            (runner.scene, state.frame)
            for runner, state in zip(self._race.runners, states, strict=True)
        )
        cells = zip(self._race.runners, states, self.pictures, self.headings, strict=True)
        for place, (runner, state, picture, heading) in enumerate(cells):
            picture.request = replace(picture.request, others=others, decision=state.decision)
            picture.update(state.frame)
            note = _note(state, band=self._kind == "curve")
            heading.object = _heading(place, runner, state, note)

    def show(self, layers: Layers) -> None:
        self._layers = layers
        for picture in self.pictures:
            picture.show(layers)
        self._describe()

    def _build(self, kind: str, count: int) -> None:
        """Other pictures, with ranges of their own; those of before leave the page."""
        self._kind = kind
        self.pictures = tuple(self._picture() for _ in range(count))
        self.headings = tuple(Markup("", margin=0, **_layout("race-heading")) for _ in range(count))
        first, *rest = self.pictures
        for picture in rest:
            if kind == "field":
                picture.rendered.follow(first.rendered)  # they pan and zoom together
        for picture in self.pictures:
            picture.show(self._layers)
        self._grid.css_classes = ["race-grid", f"race-{kind}s", f"race-{count}"]
        self._grid.objects = [
            pn.Column(
                heading,
                picture.panel,
                **_layout("race-cell"),
            )
            for heading, picture in zip(self.headings, self.pictures, strict=True)
        ]

    def _picture(self) -> PictureView:
        if self._kind == "curve":
            return PictureView(SMALL_CURVE)
        if self._kind == "field":
            return PictureView(SMALL_FIELD)
        return PictureView(SMALL_PLANE)

    def _describe(self) -> None:
        """The legend of all pictures."""
        scenes = [runner.scene for runner in self._race.runners] if self._race else []
        items = _pick_entries(tuple(dict.fromkeys(role for one in scenes for role in one.roles)))
        if self._kind == "curve":
            drawn = any(scene.uses_region for scene in scenes)
            shown = _curve_entries(self._layers, region=drawn)
            self._legend.object = legends.entries([*shown, *items])
            return
        truth = (
            [_optimum_entry(words_of(self._race.runners[0].replay.trace).extreme)]
            if self._race and self._layers.truth
            else []
        )
        if self._kind == "plane":
            self._legend.object = legends.entries([*items, *truth])
            return
        drawn = any(scene.uses_region and scene.grid for scene in scenes)
        shown = [*items, *_field_entries(region=drawn), *truth]
        rows = legends.entries(shown, over_field=True)
        self._legend.object = rows.replace("</ul>", f"{_scale(scenes)}</ul>")


def _pick_entries(roles: Sequence[str]) -> list[legends.Entry]:
    """Swatches and names of roles, those that look alike together."""
    looks: dict[tuple[str, str], list[str]] = {}
    for role in roles:
        mark = mark_of(role)
        looks.setdefault((mark.marker, mark.color), []).append(role_name(role))
    return [(_cased(*look), ", ".join(names)) for look, names in looks.items()]


def _optimum_entry(extreme: str) -> legends.Entry:
    """Where f is best: its maximum, or its minimum."""
    return _cased("square", "none"), f"{extreme} of f"


def _cased(marker: str, fill: str) -> legends.Shapes:
    """A light mark with a dark casing, as over a field."""
    dark = legends.point(marker, fill, line=theme.OVER_FIELD_CASING, width=3)
    return dark + legends.point(marker, fill, line=theme.OVER_FIELD)


def _scale(scenes: list[Scene]) -> str:
    """HTML of the colours from the lowest to the highest mean of all runs."""
    low, high = zip(*(scene.means for scene in scenes), strict=True)
    colors = ", ".join(theme.FIELD[:: len(theme.FIELD) // 8])
    bar = f'<span class="scale" style="background:linear-gradient(to right, {colors})"></span>'
    return f"<li>mean μ {number(min(low))}{bar}{number(max(high))}</li>"


def _field_entries(*, region: bool) -> list[legends.Entry]:
    """Swatches and texts of what every map shows beside its picks."""
    cross, (dark, light) = theme.DATA.marker, (theme.OVER_FIELD_CASING, theme.OVER_FIELD)
    point, stroke = legends.point, legends.stroke
    data = point(cross, "none", line=dark, width=3) + point(cross, "none", line=light, width=1.4)
    line = stroke(dark, width=4) + stroke(light, width=1.8)
    return [(data, "data"), *([(line, "R⁺ of the last batch")] if region else [])]


def _note(state: RunState, *, band: bool) -> str:
    """How wide the band is, where it is drawn, and how large the region, in a heading."""
    plus = state.decision.region_plus
    wide = [f"√β = {number(state.frame.sqrt_beta)}"] if band else []
    return " · ".join([*wide, *([] if plus is None else [f"R⁺ {percentage(plus)}"])])


def _curve_entries(layers: Layers, *, region: bool) -> list[legends.Entry]:
    """Swatches and texts of what every curve shows beside its picks."""
    mean, truth, data = theme.MEAN, theme.TRUTH, theme.DATA
    entries: list[legends.Entry] = [
        (legends.stroke(mean.color, mean.dash, 2.5), "mean"),
        (legends.area(theme.BAND.color, 0.3), "mean ± √β std"),
        (legends.point(data.marker, data.color, line=data.color, width=2), "earlier data"),
    ]
    if layers.truth:
        entries.insert(2, (legends.stroke(truth.color, truth.dash), "true f"))
    if region:
        entries.append((legends.area(theme.REGION_PLUS.color, 0.35), "R⁺ of the last batch"))
    return entries


def _heading(place: int, runner: RaceRun, state: RunState, note: str) -> str:
    """HTML of the name of a configuration, how far it is, and the link to this moment."""
    name = f"{runner.letter}, {runner.label}"
    batches = "1 batch" if state.done == 1 else f"{state.done} batches"
    parts = [f"{batches} of {runner.batch_size}" if state.done else "no batch yet", note]
    if state.best is not None:
        parts.insert(1, f"regret {number(state.best)}")
    said = " · ".join(escape(part) for part in parts if part)
    link = escape(f"?{state.query}")
    return (
        f"<h3>{swatch(place)}<b>{runner.letter}</b><span>{escape(runner.label)}</span>"
        f'<a href="{link}" aria-label="Open in Step: {escape(name)}">Open in Step</a></h3>'
        f"<p>{said}</p>"
    )


def _layout(name: str) -> dict[str, Any]:
    """Options of a component with one of the classes of multiples.css."""
    return {"css_classes": [name], "stylesheets": [_CSS], "sizing_mode": "stretch_width"}
