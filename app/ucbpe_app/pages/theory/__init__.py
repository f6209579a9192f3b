"""The Theory page: what is proved about a run, beside what it did."""
