"""The pictures of a race: one per configuration, the regret of all, and a table."""

from ucbpe_app.views.race.cards import Cards
from ucbpe_app.views.race.multiples import MultiplesView
from ucbpe_app.views.race.regret import JointRegretView
from ucbpe_app.views.race.table import TableView
from ucbpe_app.views.race.timeline import RaceTimeline

__all__ = ["Cards", "JointRegretView", "MultiplesView", "RaceTimeline", "TableView"]
