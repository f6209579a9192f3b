"""The 2-D view."""

from app.views.field.view import FieldView

__all__ = ["FieldView"]
