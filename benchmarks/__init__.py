"""Speed, measured as ratios within one process. `make bench` runs every module here."""
