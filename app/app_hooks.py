"""What `panel serve app` runs before it listens."""

from __future__ import annotations

from ucbpe_app.app_hooks import process_request

__all__ = ["process_request"]  # the import closes the server
