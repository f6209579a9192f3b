"""The one place where HoloViews draws by Matplotlib: in the project's style, whatever is set."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import holoviews as hv
import matplotlib as mpl

from ucbpe_app.line_styles import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# What is set below belongs to the process, and Matplotlib's caches of fonts are not thread-safe.
_LOCK = threading.RLock()


@contextmanager
def style(settings: Mapping[Any, Any] = MappingProxyType({})) -> Iterator[None]:
    """Draw and save within: the settings of both libraries are the report's, and restored after.

    Only one thread at a time.

    A session may have another backend of HoloViews for its own plots. While that is the current
    one, plots by Matplotlib come out different, even where their options name their backend.

    Parameters
    ----------
    settings : of Matplotlib's, beside the report's or instead of them
    """
    with _LOCK:
        hv.renderer("matplotlib")  # loads it
        backend = hv.Store.current_backend
        hv.Store.set_current_backend("matplotlib")
        try:
            with mpl.rc_context():
                mpl.rcdefaults()  # a style sheet of the user's, or of another plot, is not applied
                mpl.rcParams.update({**STYLE, **settings})
                yield
        finally:
            hv.Store.set_current_backend(backend)


def literal(words: str) -> str:
    """Words whose dollar signs begin no formula."""
    return words.replace("$", r"\$")
