"""Draws conversations, has them rendered, and shrinks those on which a translator fails.

``scenarios`` says what is drawn, with ``turns``, ``declared`` (tools), ``schemas``, ``media``, ``asked`` (settings) and
``shapes`` (names, texts, JSON values); they need Hypothesis, of the extra ``trust``. ``rendering`` reaches what
writes the bodies by its name, as a translator is reached: this package knows no renderer. ``drawing`` draws and
shrinks, ``folders`` writes what is left as a folder of private cases.
"""
