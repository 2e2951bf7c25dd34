"""Texts: none lost, invented, moved or given to the other side."""
