"""Studies in a process of their own, one at a time for all visitors."""
