"""The words of an event: where we are, why this point, and the algorithm with its numbers."""

from ucbpe_app.run.sentences.event import EventText, Line, describe_event
from ucbpe_app.run.sentences.numbers import (
    coordinate,
    coordinates,
    number,
    percentage,
    pick_label,
    place,
)
from ucbpe_app.run.sentences.reasons import role_name

__all__ = [
    "EventText",
    "Line",
    "coordinate",
    "coordinates",
    "describe_event",
    "number",
    "percentage",
    "pick_label",
    "place",
    "role_name",
]
