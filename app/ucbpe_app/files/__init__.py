"""A run as one HTML file, whose events can be stepped through without server or network."""

from ucbpe_app.files.page import MOST_EVENTS, lesson

__all__ = ["MOST_EVENTS", "lesson"]
