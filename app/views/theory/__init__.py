"""The theory on a run: charts over t, the grid of statements, the count, the reasons."""

from app.views.theory.charts import ChartsView
from app.views.theory.coverage import CoverageView
from app.views.theory.grid import StatementGrid
from app.views.theory.reasons import ReasonsView

__all__ = ["ChartsView", "CoverageView", "ReasonsView", "StatementGrid"]
