"""``ucbpe reproduce``: the paper's section 5, run again, summarised, and its claims tabulated."""
