"""What the Theory page shows, and its style sheet."""

from pathlib import Path

from ucbpe_app.pages.layouts import Sheet

SHEET = Sheet(Path(__file__).parents[1] / "page.css")
