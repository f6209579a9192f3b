"""The figures of an experiment: those of a run, without a truth."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app.figures.curve import LineView
from ucbpe_app.figures.field import FieldView
from ucbpe_app.figures.plane import LargePlaneView, PlaneView
from ucbpe_app.figures.view import View
from ucbpe_app.run.screen import Layers

if TYPE_CHECKING:
    from ucbpe_app.pages.problem.frame import ExperimentFrame

_NO_TRUTH = Layers(truth=False)
_KINDS: tuple[type[View], ...] = (LineView, FieldView, LargePlaneView)  # by the inputs


class PosteriorFigures:
    """The posterior over the table: `main`, a curve, fields or the plane; `aside`, the plane."""

    def __init__(self) -> None:
        self._made: dict[type[View], View] = {}
        column = partial(pn.Column, sizing_mode="stretch_width", margin=0)
        self.main, self.aside = column(), column()

    def load(self, picture: ExperimentFrame) -> None:
        """Show where an experiment stands."""
        kind = _KINDS[min(picture.scene.dimension, len(_KINDS)) - 1]
        view = self._view(kind)
        beside = [] if kind is LargePlaneView else [self._view(PlaneView)]
        with pn.io.hold():
            for one in (view, *beside):
                one.load(picture.scene)
                one.update(picture.frame)
                one.show(_NO_TRUTH)
            # Only the pictures in use are in the page.
            if self.main.objects != [view.panel]:
                self.main.objects = [view.panel]
                self.aside.objects = [one.panel for one in beside]

    def _view(self, kind: type[View]) -> View:
        """The view of a kind: making one takes a while, so that it waits until it is needed."""
        if kind not in self._made:
            self._made[kind] = kind()
        return self._made[kind]
