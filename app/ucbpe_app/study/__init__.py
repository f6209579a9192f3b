"""The results of a study as records, curves with intervals, and figures."""
