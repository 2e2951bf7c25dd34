"""Captured bodies: of which format and direction each is, what it is wrapped in, and which belong together."""
