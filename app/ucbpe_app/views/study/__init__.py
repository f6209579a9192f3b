"""The pictures of a study: charts by HoloViews, the table, and how far it is."""

from ucbpe_app.views.study.charts import ChartsView
from ucbpe_app.views.study.progress import ProgressView
from ucbpe_app.views.study.table import TableView

__all__ = ["ChartsView", "ProgressView", "TableView"]
