"""Doubles of the reference translator: broken ones that every judge must fail, harmless ones that none may fail."""
