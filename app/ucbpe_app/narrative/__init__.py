"""The words of an event: where we are, why this point, and the algorithm with its numbers."""

from ucbpe_app.narrative.reasons import role_name
from ucbpe_app.narrative.telling import Line, Telling, tell
from ucbpe_app.narrative.words import coordinates, number, percentage, pick_label, place

__all__ = [
    "Line",
    "Telling",
    "coordinates",
    "number",
    "percentage",
    "pick_label",
    "place",
    "role_name",
    "tell",
]
