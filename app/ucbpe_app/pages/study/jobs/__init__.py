"""Studies in separate processes, one at a time for all visitors."""
