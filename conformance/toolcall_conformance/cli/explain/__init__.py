"""``toolcall-conformance explain``: what a rule, a case, an item or a word of the vocabulary means, and why."""
