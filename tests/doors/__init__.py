"""The doors for contributions: ``python tests doors.rule``, ``doors.case`` and ``doors.tolerance``.

Each writes the skeleton of what is not there yet, and says of what is there what it still lacks. When nothing is
lacking, it runs the tests that are about it.
"""
