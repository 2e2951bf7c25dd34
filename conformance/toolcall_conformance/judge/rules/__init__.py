"""Checks bodies by the rules of their format. The rules themselves are data in the corpus."""
