"""The algorithm in the browser: its modules, its tables, and what a page gives it."""
