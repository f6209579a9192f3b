"""A person's own problem, without widgets: tables, drawn curves and experiments."""
