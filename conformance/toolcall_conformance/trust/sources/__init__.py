"""Finds inputs that no output passes: bodies of the corpus and of folders, as they are and after one mutation each.

A *source* is what a translator is given. What it makes of one is judged, then repaired by what the findings want, and
judged again. A source whose output keeps a MUST is a *closed road*: the translator, a ``want`` or the law is wrong.
"""
