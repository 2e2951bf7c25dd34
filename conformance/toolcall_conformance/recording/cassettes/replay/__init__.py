"""The checks of recorded exchanges: their bodies, their translations, and drift from the goldens."""
