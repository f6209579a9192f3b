"""The Theory page: what is proved of a run, beside what it did."""
