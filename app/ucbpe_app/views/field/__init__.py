"""The 2-D view."""

from ucbpe_app.views.field.view import FieldView

__all__ = ["FieldView"]
