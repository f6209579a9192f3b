"""The GP-UCB-PE laboratory: step through every decision of a batch bandit in the browser."""
