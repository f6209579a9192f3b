"""The decision plane."""

from app.views.plane.view import PlaneView

__all__ = ["PlaneView"]
