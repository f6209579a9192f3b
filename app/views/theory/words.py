"""Errors as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ucbpe_core import UCBPEError


def refusal(error: UCBPEError) -> str:
    """What was expected, what was got and what to do."""
    remedy = f"{error.remedy[:1].upper()}{error.remedy[1:]}"
    return f"No count. Expected {error.expected}; got {error.got}. {remedy}."
