"""A run as one HTML file: every event stepped in the browser, with no server and no network."""

from ucbpe_app.export.lesson.page import MOST_EVENTS, lesson

__all__ = ["MOST_EVENTS", "lesson"]
