"""The decision plane: small beside function panels, large where there are none."""

from app.views.plane.large import LargePlaneView
from app.views.plane.view import PlaneView

__all__ = ["LargePlaneView", "PlaneView"]
