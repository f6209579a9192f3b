"""What `panel serve app` runs before it listens."""

from __future__ import annotations

from ucbpe_app import app_hooks

__all__ = ["app_hooks"]  # closes the server as it is imported
