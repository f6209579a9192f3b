"""Exports of a run: pictures, a film, tables, a script, and a lesson in one file."""
