"""How the laboratory is served: routes, sessions, processes, memory and logs."""
