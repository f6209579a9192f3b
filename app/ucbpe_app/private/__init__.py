"""Undocumented features of libraries that the app uses: of param here, of Panel in `panel`.

`tests/app/test_private_api.py` fails when a library changes any of it, and when another module
uses a private name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param


def validate(parameter: param.Parameter, value: Any) -> None:
    """Raise param's own ValueError or TypeError for a value that a parameter cannot have."""
    parameter._validate(value)


class OpenSelector(param.Selector):
    """A choice that also takes values that it does not list: those for which `takes` is true."""

    __slots__ = ("takes",)

    def __init__(self, *, takes: Callable[[object], bool], **options: Any) -> None:
        self.takes = takes  # before its default is checked
        super().__init__(**options)

    def _validate_value(self, value: Any, allow_None: bool | None = None) -> None:
        if not self.takes(value):
            super()._validate_value(value, allow_None)
