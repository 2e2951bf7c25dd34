"""``toolcall-conformance mutate``: faults, legal notations and unusual sources, made by machine to test the judge."""
