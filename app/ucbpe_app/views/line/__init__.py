"""The 1-D view."""

from ucbpe_app.views.line.view import LineView

__all__ = ["LineView"]
