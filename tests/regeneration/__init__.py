"""Regeneration of the rendered goldens: ``pytest tests --snapshot-update``.

While the tests run, nothing in the corpus is written: a file that differs goes to a *stage*, another folder. At the end
the changed cases are completed there and go through the corpus's own tests. Only if these agree is each file replaced,
as a whole; else nothing is, and the run fails. No file is ever deleted.
"""
