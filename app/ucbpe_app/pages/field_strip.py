"""Settings in one row above the pictures, as a race and a study have them."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ucbpe_app.pages.form import SettingsForm
from ucbpe_app.pages.layouts import WIDE
from ucbpe_app.pages.strip import QUIET

if TYPE_CHECKING:
    from collections.abc import Mapping

    import panel as pn
    from panel.viewable import Viewable

    from ucbpe_app.pages.fields import Accepting
    from ucbpe_app.run.setting import Row

# px: of a field, by what it and its label need.
_WIDTHS: Mapping[str, int] = MappingProxyType(
    {"problem": 192, "replicates": 72, "scale": 88, "results": 104, "durations": 112}
)
_WIDTH = 80  # of the others
_CSS = QUIET + Path(__file__).with_suffix(".css").read_text(encoding="utf-8")


class FieldStrip(SettingsForm):
    """A field for each of these settings, side by side."""

    def __init__(
        self,
        settings: Accepting,
        names: tuple[str, ...],
        **options: Any,
    ) -> None:
        """Take the options of a form."""
        rows: dict[str, Any] = {"": tuple((name,) for name in names)}
        super().__init__(settings, rows, sliders=False, **options)

    def _make_panel(self) -> pn.Column:
        return WIDE.column("wide-fields")

    def _lay_out(self, row: Row) -> list[Viewable]:
        (name,) = row
        control = self.fields[name].control
        control.param.update(
            sizing_mode=None, width=_WIDTHS.get(name, _WIDTH), margin=(2, 8, 2, 0),
            variant="standard", stylesheets=[_CSS],
        )  # fmt: skip
        return [control]
