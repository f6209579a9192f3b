"""The theory on a run: charts over t, the grid of statements, the count, the reasons."""

from ucbpe_app.pages.theory.views.charts import ChartsView
from ucbpe_app.pages.theory.views.coverage import CoverageView
from ucbpe_app.pages.theory.views.grid import StatementGrid
from ucbpe_app.pages.theory.views.reasons import ReasonsView

__all__ = ["ChartsView", "CoverageView", "ReasonsView", "StatementGrid"]
