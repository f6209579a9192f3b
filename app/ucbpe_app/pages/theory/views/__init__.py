"""What the Theory page shows, and its style sheet."""

from pathlib import Path
from typing import Any

import panel as pn

TEXTS = (Path(__file__).parents[1] / "page.css").read_text(encoding="utf-8")


def styled(name: str, *objects: Any) -> pn.Column:
    """Return a column with one of the classes of the style sheet."""
    return pn.Column(
        *objects, css_classes=[name], stylesheets=[TEXTS], sizing_mode="stretch_width", margin=0
    )
