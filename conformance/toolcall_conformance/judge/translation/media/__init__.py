"""Media: every picture, document or sound, once, where it belongs."""
