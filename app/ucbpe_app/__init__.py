"""The GP-UCB-PE laboratory: step through every decision of a batch bandit in the browser.

In a notebook, `from ucbpe_app import stepper` and `stepper(trace)`.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """The stepper, imported when it is asked for: commands without a dashboard need none of it."""
    if name == "stepper":
        from ucbpe_app.notebook import stepper

        return stepper
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
