"""Results: each at its call, with its content and its error mark."""
