"""The printed pictures: which figures of a view go where on the page, under one title."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app.export.printing import legend, plot
from ucbpe_app.export.printing.sheet import PrintedPage
from ucbpe_app.figures.curve import LineView
from ucbpe_app.figures.field import FieldView
from ucbpe_app.figures.plane import LargePlaneView
from ucbpe_app.figures.regret import RegretView
from ucbpe_app.markup import Markup

if TYPE_CHECKING:
    from collections.abc import Callable

    from bokeh.plotting import figure as Plot

    from ucbpe_app.export.printing.legend import Words
    from ucbpe_app.export.printing.sheet import FigureRequest
    from ucbpe_app.figures.view import View

# In cm, as is all below. What stands left of a frame: numbers and the name of the axis.
_LEFT, _WIDTH = 1.9, 14.4
_EDGE, _ACROSS = 0.4, 16.2


def curve(view: View, shot: FigureRequest) -> PrintedPage:
    """The posterior over one input, R and R+, and the deviation."""
    (stack,), (above, below) = _read(view)
    sheet = PrintedPage(shot, height=15.1)
    sheet.legend(above.entries, _LEFT, 1.45, _WIDTH)
    for (top, height), own in zip(_STACK, stack.children, strict=True):
        axes = sheet.axes(_LEFT, top, _WIDTH, height)
        plot.draw(axes, own)
        if own is not stack.children[-1]:
            axes.tick_params(axis="x", length=0, labelbottom=False)
            axes.spines["bottom"].set_visible(own is stack.children[0])
    sheet.legend(below.entries, _LEFT, 13.6, _WIDTH)
    return sheet


# From the top down: where the figures of a curve begin, and how high they are.
_STACK = ((3.0, 5.5), (8.65, 0.95), (9.75, 2.9))


def field(view: View, shot: FigureRequest) -> PrintedPage:
    """Truth, mean, deviation and upper bound over two inputs as equal squares."""
    plots, (entries, note) = _read(view)
    plots = plots if shot.layers.truth else plots[1:]
    columns, side, pitch = (2, 5.4, 8.15) if len(plots) == 4 else (3, 3.0, 5.45)
    rows, below = -(-len(plots) // columns), 1.65
    sheet = PrintedPage(shot, height=3.7 + rows * (side + below))
    sheet.legend(entries.entries, _EDGE, 1.45, _ACROSS)
    sheet.note(note.note, 2.05)
    for i, own in enumerate(plots):
        row, column = divmod(i, columns)
        left, top = 1.45 + column * pitch, 3.1 + row * (side + below)
        axes = sheet.axes(left, top, side, side)
        plot.draw(axes, own)
        plot.bar(axes, sheet.axes(left + side + 0.15, top, 0.2, side), own)
    return sheet


def plane(view: View, shot: FigureRequest) -> PrintedPage:
    """Where the algorithm decides: each candidate a dot at its deviation and its mean."""
    (own,), (entries, note) = _read(view)
    sheet = PrintedPage(shot, height=13.9)
    sheet.legend(entries.entries, _EDGE, 1.45, _ACROSS)
    sheet.note(note.note, 2.95)
    plot.draw(sheet.axes(_LEFT, 3.55, _WIDTH, 8.2), own)
    return sheet


def regret(view: View, shot: FigureRequest) -> PrintedPage:
    """The regret of each batch, and the cumulative regret."""
    plots, words = _read(view)
    pairs = list(zip(plots, words, strict=False))
    width = 6.5
    top = 2.2 + max(legend.height(said.entries, width) for _, said in pairs)
    sheet = PrintedPage(shot, height=top + 7.1)
    for i, (own, said) in enumerate(pairs):
        left = _LEFT + 8.2 * i
        sheet.heading(said.heading, left, 1.45)
        sheet.legend(said.entries, left, 1.9, width)
        plot.draw(sheet.axes(left, top, width, 4.5), own)
    sheet.note("Faint: batches still ahead. Dashed vertical line: the batch shown.", top + 5.7)
    return sheet


def _read(view: View) -> tuple[list[Plot], list[Words]]:
    """The figures of a view and its words, in their order on screen."""
    panes = view.panel.select(pn.pane.Bokeh)
    words = [legend.read(pane.object) for pane in view.panel.select(Markup)]
    return [pane.object for pane in panes], words


@dataclass(frozen=True)
class PrintedFigure:
    """One kind of picture: its name for people, its view, its page, and the inputs it can show."""

    label: str
    view: Callable[[], View]
    draw: Callable[[View, FigureRequest], PrintedPage]
    inputs: range

    def prepared(self, shot: FigureRequest) -> View:
        """A view of the run, with the layers of `shot`; `update` has it show an event."""
        view = self.view()
        view.load(shot.replay.scene)
        view.show(shot.layers)
        if shot.bounds is not None and isinstance(view, RegretView):
            view.set_bounds(shot.bounds.printed, shot.bounds.proved)
        return view


_ANY = range(1, 1000)
_ALL_DOTS = 10**9  # on paper no dot is drawn as a cell of a coarse image
PICTURES = {
    "curve": PrintedFigure("Posterior", LineView, curve, range(1, 2)),
    "field": PrintedFigure("Fields", FieldView, field, range(2, 3)),
    "plane": PrintedFigure("Decision plane", lambda: LargePlaneView(_ALL_DOTS), plane, _ANY),
    "regret": PrintedFigure("Regret", RegretView, regret, _ANY),
}
