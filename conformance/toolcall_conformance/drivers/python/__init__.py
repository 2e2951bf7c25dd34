"""A translator in this interpreter."""
