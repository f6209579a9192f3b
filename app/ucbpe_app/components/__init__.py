"""What pages are built of, where Panel and its material library have nothing that serves."""
