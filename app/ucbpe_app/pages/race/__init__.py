"""A race: two to four configurations on the same function, without widgets."""
