"""The command line, as ``python -m ucbpe``; `ucbpe_core` is the library."""
