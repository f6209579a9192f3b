"""What columns of settings have in common: which fields are shown, and how they are laid out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.pages.fields import ChoiceField
from ucbpe_app.run.choices import (
    KERNELS,
    POLICIES,
    PROBLEM_NAMES,
    SCHEDULES,
    SEEDED_PROBLEMS,
    users,
)
from ucbpe_app.run.settings import OF_KERNEL, OF_SCHEDULE
from ucbpe_core import GPUCB

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    import param
    from panel.viewable import Viewable

    from ucbpe_app.run.settings import Settings
    from ucbpe_core import UCBPEError

# Settings that only some choices use: name -> (setting that decides, values it is shown for).
SHOWN_FOR: dict[str, tuple[str, tuple[str, ...]]] = {
    "problem_seed": ("problem", SEEDED_PROBLEMS),
    **{name: ("kernel", users(KERNELS, name)) for name in OF_KERNEL},
    **{name: ("schedule", users(SCHEDULES, name)) for name in OF_SCHEDULE},
    "batch_size": (
        "policy", tuple(name for name in users(POLICIES, "batch_size") if name != GPUCB.name)
    ),
}  # fmt: skip


class ProblemField(ChoiceField):
    """Choosing a problem brings the prior that it suggests, once the problem is made by `choose`.

    A refused problem leaves its notice and not its name, so that choosing it again tries again.
    """

    def __init__(self, settings: Settings, choose: Callable[[str], Awaitable[None]]) -> None:
        names = {label: name for name, label in PROBLEM_NAMES.items()}
        super().__init__(settings, "problem", names)
        self._choose = choose

    def refuse(self, error: UCBPEError) -> None:
        self._show(self.settings.problem)
        super().refuse(error)

    def _edit(self, event: param.parameterized.Event) -> None:
        if not self._syncing:
            self.accepted()
            pn.state.execute(partial(self._choose, event.new))

    def _follow(self, event: param.parameterized.Event) -> None:
        super()._follow(event)
        self.accepted()


def group_heading(text: str) -> Any:
    """The title of a group of settings."""
    return pmui.Typography(text, variant="overline", margin=(6, 0, 0, 0))


def side_by_side(controls: Iterable[Viewable]) -> pn.Row:
    """Controls that share a row."""
    return pn.Row(*controls, sizing_mode="stretch_width", margin=0, styles={"gap": "8px"})
