"""Streams through a translator: whole, cut, broken, two at once."""
