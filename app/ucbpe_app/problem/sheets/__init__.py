"""Tables that a person brings: their text, their columns, and what those are for."""
