"""Whether a server fetches what a problem needs from the network."""

from __future__ import annotations

import os

from ucbpe_core.problems.abalone import DOWNLOADS


def decide_on_downloads(*, allowed: bool = False) -> None:
    """Allow downloads, or forbid them unless the environment of the operator says otherwise.

    A link names a problem, and whoever opens it, or an image on any web page, has the server look
    for it. In the environment, so that the processes of studies, which this one starts, obey too.
    """
    if allowed:
        os.environ[DOWNLOADS] = "yes"
    else:
        os.environ.setdefault(DOWNLOADS, "no")
