"""The keys of the corpus's files, from their JSON Schemas: the page ``corpus/keys.md``."""
