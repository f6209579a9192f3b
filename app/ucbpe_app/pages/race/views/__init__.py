"""The pictures of a race: its configurations, one map of each, the regret of all, and a table."""

from ucbpe_app.pages.race.views.cards import Cards
from ucbpe_app.pages.race.views.multiples import MultiplesView
from ucbpe_app.pages.race.views.results import TableView, regrets

__all__ = ["Cards", "MultiplesView", "TableView", "regrets"]
