"""How policies are drawn, on a page and in print, and how marks become lines of Matplotlib."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

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
