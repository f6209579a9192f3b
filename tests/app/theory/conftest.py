"""Runs that the tests of the Theory page share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ucbpe_app.lessons import find
from ucbpe_app.run.cache import RunCache, load
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.settings import RunSpec

START = find("start")


def spec_of(**changes: Any) -> RunSpec:
    """The settings of the first lesson but for these, with the theory's beta."""
    assert START is not None
    return replace(START.spec(), **{"schedule": "Finite set", **changes})


def run_of(**changes: Any) -> Replay:
    """The run of these settings, kept nowhere."""
    return load(spec_of(**changes), cache=RunCache())


@pytest.fixture(scope="session")
def start() -> Replay:
    """8 batches of 4 on the multimodal curve."""
    return run_of()
