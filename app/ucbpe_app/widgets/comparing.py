"""What pages compare: policies, in HTML and in sentences, and the regrets that compare them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import panel_material_ui as pmui

from ucbpe_app.html import Html
from ucbpe_app.render import legends
from ucbpe_app.render.legends import in_either_theme

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ucbpe_app.pictures.looks import PolicyLook

_PLAIN_WORDS = {"& .MuiToggleButton-root": {"textTransform": "none", "whiteSpace": "nowrap"}}
_PLACE = Html(' style="vertical-align:-4px;margin-right:4px"')


def symbol(look: PolicyLook) -> Html:
    """SVG element of its mark."""
    fill = look.mark.color if look.filled else "none"
    shapes = legends.point(look.mark.marker, fill, line=look.edge, width=1.4)
    return legends.swatch(shapes, _PLACE)


def named(look: PolicyLook, name: str) -> Html:
    """HTML of the mark and of the name in its ink."""
    ink = in_either_theme(look.inks)
    return Html('{}<b style="color:{}">{}</b>').format(symbol(look), ink, name)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: A, B and C."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def units(options: Mapping[str, Any], value: Any = None) -> pmui.RadioButtonGroup:
    """Buttons for what counts as the same progress; the first is chosen unless another is given."""
    chosen = next(iter(options.values())) if value is None else value
    return pmui.RadioButtonGroup(
        options=dict(options), value=chosen, size="small", variant="outlined", margin=0,
        sx=_PLAIN_WORDS,
    )  # fmt: skip


class Measure(StrEnum):
    """Which regret, as links name it; each is better the lower it is. In units of f, on true f."""

    BEST = "best"
    BATCH = "batch"
    CUMULATIVE = "cumulative"
    EVERY = "every"


class Regret(NamedTuple):
    """A regret: its curve of a `Trace`, in a study one of `QUANTITIES`; its tab, and the title."""

    curve: str
    name: str
    title: Html


REGRETS = {
    Measure.BEST: Regret("best_so_far", "best so far", Html("Regret, best so far")),
    Measure.BATCH: Regret(
        "simple_regret",
        "per batch",
        Html("Regret <i>r</i><sub>t</sub><sup>K</sup>, best of the batch"),
    ),
    Measure.CUMULATIVE: Regret(
        "batch_cumulative_regret",
        "cumulative",
        Html("Cumulative <i>R</i><sub>t</sub><sup>K</sup>, best of each batch"),
    ),
    Measure.EVERY: Regret(
        "full_cumulative_regret",
        "every pick",
        Html("Cumulative <i>R</i><sub>tK</sub>, every pick"),
    ),
}
# A study has no initial points: what its policies share is left out.
STUDIED = (
    Regret("running_minimum", "best of the batches", Html("Regret, best of the batches so far")),
    *(regret for measure, regret in REGRETS.items() if measure is not Measure.BEST),
)
