"""Where each statement of the documents that the project implements is held: ``corpus/seeds.json`` and its page."""
