"""Makes foreign text fit to be shown: every character is seen as what it is, and no line is a command to a CI job.

Foreign is all text of a translator, a child process, a gateway, a provider, a cassette, a setting or a private corpus.
Everything that the judge prints, and every text file for readers, goes through here. JSON keeps its values, except
secrets from variables of the environment, which are redacted everywhere.

Unicode's general category tells which characters are not seen
(https://www.unicode.org/reports/tr44/#General_Category_Values):
controls with ANSI's ESC, C1 and DEL (Cc), format characters, among them those that turn the direction of text around
and those without a width (Cf), halves of surrogate pairs (Cs), the ends of lines and paragraphs (Zl, Zp), characters of
private use, which each font draws otherwise (Co), and those that are none (Cn).
"""

from __future__ import annotations

import re
import unicodedata

from toolcall_conformance.basics.known_secrets import redact_secrets

# Nobody reads a longer line; files and reports in JSON have it whole.
MAX_LINE = 2_000
_MAX_MESSAGE = 1_000
_TRACEBACK = "Traceback (most recent call last):"

_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters, marks and a symbol that draw nothing (https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point).
_BLANK_CHARACTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u180b\u180c\u180d\u180f")
_JOINERS = frozenset("\u200c\u200d")
_VARIATION_SELECTOR = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
# What has variants to select from: symbols, the bases of keycaps, ideographs.
_VARYING_CATEGORIES = frozenset({"So", "Sm", "Po", "Pd", "Nd", "Lo"})
_VIRAMA_CLASS = 9
_NOT_PLAIN_ASCII = re.compile(r"[^\x20-\x7e]")
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

# The runner of GitHub takes `::` at the start of a line, after any white space, and `##[` anywhere; that of Azure
# `##vso[` anywhere, TeamCity `##teamcity[`. See `ActionCommand` of github.com/actions/runner and `Command` of
# github.com/microsoft/azure-pipelines-agent. The last character before the look ahead gets an escape.
_CI_COMMAND = re.compile(r"##(?=[A-Za-z]*\[)|^[^\S\n]*:(?=:)", re.MULTILINE)
_COLOUR_SEQUENCE = re.compile(r"\x1b\[[0-9;:]*m")


def visible(text: str) -> str:
    r"""The text in one line, with an escape for each character that is not seen as itself: ``\u202e``, ``\n``.

    The second character of ``##[``, and of ``::`` at the start, is escaped, too. Backslashes are not doubled, for most
    are in JSON: ``\x1b`` typed and ESC look the same.
    """
    text = redact_secrets(text)
    if not (text.isascii() and text.isprintable()):
        text = _NOT_PLAIN_ASCII.sub(
            lambda match: match[0] if _is_seen(match.string, match.start()) else _escape(match[0]), text
        )
    return _CI_COMMAND.sub(_escape_command, text)


def visible_lines(text: str) -> str:
    """The text with an escape for each unseen character; line ends and tabs stay."""
    text = redact_secrets(text).replace("\r\n", "\n")
    if not text.isprintable() or not text.isascii():
        text = _NOT_PLAIN_ASCII.sub(_escape_unseen, text)
    return _CI_COMMAND.sub(_escape_command, text)


def visible_json(text: str) -> str:
    """The JSON text with unseen characters in JSON's own escapes, so that its value stays the same."""
    text = redact_secrets(text)
    if not text.isprintable() or not text.isascii():
        text = _NOT_PLAIN_ASCII.sub(_escape_unseen_as_json, text)
    return _CI_COMMAND.sub(_escape_command, text)  # neither stands outside of a JSON string


def shorten(text: str, limit: int = MAX_LINE) -> str:
    """The text, or of a longer one the beginning, its length and the end."""
    if len(text) <= limit:
        return text
    text = redact_secrets(text)  # half of one would not be known any more
    return f"{text[: limit // 2]} … ({len(text):,} characters) … {text[-limit // 4 :]}"


def one_line(text: str) -> str:
    """The beginning of a message, in one line: the first of the errors that it lists is whole.

    A traceback that it quotes is left out; so is what is beyond a thousand characters.
    """
    words = " ".join(text.partition(_TRACEBACK)[0].split())
    if len(words) <= _MAX_MESSAGE:
        return words
    beginning = redact_secrets(words)[:_MAX_MESSAGE].rstrip()
    return f"{beginning} … ({len(words):,} characters)"


def strip_colours(text: str) -> str:
    """The text without the ANSI colour sequences that loggers and libraries print."""
    return _COLOUR_SEQUENCE.sub("", text)


def _is_seen(text: str, place: int) -> bool:
    """Whether the character at a place is seen as itself there."""
    character = text[place]
    if character in _JOINERS:
        return _joins(text, place)
    if _VARIATION_SELECTOR.match(character):
        return place > 0 and unicodedata.category(text[place - 1]) in _VARYING_CATEGORIES
    return character not in _BLANK_CHARACTERS and unicodedata.category(character) not in _UNSEEN_CATEGORIES


def _joins(text: str, place: int) -> bool:
    """Whether a joiner is where a script or an emoji needs it, and is no hidden mark between other characters.

    That is after a virama (RFC 5892, appendix A), between letters of scripts like Arabic, and, of U+200D alone, between
    pictures.
    """
    if not 0 < place < len(text) - 1:
        return False
    before, after = text[place - 1], text[place + 1]
    if unicodedata.combining(before) == _VIRAMA_CLASS:
        return True
    if unicodedata.bidirectional(before) in ("AL", "NSM") and unicodedata.bidirectional(after) == "AL":
        return not _VARIATION_SELECTOR.match(before)
    picture = unicodedata.category(before) in ("So", "Sk") or before == "\ufe0f"
    return text[place] == "\u200d" and picture and not before.isascii() and unicodedata.category(after) in ("So", "Sm")


def _escape(character: str) -> str:
    number = ord(character)
    return _SHORT_ESCAPES.get(character) or (f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}")


def _escape_unseen(match: re.Match[str]) -> str:
    return match[0] if match[0] in "\n\t" or _is_seen(match.string, match.start()) else _escape(match[0])


def _escape_unseen_as_json(match: re.Match[str]) -> str:
    if match[0] in "\n\r\t" or _is_seen(match.string, match.start()):
        return match[0]
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))


def _escape_command(match: re.Match[str]) -> str:
    return f"{match[0][:-1]}\\u{ord(match[0][-1]):04x}"


def pluralize(count: int, noun: str) -> str:
    """A count with its noun: ``1 item``, ``2,065 items``."""
    return f"{count:,} {noun}{'s' if count != 1 else ''}"
