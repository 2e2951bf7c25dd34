"""A Python translator in a child process of this interpreter."""
