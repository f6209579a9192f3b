"""The GP-UCB-PE laboratory: step through every decision of a batch bandit in the browser.

In a notebook, `from ucbpe_app import stepper` and `stepper(trace)`; or `page`, and `page()` for the
whole dashboard.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ucbpe_app.main import page
    from ucbpe_app.notebook import stepper

__all__ = ["page", "stepper"]

if not TYPE_CHECKING:  # a checker is to know the names that there are

    def __getattr__(name: str) -> Any:
        """A public name, imported when it is asked for: not every command needs a dashboard."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            if name == "page":
                from ucbpe_app.main import page as found
            else:
                from ucbpe_app.notebook import stepper as found
        except ModuleNotFoundError as missing:
            from ucbpe_core.errors import InputError
            from ucbpe_core.support.optional import install, is_of_extra

            if not is_of_extra(missing):
                raise
            raise InputError(
                f"what the {name} needs to be installed", str(missing), install("app")
            ) from None
        return found
