"""The pictures of a race: one per configuration, the regret of all, and a table."""

from app.views.race.cards import Cards
from app.views.race.multiples import MultiplesView
from app.views.race.regret import JointRegretView
from app.views.race.table import TableView
from app.views.race.timeline import RaceTimeline

__all__ = ["Cards", "JointRegretView", "MultiplesView", "RaceTimeline", "TableView"]
