"""What the app uses of param 2 that it does not document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import param


def validate(parameter: param.Parameter, value: Any) -> None:
    """Raise param's own ValueError or TypeError for a value that a parameter cannot have."""
    parameter._validate(value)
