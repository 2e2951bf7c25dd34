"""Draws conversations, has them rendered, and shrinks those on which a translator fails.

``shapes`` and ``scenarios`` say what is drawn; they need Hypothesis, of the extra ``trust``. ``rendering`` reaches what
writes the bodies by its name, as a translator is reached: this package knows no renderer. ``drawing`` draws and
shrinks, ``folders`` writes what is left as a folder of private cases.
"""
