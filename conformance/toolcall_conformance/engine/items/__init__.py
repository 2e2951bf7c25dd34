"""Which items a run has, and the nodes of pytest for them."""
