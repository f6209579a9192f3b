"""The pictures of a study: charts by HoloViews, the table, and how far it is."""

from app.views.study.charts import ChartsView
from app.views.study.progress import ProgressView
from app.views.study.table import TableView

__all__ = ["ChartsView", "ProgressView", "TableView"]
