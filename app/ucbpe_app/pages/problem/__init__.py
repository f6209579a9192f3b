"""A person's own problem, without widgets: tables and experiments."""
