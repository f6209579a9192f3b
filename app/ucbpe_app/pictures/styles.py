"""How each role is drawn: the one table from which every renderer takes shape, colour and dash."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from ucbpe_app import theme

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    palette : the colours of an image's values 0, 1, ...
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
    palette: tuple[str, ...] = ()

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


_QUIET = theme.Mark(theme.INK)
_OVER = theme.Mark(theme.OVER_FIELD)
_EVERY = theme.Mark(theme.ORANGE, marker="square")
STYLES: Mapping[str, Style] = MappingProxyType(
    {
        # The posterior.
        "band": Style(theme.BAND, "area", alpha=0.24),
        "band_outside": Style(theme.BAND, "area", alpha=0.12),  # outside R+
        "mean": Style(theme.MEAN, "line", width=2.5),
        "truth": Style(theme.TRUTH, "line"),
        "noisy": Style(theme.BAND, "line", width=1.0),
        "updated": Style(theme.UPDATED_BAND, "line"),
        "std": Style(theme.MEAN, "line", width=2.5),
        "outside": Style(theme.MEAN, "line", alpha=0.5),  # std outside R+
        "before": Style(theme.Mark(theme.INK, dash="dotted"), "line"),
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
        "plane_image": Style(
            _QUIET, "image", palette=("#00000000", theme.INK + "8C", theme.REGION_PLUS.color)
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
