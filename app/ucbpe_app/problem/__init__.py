"""The page Your problem."""
