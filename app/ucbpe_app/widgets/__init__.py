"""What two pages or more use, with their scripts and styles."""
