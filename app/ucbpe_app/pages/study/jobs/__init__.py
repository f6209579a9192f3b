"""Studies in a separate process, one at a time for all visitors."""
