"""What is printed: full, concise and JSON reports, and patches."""
