"""A study as figures, tidy tables and one page of text."""
