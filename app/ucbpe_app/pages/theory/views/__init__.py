"""The theory on a run: charts over t, the grid of statements, the count, the reasons."""
