"""What the tests of the core share: no global random state, and registries that are put back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ucbpe_core import policies, problems
from ucbpe_core.gp import kernels
from ucbpe_core.policies import schedules
from ucbpe_core.support import plugins

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def global_generator_untouched() -> Iterator[None]:
    """The core draws from generators of its own only."""
    before = np.random.get_state()  # noqa: NPY002 - it is the global one that is watched
    yield
    after = np.random.get_state()  # noqa: NPY002
    assert before[0] == after[0]
    assert np.array_equal(before[1], after[1])
    assert before[2:] == after[2:]


@pytest.fixture
def registries(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers and loads is forgotten after it."""
    for registry in (kernels.KERNELS, policies.POLICIES, problems.PROBLEMS, schedules.SCHEDULES):
        monkeypatch.setattr(registry, "_items", dict(registry._items))
    for name in ("_sources", "_modules"):
        monkeypatch.setattr(plugins, name, dict(getattr(plugins, name)))


@pytest.fixture
def folder(registries: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where modules are found; those that a test loads are unloaded after it."""
    modules = set(sys.modules)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
