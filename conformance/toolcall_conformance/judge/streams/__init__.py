"""Streams that a client received: whole, broken off, failed, cut."""
