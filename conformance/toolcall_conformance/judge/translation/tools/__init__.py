"""Tools: which is which, with name, description and kind."""
