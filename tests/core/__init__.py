"""Tests of `ucbpe_core`, one file per module."""
