"""pytest-xdist: what a worker and its controller tell each other."""
