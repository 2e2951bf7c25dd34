"""A translator in any language: a child process that answers JSON Lines."""
