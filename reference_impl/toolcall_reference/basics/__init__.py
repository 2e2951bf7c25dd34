"""JSON text, errors, numbers, the bounded store, and pseudorandom ids."""
