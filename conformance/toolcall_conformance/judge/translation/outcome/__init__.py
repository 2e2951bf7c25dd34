"""How a reply ended: its reason, its counts, its errors, the end of its stream."""
