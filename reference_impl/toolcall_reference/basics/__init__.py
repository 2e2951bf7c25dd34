"""JSON as text, errors, what is kept within a limit, and what seeds make."""
