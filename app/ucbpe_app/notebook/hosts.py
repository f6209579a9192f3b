"""Which notebook shows a cell, and whether a cell of it can be connected with the kernel."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import panel as pn

from ucbpe_app.private.panel import is_loaded

# What is asked is what Panel asks before it uses widgets.
_WIDGETS, _VSCODE, _COLAB = "jupyter_bokeh", ("VSCODE_PID", "VSCODE_CWD"), "google.colab"
MISSING = "pip install 'ucbpe[widgets]'"


def lacks_widgets() -> bool:
    """Whether VS Code or Colab runs this kernel, and what they need to reach it is missing."""
    here = _COLAB in sys.modules or any(name in os.environ for name in _VSCODE)
    return here and find_spec(_WIDGETS) is None


def in_marimo() -> bool:
    """Whether this is a cell of a marimo notebook that is open in a browser."""
    marimo = sys.modules.get("marimo")
    return marimo is not None and marimo.app_meta().request is not None


def load_extension() -> None:
    """Load what the stepper needs in this notebook, unless `pn.extension` has been called.

    Inline, so that nothing is fetched from a network. Without a kernel there is nothing to load.
    """
    if _in_jupyter() and not is_loaded():
        pn.extension(inline=True)


def _in_jupyter() -> bool:
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")
