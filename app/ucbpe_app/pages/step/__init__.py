"""The Step page: every decision of a run, forward and back."""
