"""The one place where HoloViews draws by Matplotlib: in the project's style, whatever is set."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import holoviews as hv
import matplotlib as mpl

from ucbpe_app.line_styles import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def style() -> Iterator[None]:
    """Draw and save within: the settings of both libraries are the report's, and restored after.

    A session may have another backend of HoloViews for its own plots. While that is the current
    one, plots by Matplotlib come out different, even where their options name their backend.
    """
    hv.renderer("matplotlib")  # loads it
    backend = hv.Store.current_backend
    hv.Store.set_current_backend("matplotlib")
    try:
        with mpl.rc_context():
            mpl.rcdefaults()  # a style sheet of the user's, or of another plot, has no say
            mpl.rcParams.update(STYLE)
            yield
    finally:
        hv.Store.set_current_backend(backend)
