"""A text that attacks the terminal that shows it, and whether an output is free of it."""

from __future__ import annotations

import re
import unicodedata

ATTACK = (
    "\x1b[2J\u202e\n::error file=x::pwned\n##[error]pwned | <img src=x onerror=1> @pwned "
    "\x9b31m\x7f\u200b\t::set-env::y"
)

# What GitHub's runner takes for a command: https://github.com/actions/runner, src/Runner.Common/ActionCommand.cs
_COMMAND = re.compile(r"^\s*::|##[a-z]*\[", re.MULTILINE)


def harmless(text: str, *, must_say: str = "pwned") -> None:
    """Assert that a terminal, and the log of a CI job, show a text as it is; it says that the attack was there."""
    assert must_say in text, "the attack never came here"
    odd = {character for character in text if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")} - {
        "\n",
        "\t",
    }
    assert not odd, (odd, [line for line in text.split("\n") if set(line) & odd][:5])
    assert not _COMMAND.search(text), [line for line in text.split("\n") if _COMMAND.search(line)][:5]
