"""Lessons and chapters as a folder for any static host."""
