"""Generates conversations, has them rendered, and shrinks those on which a translator fails.

``scenarios`` says what is generated, with ``turns``, ``declarations`` (tools), ``schemas``, ``media``,
``request_settings`` and ``shapes`` (names, texts, JSON values); they need Hypothesis, of the extra ``trust``.
``frames`` are the parts of the corpus's cases that conversations are built in. ``cases`` reaches the renderer by its
name, as a translator is reached, and writes a folder of private cases: this package knows no renderer. ``generation``
generates and ``shrinking`` shrinks.
"""
