"""How a run ends: whole, stopped, or hung."""
