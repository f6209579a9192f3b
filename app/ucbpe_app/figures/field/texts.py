"""What the 2-D view says in words: titles, the size of the region, the legend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app import theme
from ucbpe_app.figures import legends
from ucbpe_app.figures.field.pinned import swatch
from ucbpe_app.figures.field.region import PLUS_DASH, REGION_DASH
from ucbpe_app.figures.marks import pick_entries
from ucbpe_app.run.events import Kind
from ucbpe_app.run.sentences import number, percentage

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.validation import Booleans


MEAN_TITLE = "Mean μ"


def truth_title(scene: Scene) -> str:
    """The name of f."""
    return f"Truth {scene.axes[-1]}"


def bound_title(frame: Frame, sign: float) -> str:
    """How the bound is made; where f is minimised it is the lower one."""
    bound = "Bound μ +" if sign > 0 else "Bound μ −"
    return f"{bound} {number(frame.sqrt_beta)} σ"


def std_title(frame: Frame) -> str:
    """How many picks of this batch the std counts as measured."""
    given = frame.event.k if frame.event.kind is Kind.PICK else 0
    if given == 0:
        return "Std σ"
    return f"Std σ given {given} pick{'' if given == 1 else 's'}"


def note(frame: Frame) -> str:
    """The band of the upper bound, and the size of the region: no outline tells that it is all."""
    band = f"Band: mean ± {number(frame.sqrt_beta)} std (β = {number(frame.beta)})."
    return f"{band} {_region(frame.region, frame.region_plus)}".rstrip()


def _region(region: Booleans | None, region_plus: Booleans | None) -> str:
    if region is None or region_plus is None:
        return ""
    if region.all():
        return "R⁺ = R = X: nothing is ruled out yet."
    if region_plus.all():
        return f"R⁺ = X: nothing is ruled out yet. R is {percentage(region)} of X."
    plus, inner = percentage(region_plus), percentage(region)
    return f"R⁺ is {plus} of X, R is {inner}. Outside R⁺ is faded."


def legend(roles: tuple[str, ...], *, outlined: bool, pinned: str = "") -> list[legends.Entry]:
    """The marks of the roles, roles that look alike together, and of data; and the lines where
    there are any: off a grid R+ is told by fading the rest. `pinned` names the run behind, if any.
    """
    dark, light = theme.OVER_FIELD_CASING, theme.OVER_FIELD
    point, stroke = legends.point, legends.stroke
    items = pick_entries(roles)
    cross = theme.DATA.marker
    crossed = point(cross, "none", line=dark, width=3) + point(cross, "none", line=light, width=1.4)
    items.append((crossed, "data"))
    if outlined:
        for dash, name in ((PLUS_DASH, "R⁺"), (REGION_DASH, "R")):
            items.append((stroke(dark, width=4) + stroke(light, dash, 1.8), name))
    if pinned:
        items.append((swatch(outlined=outlined), pinned))
    return items
