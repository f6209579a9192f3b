"""A small run and its file, for tests of what is written and of what is read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.runs import document_of, small_run
from ucbpe_core import Trace


@pytest.fixture(scope="package")
def run() -> Trace:
    return small_run()


@pytest.fixture(scope="package")
def document(run: Trace) -> Any:
    return document_of(run)
