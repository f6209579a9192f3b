"""The 2-D view."""

from ucbpe_app.figures.field.view import FieldView

__all__ = ["FieldView"]
