"""A fuzzer of hostility: hostile values at every place where something foreign can put one. See ``__main__``."""
