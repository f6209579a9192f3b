"""Exports of a run: pictures, tables, a script, and a lesson in one file."""
