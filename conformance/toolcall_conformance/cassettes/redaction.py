"""Replace secrets in a text by placeholders, equal ones for equal secrets; nothing else changes.

Three things are secrets: known values (the key that was sent), texts that match ``Filters.patterns``, and values under
the names in ``Filters.keys``: in JSON, in forms, and in ``name: value`` and ``name=value`` of running text. The
redactor also reads JSON within JSON, percent encoding, base64 and escapes. Texts of the corpus are public, unless one
is a known value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from urllib.parse import quote, unquote_plus

from toolcall_conformance.cassettes.encodings import rewrite_base64, rewrite_escapes, rewrite_percent
from toolcall_conformance.cassettes.filters import Filters, SecretPattern, normal
from toolcall_conformance.known_secrets import KnownSecrets

PLACEHOLDER = "REDACTED"
_MOST_DEPTH = 8
_LONG = 6
_SHORT = 500
_OPAQUE = 20
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_COLON = re.compile(r"[ \t\r\n]*:")
_NUMBER = re.compile(r"[ \t\r\n]*:[ \t\r\n]*(-?[0-9][0-9.eE+-]*)")
_URL = re.compile(r"https?://([^\s\"'<>\\]+)")
# name: value, name=value, "name": "value", also with the quotes escaped; the value ends where the quote does.
_ASSIGNED = re.compile(
    r"""(?<![A-Za-z0-9_.-])(?P<name>[A-Za-z][A-Za-z0-9_.-]{2,40})(?P<between>\\*["']?\s*(?:=>|[:=])\s*)"""
    r"""(?:(?P<open>\\*["'])(?P<quoted>[^"'\\]+)|(?P<bare>[^\s"'\\,;&{}\[\]()<>]+))"""
)


class Redactor:
    """Redacts the texts of one cassette. ``known`` are secret values, ``public`` are public texts."""

    def __init__(self, filters: Filters, known: Iterable[str] = (), public: Collection[str] = ()) -> None:
        self.filters = filters
        self._known = KnownSecrets(known)
        self._public, self._all_public = frozenset(public), "\n".join(public)
        self._placeholders: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._numbers: set[str] = set()
        self._clean: set[str] = set()

    def text(self, text: str, depth: int = 0) -> str:
        """Redact a text of any kind."""
        if depth > _MOST_DEPTH or not text or text in self._clean:
            return text
        said = self._json(text, depth) if is_json(text) else self._running(text, depth)
        if said == text and len(text) <= _SHORT:
            self._clean.add(text)  # most texts of a body occur many times
        return said

    def under(self, name: str, value: str, *, query: bool = False) -> str:
        """Redact the value of a name."""
        if self.is_secret_name(name, query=query) and value and not value.startswith(PLACEHOLDER):
            return self.placeholder(normal(name), value)
        return self.text(value)

    def query(self, text: str) -> str:
        """Redact a URL's query, or a whole form: ``name=value&name=value``."""
        path, mark, query = text.rpartition("?")
        made = []
        for pair in query.split("&"):
            name, equals, value = pair.partition("=")
            meant = unquote_plus(name)
            said, told = self.under(meant, unquote_plus(value), query=True), self.text(meant)
            name = name if told == meant else quote(told, safe="")
            made.append(name + equals + (value if said == unquote_plus(value) else quote(said, safe="")))
        return path + mark + "&".join(made)

    @property
    def found(self) -> tuple[str, ...]:
        """The secrets that became placeholders so far."""
        return tuple(self._placeholders)

    def is_secret_name(self, name: str, *, query: bool = False) -> bool:
        """Whether every value of this name is a secret."""
        spelt = normal(name)
        return spelt in self.filters.keys or (query and spelt in self.filters.query)

    def placeholder(self, kind: str, secret: str) -> str:
        """The placeholder of a secret; equal secrets have equal placeholders."""
        if not self._known.occur(secret) and (
            secret in self._public or (len(secret) >= _LONG and secret in self._all_public)
        ):
            return secret
        if secret not in self._placeholders:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._placeholders[secret] = f"{PLACEHOLDER}-{kind}-{self._counts[kind]}"
        return self._placeholders[secret]

    def _running(self, text: str, depth: int) -> str:
        text = self._plain(text, self.filters.patterns)
        # Whether it has a query is asked here: an expression that looks for the mark starts anew at each `http://`.
        text = _URL.sub(lambda found: self.query(found[0]) if "?" in found[1][1:-1] else found[0], text)
        text = _ASSIGNED.sub(self._assigned, text)

        def deeper(inner: str) -> str:
            return self.text(inner, depth + 1)

        text = rewrite_percent(text, deeper)
        text = rewrite_escapes(text, deeper)
        return rewrite_base64(text, deeper, self._bytes)

    def _plain(self, text: str, patterns: Iterable[SecretPattern]) -> str:
        text = self._known.replaced(text, lambda secret: self.placeholder("key", secret))
        for pattern in patterns:
            text = pattern.regex.sub(lambda found, pattern=pattern: self._matched(found, pattern), text)  # type: ignore[misc]
        return text

    def _matched(self, found: re.Match[str], pattern: SecretPattern) -> str:
        group = 1 if pattern.regex.groups and found[1] is not None else 0
        secret = found[group]
        if not secret or secret.startswith(PLACEHOLDER):
            return found[0]
        said = self.placeholder(pattern.name, secret)
        if pattern.replace is not None and said != secret:
            said = pattern.replace
        start, end = found.start(group) - found.start(), found.end(group) - found.start()
        return found[0][:start] + said + found[0][end:]

    def _bytes(self, data: str) -> str:
        """Redact binary data: known values and unmistakable shapes alone; e-mail addresses occur there by chance."""
        return self._plain(data, (pattern for pattern in self.filters.patterns if pattern.shape))

    def _assigned(self, found: re.Match[str]) -> str:
        value = found["quoted"] or found["bare"]
        if found["bare"] and found["between"][-1:].isspace() and not re.search("[0-9]", value) and len(value) < _OPAQUE:
            return found[0]  # running text: "The secret: patience."
        if not self.is_secret_name(found["name"].rpartition(".")[2]) or value.startswith(PLACEHOLDER):
            return found[0]
        if value.lower() in _SCHEMES or value in _WORDS:
            return found[0]  # `Authorization: Bearer …`, which the patterns know; `"password": null`
        return found["name"] + found["between"] + (found["open"] or "") + self.placeholder(normal(found["name"]), value)

    def _json(self, text: str, depth: int) -> str:
        """Redact JSON string by string: everything else stays byte for byte."""
        made: list[str] = []
        end, name, listed = 0, "", False
        for found in _STRING.finditer(text):
            between = text[end : found.start()]
            gap = between.translate(_NO_BLANKS)
            if gap in (":", ":["):
                listed = gap == ":["
            elif not (listed and gap == ","):
                name, listed = "", False
            made.append(between)
            end = found.end()
            follows = _NUMBER.match(text, end)
            is_name = _COLON.match(text, end) is not None
            inner = json.loads(found[0], strict=False)
            if is_name:
                said, name, listed = self.text(inner, depth + 1), inner, False
                if follows is not None and self.is_secret_name(inner):
                    made.append(_quoted(found[0], inner, said))
                    made.append(text[end : follows.start(1)] + self._number(inner, follows[1]))
                    end = follows.end()
                    continue
            elif name and self.is_secret_name(name) and inner and not inner.startswith(PLACEHOLDER):
                said = self.placeholder(normal(name), inner)
            else:
                said = self.text(inner, depth + 1)
            made.append(_quoted(found[0], inner, said))
        return "".join([*made, text[end:]])

    def _number(self, name: str, number: str) -> str:
        """Replace a number by that of its placeholder, so that its type stays."""
        if number in self._numbers:
            return number  # already a placeholder
        said = self.placeholder(normal(name), number)
        if said == number:
            return number
        said = said.rpartition("-")[2]
        self._numbers.add(said)
        return said


_SCHEMES = ("bearer", "basic", "digest", "token", "negotiate")
_WORDS = ("null", "None", "true", "false", "True", "False", "undefined")
_NO_BLANKS = str.maketrans("", "", " \t\r\n")


def is_json(text: str) -> bool:
    """Whether a text is a whole JSON object or array."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _quoted(token: str, before: str, after: str) -> str:
    if before == after:
        return token
    # A lone surrogate must be escaped.
    return json.dumps(after, ensure_ascii=bool(re.search("[\ud800-\udfff]", after)))
