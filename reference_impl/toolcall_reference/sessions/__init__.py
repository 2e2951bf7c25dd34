"""What a session remembers between exchanges."""
