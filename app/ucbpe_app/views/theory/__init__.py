"""The theory on a run: charts over t, the grid of statements, the count, the reasons."""

from ucbpe_app.views.theory.charts import ChartsView
from ucbpe_app.views.theory.coverage import CoverageView
from ucbpe_app.views.theory.grid import StatementGrid
from ucbpe_app.views.theory.reasons import ReasonsView

__all__ = ["ChartsView", "CoverageView", "ReasonsView", "StatementGrid"]
