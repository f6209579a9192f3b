"""Errors as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.run.errors import sentences

if TYPE_CHECKING:
    from ucbpe_core import UCBPEError


def refusal(error: UCBPEError) -> str:
    """What was expected, what was got and what to do."""
    return f"No count. {sentences(error)}"
