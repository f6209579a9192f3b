"""The regret curves."""

from app.views.regret.view import RegretView

__all__ = ["RegretView"]
