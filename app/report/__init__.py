"""``ucbpe report``: a study as figures, tidy tables and one page of text."""

from app.report.command import add_report

__all__ = ["add_report"]
