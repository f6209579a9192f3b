"""The regret curves."""

from ucbpe_app.views.regret.view import RegretView

__all__ = ["RegretView"]
