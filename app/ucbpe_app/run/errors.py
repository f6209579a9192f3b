"""Errors in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ucbpe_core import UCBPEError


def sentences(error: UCBPEError) -> str:
    """What was expected, what was got and what to do, as plain text."""
    remedy = f"{error.remedy[:1].upper()}{error.remedy[1:]}"
    subject, _, wanted = error.expected.partition(" to be ")
    expected = f"{subject} must be {wanted}" if wanted else f"Expected {subject}"
    return f"{expected}; got {error.got}. {remedy}."
