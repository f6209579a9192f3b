"""The pictures of a study: charts, the table, and how far it is."""

from ucbpe_app.pages.study.views.charts import ChartsView
from ucbpe_app.pages.study.views.progress import ProgressView
from ucbpe_app.pages.study.views.table import TableView

__all__ = ["ChartsView", "ProgressView", "TableView"]
