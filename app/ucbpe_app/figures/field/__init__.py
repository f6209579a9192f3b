"""What print still takes from the old view of two inputs."""
