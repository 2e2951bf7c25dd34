"""Names and their values in running text: ``name: value``, ``name=value``, ``"name": "value"``, ``--name value``.

Also with the quotes escaped, and with an object between: ``"name": {"value": "…"}``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from toolcall_conformance.recording.cassettes.redaction.secret_names import SecretKind, is_secret_in_text

MOST = 2048
"""The longest value, in characters: a name that occurs again in its own value must not make this slow."""

# A name, and the text between it and its value; a quoted name may have any quotes, escaped any number of times.
_ASSIGNMENT = re.compile(
    r"""(?<![A-Za-z0-9_.-])(?:--?)?(?P<name>[A-Za-z_][A-Za-z0-9_.-]{2,60})"""
    r"""(?P<between>\\{0,8}["']?[ \t]{0,8}(?:=>|:=|[:=])\s{0,8}"""
    r"""(?:\{\s{0,8}\\{0,8}["']?(?i:value)\\{0,8}["']?\s{0,8}[:=]\s{0,8})?|(?<=[a-z])[ \t]+(?=[^\s=:-]))"""
)
_QUOTED = {
    '"': re.compile(rf"""(\\{{0,8}}")([^"\\\r\n]{{1,{MOST}}})"""),
    "'": re.compile(rf"""(\\{{0,8}}')([^'\\\r\n]{{1,{MOST}}})"""),
}
_BARE = re.compile(rf"""[^\s"'`\\,;&{{}}\[\]()<>|]{{1,{MOST}}}""")
_WHOLE = re.compile(rf"""[^\s"'`\\]{{1,{MOST}}}""")
_VARIABLE = re.compile("[A-Z][A-Z0-9_]+")


@dataclass(frozen=True, slots=True)
class NamedSecret:
    """A secret under a name in running text. ``quoted``: it is in quotes. ``in_quotes``: its name is."""

    name: str
    kind: SecretKind
    value: str
    quoted: bool
    in_quotes: bool


def replace_secrets(text: str, kind_of: Callable[[str], SecretKind | None], make: Callable[[NamedSecret], str]) -> str:
    """The text with what ``make`` returns in place of each secret."""
    pieces, end = [], 0
    for match in _ASSIGNMENT.finditer(text):
        between = match["between"]
        option = between.isspace()
        if match.start() < end or (option and not match[0].startswith("--")):
            continue
        kind = kind_of(match["name"].rpartition(".")[2])
        place = _value(text, match, kind) if kind is not None else None
        if place is None or kind is None:
            continue
        start, stop, quoted = place
        named = NamedSecret(match["name"], kind, text[start:stop], quoted, between.lstrip("\\")[:1] in ('"', "'"))
        replacement = make(named)
        if replacement != named.value:
            pieces += [text[end:start], replacement]
            end = stop
    return "".join([*pieces, text[end:]])


def _value(text: str, match: re.Match[str], kind: SecretKind | None) -> tuple[int, int, bool] | None:
    """Where the value begins and ends, and whether it is quoted; None where it is no secret."""
    assert kind is not None
    start = match.end()
    opening = text[start : start + 9].lstrip("\\")[:1]
    apart = match["between"][-1:].isspace() and not match[0].startswith("--")
    if opening in _QUOTED:
        quoted = _QUOTED[opening].match(text, start)
        if quoted is None or not is_secret_in_text(kind, quoted[2], quoted=True, after_blanks=apart, ends=True):
            return None
        return quoted.start(2), quoted.end(2), True
    line_start = text.rfind("\n", 0, match.start()) + 1
    variable = match["between"] == "=" and _VARIABLE.fullmatch(match["name"]) is not None
    bare = (_WHOLE if variable and text[line_start : match.start()] in ("", "export ") else _BARE).match(text, start)
    if bare is None:
        return None
    stop = bare.end() - (len(bare[0]) - len(bare[0].rstrip(".:!?")))
    after = text[stop : stop + 1]
    if after in tuple("([{<"):
        return None  # a call, an element, a type
    ends = not after or after.isspace() or after in (".", "&", '"', "'", "\\")
    return (
        (start, stop, False)
        if is_secret_in_text(kind, text[start:stop], quoted=False, after_blanks=apart, ends=ends)
        else None
    )
