"""How policies and roles are drawn: colour, shape and dash, for every renderer, page and print."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ucbpe_app import theme

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ucbpe_app.theme import Mark


@dataclass(frozen=True)
class PolicyLook:
    """How one policy is drawn and named, wherever it is: on a page, in print, in a file.

    A mark is never a star or a diamond, which are the roles of picks.

    Attributes
    ----------
    mark : colour and marker; the dash tells apart configurations of one policy
    light, dark : ink of its name, 5.5:1 or more on light pages and on dark ones
    filled : whether its marker is
    """

    mark: theme.Mark
    light: str
    dark: str
    filled: bool = True

    @property
    def edge(self) -> str:
        """The colour around its marks."""
        return self.light if self.filled else self.mark.color

    @property
    def inks(self) -> tuple[str, str]:
        """The inks of its name, for a label."""
        return self.light, self.dark


def _policy(color: str, marker: str, light: str, dark: str, *, filled: bool = True) -> PolicyLook:
    return PolicyLook(theme.Mark(color, marker=marker), light, dark, filled)


# Orange and sky blue have 2.3:1 on white: marks are edged in the light ink.
POLICIES: Mapping[str, PolicyLook] = MappingProxyType(
    {
        "GP-UCB-PE": _policy(theme.BLUE, "circle", "#00639B", "#6FBDEB"),
        "GreedyUCB": _policy(theme.VERMILLION, "square", "#9D4200", "#FF9A57"),
        "GP-BUCB": _policy(theme.GREEN, "triangle", "#006B49", "#3CCB9C"),
        "GP-UCB": _policy(theme.PURPLE, "inverted_triangle", "#8F3F6E", "#E7A6CB"),
        "EI-PE": _policy("#E69F00", "square_pin", "#7E5600", "#E3B34B"),
        "SM-UCB": _policy("#56B4E9", "hex", "#19628B", "#8CCBF0"),
        "Thompson sampling": _policy("#8C6D31", "plus", "#6F5526", "#CDAA6B"),
        "Random search": _policy(theme.INK, "circle", "#525B64", "#A9B3BD", filled=False),
        "Local penalization": _policy("#6B5FD3", "asterisk", "#5A45A8", "#B7A8F2"),
        "Vizier UCB-PE": _policy("#6E8B1F", "square", "#4E6410", "#B4CF66", filled=False),
        "Batched pure exploration": _policy(
            "#B8860B", "triangle", "#6F5000", "#E0B84C", filled=False
        ),
        "IRGP-UCB": _policy("#8A7F2B", "circle_cross", "#5F5610", "#CFC26A", filled=False),
        "PIMS": _policy("#3C8C4E", "square_pin", "#2A6638", "#86CF97", filled=False),
        "Kriging believer": _policy("#5C7FA8", "triangle_pin", "#3E5C80", "#A3BEDD", filled=False),
        "Randomized kriging believer": _policy(
            "#4A6FD0", "square_x", "#3450A0", "#9DB4F0", filled=False
        ),
        "Constant liar": _policy("#A8715C", "plus", "#7A4A38", "#D9AD9C", filled=False),
        "qUCB": _policy("#C8507A", "circle_dot", "#962F57", "#EFA3BE", filled=False),
        "qEI": _policy("#7A78B8", "circle_dot", "#54528C", "#B9B7E4"),
        "Plain UCB": _policy("#B0522A", "square_cross", "#843A18", "#E9A07C", filled=False),
        "Recommended": _policy("#1F9E8F", "circle_x", "#0F6A5F", "#6FD3C5"),
        "Pure exploration": _policy("#C8385A", "triangle_pin", "#9B2743", "#F2A0B0"),
    }
)
DASHES = ("solid", "dashed", "dotted", "dotdash")


def policy_looks(labels: Sequence[str]) -> tuple[PolicyLook, ...]:
    """How lines of policies are drawn, each label beginning with the name of its policy.

    A policy has its colour and its marker; what is of the same policy differs by dash, in order.
    Any other label has a look that no label before it has, first those of no policy here.
    """
    named = [_policy_of(label) for label in labels]
    spare = [policy for policy in POLICIES if policy not in named] or list(POLICIES)
    unknown = iter(range(len(labels)))
    looks, times = [], dict.fromkeys(POLICIES, 0)
    for name in named:
        chosen = name or spare[next(unknown) % len(spare)]
        look, dash = POLICIES[chosen], DASHES[times[chosen] % len(DASHES)]
        looks.append(replace(look, mark=replace(look.mark, dash=dash)))
        times[chosen] += 1
    return tuple(looks)


def _policy_of(label: str) -> str:
    """The longest name of a policy that the label begins with, or ""."""
    return max((name for name in POLICIES if label.startswith(name)), key=len, default="")


# Matplotlib's settings while a figure is drawn and saved; none outlives it. The font is the one
# that comes with Matplotlib, and text becomes outlines: a figure is the same on every machine.
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.linewidth": 0.7,
    "axes.edgecolor": "#444444",
    "axes.labelcolor": "#222222",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.use_mathtext": True,
    "axes.formatter.limits": (-3, 5),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.6,
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "xtick.labelcolor": "#222222",
    "ytick.labelcolor": "#222222",
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "legend.handlelength": 3.2,
    "legend.labelspacing": 0.6,
    "lines.dash_capstyle": "butt",
    "svg.fonttype": "path",
    "svg.hashsalt": "ucbpe",
}


_DASHED = {"solid": "solid", "dashed": (0, (4, 2)), "dotted": (0, (1, 1.6)), "dotdash": "dashdot"}
# Outlines through these points: of a cross, as Matplotlib's own takes no colour of an edge, and of
# a diamond as high as the other markers.
_CROSS = ((-1, -1), (1, 1), (0, 0), (-1, 1), (1, -1), (0, 0))
_DIAMOND = ((0, 1), (2 / 3, 0), (0, -1), (-2 / 3, 0), (0, 1))
_MARKERS: dict[str, Any] = {
    "circle": "o",
    "square": "s",
    "star": "*",
    "diamond": _DIAMOND,
    "x": _CROSS,
    "triangle": "^",
    "inverted_triangle": "v",
    "hex": "H",
    "plus": "P",
    "asterisk": (6, 2, 0),
    "square_pin": (4, 1, 0),
    "triangle_pin": (3, 1, 0),
    "circle_cross": r"$\oplus$",
    "circle_dot": r"$\odot$",
    "square_cross": r"$\boxplus$",
    "square_x": r"$\boxtimes$",
}


@dataclass(frozen=True)
class LineStyle:
    """How one thing is drawn: colour, dash and width of lines, marker and fill of points."""

    color: str = "#000000"
    dash: Any = "solid"
    width: float = 1.6
    marker: Any = "o"
    fill: str = ""  # "" for the colour

    @classmethod
    def of(cls, mark: Mark, width: float = 1.6) -> LineStyle:
        """The pen of a role that the dashboard draws with this mark."""
        return cls(mark.color, _DASHED[mark.dash], width, _MARKERS.get(mark.marker, "o"))

    @property
    def line(self) -> dict[str, Any]:
        """Return the options of a line, for HoloViews and for Matplotlib."""
        return {"color": self.color, "linestyle": self.dash, "linewidth": self.width}


def pens(labels: Sequence[str]) -> dict[str, LineStyle]:
    """Return a pen for each label, most of them policies: the same in all figures."""
    looks = zip(labels, policy_looks(labels), strict=True)
    return {
        label: replace(LineStyle.of(look.mark), fill="" if look.filled else "white")
        for label, look in looks
    }


Shape = Literal[
    "line",
    "step",
    "area",
    "points",
    "rects",
    "vline",
    "hline",
    "image",
    "mask",
    "contour",
    "text",
    "lines",
    "vstrip",
    "segments",
]
# Columns of each shape; of those in `Style.by_row` there is one more each.
COLUMNS: Mapping[Shape, tuple[str, ...]] = MappingProxyType(
    {
        "line": ("x", "y"),
        "step": ("x", "y"),
        "area": ("x", "lower", "upper"),
        "points": ("x", "y"),
        "rects": ("left", "right", "bottom", "top"),
        "vline": ("x",),
        "hline": ("y",),
        "image": ("image", "x", "y", "dw", "dh"),  # of values, shape (1, rows, columns)
        "mask": ("image", "x", "y", "dw", "dh"),  # of 0, which is covered, and 1
        "contour": ("image", "x", "y", "dw", "dh"),  # see `outline.Grid.around`
        "text": ("x", "y", "text", "align", "offset"),
        "lines": ("xs", "ys"),
        "vstrip": ("left", "right"),
        "segments": ("x", "bottom", "top"),
    }
)


@dataclass(frozen=True)
class Style:
    """How one role is drawn, in px of a screen.

    Attributes
    ----------
    mark : colour, dash, and marker of points
    shape : what its columns are
    width : of lines and outlines
    size : of points, across; of texts, the height
    alpha : of lines, and of what fills points and areas; 0 leaves them empty
    casing : px by which a dark line below it is wider, so that it reads over any field; 0 for none
    outline : whether an area has an outline
    hatch : whether an area is hatched
    by_row : what columns say instead: of "marker", "color" (of outlines too), "line" (of outlines
        alone), "fill", "dash", "size", "alpha" (of lines too), "width"; "value", which
        `Plot.colors` makes a colour; or "tip", text for a pointer
    """

    mark: theme.Mark
    shape: Shape
    width: float = 2.0
    size: float = 12.0
    alpha: float = 1.0
    casing: float = 0.0
    outline: bool = False
    hatch: bool = False
    by_row: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return (*COLUMNS[self.shape], *self.by_row)

    @property
    def below(self) -> Style:
        """What is drawn below it, for it to read over any field."""
        kept = tuple(column for column in self.by_row if column in ("marker", "size"))
        dark = theme.Mark(theme.OVER_FIELD_CASING, marker=self.mark.marker)
        alpha = 0.0 if self.shape == "points" else self.alpha
        return replace(self, mark=dark, width=self.width + self.casing, alpha=alpha, by_row=kept)


class Curve(NamedTuple):
    """Values over the candidates: one array, or that and so many times another.

    The arrays are "mean" and "std" of f; "truth"; "noisy", sqrt(beta) sqrt(std^2 + noise variance);
    and of the present std, which counts the picks of the batch, "std_now", "std_before" the last
    pick, "std_inside" the region of exploration, and "updated", sqrt(beta) times that. At an event
    that lacks an array, or where its layer is off, there is no curve.
    """

    of: str
    times: float = 0.0
    spread: str = ""


class Line(NamedTuple):
    """A line over the candidates of one input, drawn where none of its curves is missing.

    Attributes
    ----------
    role : in the plot "function" the text ``label.<role>`` is its name
    curves : drawn as one line with gaps
    plot : where it is
    small : whether it is in the small pictures of a race, too
    """

    role: str
    style: Style
    curves: tuple[Curve, ...]
    plot: str = "function"
    small: bool = False


def _around(spread: str) -> tuple[Curve, ...]:
    return Curve("mean", -1.0, spread), Curve("mean", 1.0, spread)


_BEFORE = theme.Mark(theme.INK, dash="dotted")
# From the bottom up. The engine in the browser computes and draws them from these rows, too.
LINES = (
    Line("noisy", Style(theme.BAND, "line", width=1.0), _around("noisy")),
    Line("updated", Style(theme.UPDATED_BAND, "line"), _around("updated")),
    Line("truth", Style(theme.TRUTH, "line"), (Curve("truth"),), small=True),
    Line("mean", Style(theme.MEAN, "line", width=2.5), (Curve("mean"),), small=True),
    Line("before", Style(_BEFORE, "line"), (Curve("std_before"),), "std"),
    Line("outside", Style(theme.MEAN, "line", alpha=0.5), (Curve("std_now"),), "std"),
    Line("std", Style(theme.MEAN, "line", width=2.5), (Curve("std_inside"),), "std"),
)
_QUIET = theme.Mark(theme.INK)
_OVER = theme.Mark(theme.OVER_FIELD)
_EVERY = theme.Mark(theme.ORANGE, marker="square")
STYLES: Mapping[str, Style] = MappingProxyType(
    {
        # The posterior.
        "band": Style(theme.BAND, "area", alpha=0.24),
        "band_outside": Style(theme.BAND, "area", alpha=0.12),  # outside R+
        **{line.role: line.style for line in LINES},
        # Draws of f; what a candidate tells of others.
        "draws": Style(
            theme.MEAN, "lines", width=1.1, by_row=("color", "dash", "width", "alpha")
        ),
        "draw": Style(_QUIET, "image"),
        "draw_dots": Style(_QUIET, "points", width=0.0, by_row=("size", "value")),
        "told_over": Style(theme.Mark(_OVER.color, "dotdash"), "contour", width=1.8, casing=2.2),
        "told_prior": Style(theme.Mark(_OVER.color, "dotted"), "contour", width=1.4, casing=1.4),
        "told": Style(theme.Mark(theme.GREEN), "lines", by_row=("dash", "width")),
        # What is chosen and what is measured.
        "y_dot": Style(theme.Y_DOT, "hline", width=2.5),
        "bracket": Style(theme.CERTIFICATE, "line", width=3.0),
        "gain": Style(theme.CERTIFICATE, "rects", alpha=0.28, outline=True),
        "guide": Style(_QUIET, "vline", width=1.0, alpha=0.7),
        "data": Style(theme.DATA, "points", width=2.5, alpha=0.0, by_row=("size",)),
        "as_measured": Style(  # what was moved, or left out
            theme.Mark(theme.INK + "80", marker="x"), "points", width=1.5, size=9, alpha=0.0
        ),
        "found": Style(theme.Mark(theme.DATA.color), "points", width=2.5, size=24, alpha=0.0),
        "handle": Style(
            theme.Mark(theme.DATA.color), "points", width=0.0, size=9, by_row=("marker",)
        ),
        "fresh": Style(theme.Mark(theme.DATA.color), "points", width=1.0, size=20, alpha=0.0),
        "picks": Style(
            theme.Mark(theme.PAGE, marker="diamond"), "points", width=1.2,
            by_row=("marker", "fill", "size"),
        ),
        "pending": Style(  # picks without a result yet
            theme.PE_PICK, "points", width=2.0, alpha=0.0, by_row=("marker", "color", "size")
        ),
        "results": Style(theme.DATA, "points", by_row=("marker", "color", "size")),
        "pointed": Style(
            theme.Mark(_OVER.color, marker="circle_cross"), "points", width=1.4, size=15,
            alpha=0.0, casing=2.2,
        ),
        # The relevant region.
        "strip": Style(_QUIET, "rects", alpha=0.1),
        "region": Style(theme.REGION, "rects", alpha=0.9),
        "region_plus": Style(
            theme.REGION_PLUS, "rects", width=1.5, alpha=0.2, outline=True, hatch=True
        ),
        "compared": Style(theme.REGION_PLUS, "rects", width=1.5, alpha=0.0, outline=True),
        "allowed": Style(theme.REGION_PLUS, "rects", width=1.5, alpha=0.35, outline=True),
        # The decision plane.
        "half_plane": Style(theme.REGION_PLUS, "area", alpha=0.12),
        "plane_dots": Style(_QUIET, "points", width=0.0, size=5, alpha=0.55),
        "plane_dots_plus": Style(
            theme.Mark(theme.REGION_PLUS.color), "points", width=0.0, size=5, alpha=0.9
        ),
        "plus_edge": Style(theme.REGION_PLUS, "line"),
        "compared_edge": Style(theme.Mark(theme.REGION_PLUS.color, dash="dotted"), "line"),
        "equal_lower": Style(theme.Y_DOT, "line", width=2.5),
        "equal_upper": Style(theme.UCB_PICK, "line"),
        # Another run, behind.
        "pinned": Style(theme.PINNED, "line", width=1.2),
        "pinned_picks": Style(
            theme.PINNED, "points", width=1.5, size=11, alpha=0.0, by_row=("marker",)
        ),
        # Over a field.
        "values": Style(_QUIET, "image"),
        "dots": Style(_QUIET, "points", width=0.0, by_row=("size", "value")),  # off a grid
        "veil": Style(_QUIET, "mask", alpha=0.66),  # outside R+
        "veiled": Style(_QUIET, "points", width=0.0, alpha=0.66, by_row=("size",)),
        "outline": Style(_OVER, "contour", width=1.8, casing=2.2),  # of R+
        "outline_small": Style(_OVER, "contour", width=1.0, casing=1.2),
        "outline_region": Style(
            theme.Mark(_OVER.color, "dashed"), "contour", width=1.8, casing=2.2
        ),
        "outline_compared": Style(
            theme.Mark(_OVER.color, "dotted"), "contour", width=1.6, casing=1.0
        ),
        "data_over": Style(
            theme.Mark(_OVER.color, marker=theme.DATA.marker), "points", width=1.4, casing=1.4,
            alpha=0.0, by_row=("size",),
        ),
        "optimum": Style(
            theme.Mark(_OVER.color, marker="square"), "points", size=18, alpha=0.0, casing=2.0
        ),
        "picks_over": Style(
            _OVER, "points", width=1.0, casing=2.0, by_row=("marker", "fill", "size")
        ),
        "pending_over": Style(
            _OVER, "points", width=1.4, casing=2.0, alpha=0.0, by_row=("marker", "size")
        ),
        "picks_small": Style(
            _OVER, "points", width=1.0, casing=1.2, by_row=("marker", "fill", "size")
        ),
        "ring": Style(_OVER, "points", size=34, alpha=0.0, casing=2.0),  # around the current one
        "bracket_over": Style(
            theme.Mark(_OVER.color, marker="square"), "points", size=20, alpha=0.0, casing=2.0
        ),
        "bracket_name": Style(_OVER, "text", size=13.0, casing=3.0),
        "numbers": Style(_OVER, "text", size=13.0, casing=3.0),
        "pinned_outline": Style(
            theme.Mark(_OVER.color, "dotted"), "contour", width=1.6, casing=1.0
        ),
        "pinned_over": Style(
            _OVER, "points", width=1.2, size=12, alpha=0.0, casing=1.8, by_row=("marker",)
        ),
        "lit": Style(theme.Mark(theme.ORANGE), "rects", width=4.0, alpha=0.0, outline=True),
        # The atlas of settings.
        "useless_line": Style(_OVER, "line", width=1.8, casing=2.2),
        "useless": Style(_OVER, "rects", alpha=0.0, hatch=True),  # where R+ excludes nothing
        "cell": Style(_OVER, "rects", width=2.0, alpha=0.0, casing=2.0, outline=True),
        "near": Style(_OVER, "vline", width=1.5, casing=2.0),
        "here": Style(_OVER, "points", size=22, alpha=0.0, casing=2.0),
        "theory": Style(theme.Mark(_OVER.color, dash="dashed"), "hline", width=1.5, casing=2.0),
        "likelihood": Style(theme.MEAN, "line", width=2.5),
        "likely": Style(theme.MEAN, "vstrip", alpha=0.12),
        "likeliest": Style(theme.MEAN, "points", size=9),
        # Charts over batches.
        "beta": Style(theme.BAND, "line", width=2.5),
        "schedules": Style(theme.Mark(theme.INK, dash="dashed"), "line", width=1.5),
        "deltas": Style(theme.BAND, "area", alpha=0.2),
        "now": Style(theme.MEAN, "vstrip", alpha=0.12),
        "lead": Style(theme.Mark(theme.INK, dash="dotted"), "line"),
        "start": Style(_QUIET, "points", size=10, alpha=0.0),
        "regret": Style(theme.MEAN, "line"),
        "regret_dots": Style(theme.MEAN, "points", width=1.0, size=8),
        "running": Style(theme.Mark(theme.GREEN, dash="dashed"), "step"),
        "stop": Style(theme.CERTIFICATE, "line", width=2.5),
        "stop_true": Style(theme.Mark(theme.CERTIFICATE.color, dash="dotted"), "line"),
        "every": Style(_EVERY, "line"),
        "every_dots": Style(_EVERY, "points", width=1.0, size=7),
        "trivial": Style(theme.Mark(theme.INK, dash="dotdash"), "line"),
        "greedy": Style(theme.Mark(theme.GREEN, dash="dashed"), "line"),
        "promised": Style(theme.Mark(theme.INK, dash="dotted"), "line"),
        "delta": Style(theme.Mark(theme.GREEN, dash="dotdash"), "line"),
        "regret_limits": Style(theme.MEAN, "area", alpha=0.16),
        "every_limits": Style(_EVERY, "area", alpha=0.16),
        "whiskers": Style(_QUIET, "segments", width=1.5, by_row=("color", "alpha")),
        "lines": Style(_QUIET, "lines", by_row=("color", "dash", "width")),
        "marks": Style(
            _QUIET, "points", width=1.0, by_row=("marker", "fill", "line", "size", "alpha", "tip")
        ),
        "printed": Style(theme.Mark(theme.PURPLE, dash="dashed"), "line"),
        "proved": Style(theme.Mark(theme.PURPLE), "line"),
        # Workers.
        "done_job": Style(theme.UCB_PICK, "rects", alpha=0.75),
        "done_explorer": Style(theme.PE_PICK, "rects", alpha=0.75),
        "running_job": Style(_QUIET, "rects", width=1.0, alpha=0.15, outline=True),
        "own_bar": Style(theme.MEAN, "rects"),
        "bars": Style(theme.Mark(theme.PURPLE), "rects", alpha=0.65),
        "largest_bar": Style(theme.Mark(theme.PURPLE), "rects"),
    }
)  # fmt: skip
