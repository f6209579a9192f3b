"""Any candidate at an event: what is known of it, its rank, and and a guess of the next pick."""
