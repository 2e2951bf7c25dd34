"""Doubles whose fault lives in a conversation: one module a theme. ``model`` says what they are made of."""
