"""Lessons and chapters as a folder for any static host, or as a package for a course system."""
