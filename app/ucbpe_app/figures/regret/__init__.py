"""The regret curves."""

from ucbpe_app.figures.regret.view import RegretView

__all__ = ["RegretView"]
