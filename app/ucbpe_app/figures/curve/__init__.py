"""The 1-D view."""

from ucbpe_app.figures.curve.view import LineView

__all__ = ["LineView"]
