"""The 2-D view."""

from ucbpe_app.figures.field.layout import ONE_COLUMN
from ucbpe_app.figures.field.view import FieldView

__all__ = ["ONE_COLUMN", "FieldView"]
