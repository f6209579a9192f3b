"""What a cell keeps for where no kernel answers: a picture, and the run as a live lesson."""

from __future__ import annotations

import zlib
from base64 import b64encode
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ucbpe_app.plots import Picture

_STYLE, _SCRIPT = (
    Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("cell.css", "cell.js")
)
# Where no script runs, the picture is what is seen of it.
_CELL = """<div class="ucbpe-cell">{stepper}
<div class="ucbpe-kept">
<style>{style}</style>
{picture}{note}{lost}{run}<script>{script}</script>
</div>
</div>"""
_PICTURE = '<img class="ucbpe-still" style="max-width: 100%" alt="{}" {}>\n'
# Of a kernel that had answered. A page that keeps the run can go on without it.
_LOST = '<p class="ucbpe-lost" role="status" hidden>{}</p>\n'
_SILENT = "The kernel no longer answers: it was restarted or shut down, or is busy. "
_GOES_ON = "Here the same run goes on without it. Run the cell again to connect it with the kernel."
_STAYS = "The pictures stay as they are until you run the cell again."
_RUN = '<script type="text/plain" class="ucbpe-run">{}</script>\n'


def cell(stepper: str, still: Picture, page: str, note: str = "") -> str:
    """The HTML of a cell.

    Parameters
    ----------
    stepper : HTML that the kernel answers, or nothing
    page : the run as an HTML page, or nothing
    note : HTML below the picture
    """
    run = _RUN.format(_base64(zlib.compress(page.encode(), 9))) if page else ""
    picture = _PICTURE.format(
        escape(still.words), f'src="data:image/png;base64,{_base64(still.png)}"'
    )
    lost = _LOST.format(_SILENT + (_GOES_ON if page else _STAYS))
    parts = {"stepper": stepper, "picture": picture, "note": note, "lost": lost, "run": run}
    return _CELL.format(style=_STYLE, script=_SCRIPT, **parts)


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")
