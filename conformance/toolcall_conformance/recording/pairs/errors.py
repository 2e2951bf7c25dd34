"""What goes wrong with a file of pairs, or with one of the files that it names."""


class PairsError(Exception):
    """A file of pairs that cannot be used: which, where in it, and what to do."""


class UnreadableGoldenError(Exception):
    """A golden file that holds no body: why. The other pairs are judged."""
