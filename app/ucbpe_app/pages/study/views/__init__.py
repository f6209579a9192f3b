"""The pictures of a study: charts, the ranking, and how far it is."""

from ucbpe_app.pages.study.views.progress import ProgressView
from ucbpe_app.pages.study.views.results import ChartsView, RankingView

__all__ = ["ChartsView", "ProgressView", "RankingView"]
