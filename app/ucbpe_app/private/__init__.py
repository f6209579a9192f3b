"""Undocumented features of libraries that the app uses: of param here, of Panel in `panel`.

`tests/app/test_private_api.py` fails when a library changes any of it, and when another module
uses a private name.
"""

from __future__ import annotations

from typing import Any

import param


def validate(parameter: param.Parameter, value: Any) -> None:
    """Raise param's own ValueError or TypeError for a value that a parameter cannot have."""
    parameter._validate(value)
