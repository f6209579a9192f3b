"""What a person's own problem is shown and edited with."""
