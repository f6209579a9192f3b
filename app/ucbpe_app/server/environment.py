"""What the process of a server is given before it serves: its environment and its interpreter."""

from __future__ import annotations

import gc
import os
import sys
import tempfile

from ucbpe_core.errors import InputError
from ucbpe_core.problems.abalone import DOWNLOADS

_IN_MEMORY = "/dev/shm"  # where Linux keeps files in memory, in read-only containers too


def decide_on_downloads(*, allowed: bool = False) -> None:
    """Allow downloads, or forbid them unless the environment of the operator says otherwise.

    A link names a problem, and whoever opens it, or an image on any web page, has the server look
    for it. In the environment, so that the processes of studies, which this one starts, obey too.
    """
    if allowed:
        os.environ[DOWNLOADS] = "yes"
    else:
        os.environ.setdefault(DOWNLOADS, "no")


def provide_temporary_folder() -> None:
    """Have this process, and those that it starts, find a folder for temporary files.

    The library of the pictures does not load without one, and the workers of a study do not start.

    Raises
    ------
    InputError
        If there is none.
    """
    try:
        tempfile.gettempdir()
    except FileNotFoundError as error:
        os.environ["TMPDIR"] = _IN_MEMORY  # what Python looks for first
        try:
            tempfile.gettempdir()
        except FileNotFoundError:
            remedy = "set TMPDIR to one that can be written, such as a tmpfs of 100 MB"
            raise InputError("a folder for temporary files", str(error), remedy) from None


def share_the_interpreter() -> None:
    """Set Python up for a process in which many wait for short answers.

    It looks for garbage never among what is imported. A thread that computes, as for somebody's
    charts, gives way after half a millisecond: a step waits for its turn a dozen times, each of
    which would be 5 ms.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(0.0005)  # s
