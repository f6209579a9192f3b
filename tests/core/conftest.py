"""Every test of the core must leave NumPy's global generator alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

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
