"""The decision plane: small beside function panels, large where there are none."""

from ucbpe_app.figures.plane.large import LargePlaneView
from ucbpe_app.figures.plane.view import PlaneView

__all__ = ["LargePlaneView", "PlaneView"]
