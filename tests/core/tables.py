"""Where the tests find tables that are not part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ucbpe_core.problems.abalone import DATA_DIR, FILE_NAME

SHARED = Path(__file__).parents[3] / "shared" / "data"


def abalone_file() -> Path:
    """UCI's abalone.data, from `../shared/data` beside the checkout, else from UCBPE_DATA_DIR.

    The table is never committed and no test goes to the network for it: where neither folder
    holds it, the test that asks is skipped.
    """
    folders = [SHARED, *(Path(folder) for folder in [os.environ.get(DATA_DIR)] if folder)]
    for folder in folders:
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
    pytest.skip(f"needs UCI's {FILE_NAME}, in {SHARED} or in the folder that {DATA_DIR} names")
