"""A race: two to eight configurations on the same function, without widgets."""
