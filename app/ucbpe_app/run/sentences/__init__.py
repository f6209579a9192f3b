"""The words of an event: where we are, why this point, and the algorithm with its numbers."""

from ucbpe_app.run.sentences.event import EventText, Line, changed, describe_event, describe_stop
from ucbpe_app.run.sentences.reasons import role_name
from ucbpe_app.run.sentences.texts import (
    closer,
    coordinate,
    coordinates,
    number,
    percentage,
    pick_label,
    place,
    place_in,
    result,
    spread,
)

__all__ = [
    "EventText",
    "Line",
    "changed",
    "closer",
    "coordinate",
    "coordinates",
    "describe_event",
    "describe_stop",
    "number",
    "percentage",
    "pick_label",
    "place",
    "place_in",
    "result",
    "role_name",
    "spread",
]
