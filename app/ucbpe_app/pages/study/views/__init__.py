"""The pictures of a study: charts, the table, and how far it is."""

from ucbpe_app.pages.study.views.charts import ChartsView
from ucbpe_app.pages.study.views.table import ProgressView, TableView

__all__ = ["ChartsView", "ProgressView", "TableView"]
