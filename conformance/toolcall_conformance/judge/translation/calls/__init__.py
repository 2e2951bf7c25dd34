"""Calls: which is which, none lost or invented, their names and arguments."""
