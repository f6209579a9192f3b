"""A folder for temporary files on a machine whose file system cannot be written."""

from __future__ import annotations

import os
import tempfile

from ucbpe_core.errors import InputError

_IN_MEMORY = "/dev/shm"  # where Linux keeps files in memory, in read-only containers too


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
