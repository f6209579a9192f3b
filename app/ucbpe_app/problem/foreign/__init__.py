"""A run of another tool, opened from a file and stepped through."""
