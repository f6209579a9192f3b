"""The 1-D view."""

from app.views.line.view import LineView

__all__ = ["LineView"]
