"""How the laboratory looks: colours by role, Bokeh figures, and the three-column page.

Every colour has a contrast of at least 3:1 against both plot backgrounds (white and #121212): print
and notebooks, which do not know their background, have one for both. A page that is dark has
lighter ones for lines on the band (`DARK`). A colour never stands alone: each role also has its
own marker or dash.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import panel as pn
from bokeh.palettes import Cividis256, Magma256, Viridis256
from bokeh.plotting import figure as bokeh_figure

_LAYOUT, SCREEN = (
    Path(__file__).with_name(name).read_text(encoding="utf-8")
    for name in ("layout.css", "one_screen.css")
)

# Okabe and Ito's palette; their orange is darkened, as #E69F00 has 2.3:1 on white.
BLUE, VERMILLION, GREEN, PURPLE, ORANGE = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#C28500"
INK = "#787878"  # the grey with equal contrast, 4.3:1, on white and on #121212
_DATA = "#686F76"  # darker than the lines that crosses lie on: 5.1:1 on white, 3.7:1 on #121212
PAGE = "white"  # around marks; by its name, as `OVER_FIELD`, of the same colour, is for both
# What takes a colour's place on a dark page: BLUE has 2.3:1 there on its own band.
DARK = {BLUE: "#56B4E9", INK: "#9AA3AB", _DATA: "#A9B3BD", PAGE: "#121417"}


@dataclass(frozen=True)
class Shape:
    """A marker as large as it is drawn, and where no figure draws it.

    Attributes
    ----------
    sizes, over : px across of picks made earlier and of the current one, next to a curve
        and over a map
    sign : in a text
    outline : on the timeline, as CSS
    """

    sizes: tuple[float, float] = (11, 15)
    over: tuple[float, float] = (14, 18)
    sign: str = "●"
    outline: str = "circle(50%)"


SHAPES = {
    "star": Shape(
        (15, 21), (20, 26), "★",
        "polygon(50% 0,62% 36%,100% 36%,69% 58%,81% 95%,50% 72%,19% 95%,31% 58%,0 36%,38% 36%)",
    ),
    "diamond": Shape((13, 18), (20, 25), "◆", "polygon(50% 0, 100% 50%, 50% 100%, 0 50%)"),
}  # fmt: skip


@dataclass(frozen=True)
class Mark:
    """How one role is drawn: colour, dash of its lines, marker of its points."""

    color: str
    dash: str = "solid"
    marker: str = "circle"

    @property
    def shape(self) -> Shape:
        """Of its points."""
        return SHAPES.get(self.marker, Shape())

    def line(self, **options: Any) -> dict[str, Any]:
        """Return the line properties of a Bokeh glyph."""
        return {"line_color": self.color, "line_dash": self.dash, "line_width": 2, **options}

    def fill(self, alpha: float = 0.28, **options: Any) -> dict[str, Any]:
        """Return the properties of a translucent area without an outline."""
        return {"fill_color": self.color, "fill_alpha": alpha, "line_color": None, **options}

    def point(self, size: int = 12, **options: Any) -> dict[str, Any]:
        """Return the properties of a Bokeh scatter."""
        return {
            "marker": self.marker,
            "size": size,
            "fill_color": self.color,
            "line_color": self.color,
            "line_width": 2,
            **options,
        }


TRUTH = Mark(INK, dash="dotdash")
MEAN = Mark(BLUE)
BAND = Mark(BLUE)
UPDATED_BAND = Mark(BLUE, dash="dashed")
UCB_PICK = Mark(VERMILLION, marker="star")
PE_PICK = Mark(PURPLE, marker="diamond")
THEIR_PICK = Mark(INK, marker="circle_x")  # of another tool
OTHER_PICK = Mark(ORANGE)  # of the policies that neither bound nor explore
Y_DOT = Mark(GREEN, dash="dotted")
CERTIFICATE = Mark(PURPLE)  # what the band bounds a regret by
REGION = Mark(GREEN, marker="square")
REGION_PLUS = Mark(ORANGE, dash="dashed", marker="square_pin")
DATA = Mark(_DATA, marker="x")
PINNED = Mark(INK, dash="dashed")  # another run, behind the one on screen


def _scheme(primary: str, on: str, page: str, strip: str, tint: str, inks: str) -> dict[str, Any]:
    ink, quiet, line = inks.split()
    # The bar has the page's colour: colour is kept for data.
    bar = {
        "backgroundColor": page, "color": quiet, "backgroundImage": "none",
        "boxShadow": f"inset 0 -1px {line}",
    }  # fmt: skip
    return {
        "chart_style": "classic",  # keeps axis lines, which the default style hides
        "palette": {
            "primary": {"main": primary, "contrastText": on},
            "background": {"default": page, "paper": page},
            "text": {"primary": ink, "secondary": quiet},
            "action": {"active": quiet},  # of tabs: on a dark page the library's is white
            "divider": line,
            # Not Material's: a strip on the page's colour, and what is current.
            "strip": {"main": strip},
            "tint": {"main": tint},
        },
        "components": {
            "MuiAppBar": {"styleOverrides": {"root": bar, "colorPrimary": bar}},
            # The name in the bar, which comes before the page's first heading, is none.
            "MuiTypography": {"defaultProps": {"variantMapping": {"h3": "div"}}},
        },
    }


# For `pmui.Page(theme_config=...)`, which reads only these two keys when both are there.
THEME_CONFIG = {
    "light": _scheme(
        "#00629B", "#FFFFFF", "#FFFFFF", "#F1F5F9", "#E3F0F8", "#1B1F23 #525B64 #DDE3E9"
    ),
    "dark": _scheme(
        "#7CC4F0", "#06293F", "#121417", "#1C2126", "#153143", "#E9ECEF #A9B3BD #2F363D"
    ),
}
FONT = "Roboto, Helvetica, Arial, sans-serif"  # the page's, for texts that its theme leaves alone

FIELD = list(Viridis256)
# cividis: of a setting the least is the best, and bright.
PALETTES = {
    "viridis": FIELD,
    "magma": list(Magma256),
    "cividis": list(reversed(Cividis256)),
    "bound": list(Cividis256),  # apart from f, whose scale it does not share
}
# Over a field no single colour is safe: draw lines twice, the dark one wider and first.
OVER_FIELD, OVER_FIELD_CASING = "#FFFFFF", "#000000"


def variables() -> str:
    """Return how picks look as CSS variables, for components that draw in HTML."""
    picks = {"ucb": UCB_PICK, "pe": PE_PICK}
    return " ".join(
        f":host {{ --lab-{name}: {mark.color}; --lab-{name}-outline: {mark.shape.outline}; }}"
        for name, mark in picks.items()
    )


def inks() -> str:
    """Return the palette as CSS variables, for text that names what is drawn in its colours."""
    colors = {
        "blue": BLUE, "vermillion": VERMILLION, "green": GREEN, "purple": PURPLE, "orange": ORANGE,
    }  # fmt: skip
    either = {name: f"light-dark({ink}, {DARK.get(ink, ink)})" for name, ink in colors.items()}
    return f":host {{ {' '.join(f'--lab-{name}: {ink};' for name, ink in either.items())} }}"


def figure(x_label: str = "", y_label: str = "", **options: Any) -> bokeh_figure:
    """Return an empty figure in the style all views share.

    Text, axes, grid and legend colours are set, and changed on a toggle, by the page's theme;
    what is set here is what it leaves alone. ``options`` go to ``bokeh.plotting.figure``. The name
    that is read out is the label of the vertical axis, or else of the other.
    """
    name = y_label or x_label
    plot = bokeh_figure(
        **{
            "x_axis_label": x_label or None,
            "y_axis_label": y_label or None,
            "tools": "",
            "toolbar_location": None,
            "sizing_mode": "stretch_width",
            "height": 280,
            "min_border": 8,
            "background_fill_alpha": 0,
            "border_fill_alpha": 0,
            "outline_line_color": None,
            "html_attributes": {"role": "figure", "aria-label": name} if name else {},
            **options,
        }
    )
    plot.axis.minor_tick_in = plot.axis.minor_tick_out = 0
    plot.axis.major_tick_in, plot.axis.major_tick_out = 0, 4
    return plot


def region(name: str) -> dict[str, str]:
    """The attributes by which assistive technology finds a part of the page."""
    return {"role": "region", "aria-label": name}


def columns(pictures: Any, timeline: Any, *aside: Any) -> pn.Column:
    """Lay a page out in two columns, which stack on a narrow screen (see layout.css)."""
    return styled(
        "lab-grid",
        styled("lab-main", styled("lab-pictures", pictures), styled("lab-timeline", timeline)),
        styled("lab-aside", *aside),
    )


def styled(name: str, *objects: Any, **options: Any) -> pn.Column:
    """Return a column with one of the classes that layout.css documents."""
    return pn.Column(*objects, **{**style(name), **options})


def within(name: str, *objects: Any) -> pn.Column:
    """Return a column with one of the classes that one_screen.css documents."""
    return pn.Column(*objects, margin=0, **style(name, SCREEN))


def placed(name: str, part: Any) -> Any:
    """Return a component with one of the classes that one_screen.css documents: it needs no box."""
    classes, sheets = [*part.css_classes, name], [*part.stylesheets, SCREEN]
    part.param.update(css_classes=classes, stylesheets=sheets)
    return part


def style(name: str, sheet: str = _LAYOUT) -> dict[str, Any]:
    """The options of a column with one of the classes that layout.css documents."""
    return {"css_classes": [name], "stylesheets": [sheet], "sizing_mode": "stretch_width"}
