"""Lengths of a printed page."""

CM = 1 / 2.54  # inches
WIDTH = 17.0  # cm: a page of A4 or letter between its margins
PT = 0.62  # points per pixel of the dashboard, whose pictures are wider than a page
QUIET = "#555555"
