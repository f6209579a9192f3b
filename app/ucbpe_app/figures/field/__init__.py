"""The 2-D view."""

from ucbpe_app.figures.field.view import ONE_COLUMN, FieldView

__all__ = ["ONE_COLUMN", "FieldView"]
