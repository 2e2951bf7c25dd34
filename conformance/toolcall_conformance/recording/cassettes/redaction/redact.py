"""Replace secrets in a text by placeholders, equal ones for equal secrets; nothing else changes.

Three things are secrets: known values (the key that was sent), texts that match ``Filters.patterns``, and values under
the names in ``Filters.keys``: in JSON, in forms, and in ``name: value`` and ``name=value`` of running text. The
redactor also reads JSON within JSON, percent encoding, base64 and escapes. Texts of the corpus are public, unless one
is a known value.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from urllib.parse import quote, unquote_plus

from toolcall_conformance.basics.known_secrets import KnownSecrets
from toolcall_conformance.recording.cassettes.redaction import assignments
from toolcall_conformance.recording.cassettes.redaction.assignments import NamedSecret
from toolcall_conformance.recording.cassettes.redaction.encodings import (
    rewrite_base64,
    rewrite_escapes,
    rewrite_hex,
    rewrite_percent,
)
from toolcall_conformance.recording.cassettes.redaction.filters import Filters, SecretPattern, normal
from toolcall_conformance.recording.cassettes.redaction.json_strings import is_json, rewrite_json
from toolcall_conformance.recording.cassettes.redaction.secret_names import (
    SecretKind,
    is_inner,
    is_placeholder,
    kind_of,
    looks_random,
)
from toolcall_conformance.recording.cassettes.scanner import Scanner

PLACEHOLDER = "REDACTED"
_MAX_DEPTH = 8
_LONG = 6
_SHORT = 500
_IN_QUERY = 6
_DUMMY = re.compile("[xX]{8}|0{16}|[.]{3}")
_URL = re.compile(r"https?://([^\s\"'<>\\]+)")


class Redactor:
    """Redacts the texts of one cassette. ``secrets`` are secret values, ``public`` are public texts."""

    def __init__(self, filters: Filters, secrets: Iterable[str] = (), public: Collection[str] = ()) -> None:
        self.filters = filters
        self._known = KnownSecrets(secrets)
        self._public, self._all_public = frozenset(public), "\n".join(public)
        self._placeholders: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._numbers: set[str] = set()
        self._clean: set[str] = set()
        self._scanner = Scanner(filters.rules)
        self._kinds: dict[str, SecretKind | None] = {}

    def text(self, text: str, depth: int = 0) -> str:
        """Redact a text of any kind."""
        if depth > _MAX_DEPTH or not text or text in self._clean:
            return text
        redacted_text = rewrite_json(text, _Members(self, depth + 1)) if is_json(text) else self._running(text, depth)
        if redacted_text == text and len(text) <= _SHORT:
            self._clean.add(text)  # most texts of a body occur many times
        return redacted_text

    def named_value(self, name: str, value: str, *, query: bool = False) -> str:
        """Redact the value of a name."""
        if self._is_secret(name, value, query=query):
            return self.placeholder(normal(name), value)
        return self._scanner.value(name, self.text(value), self.placeholder)

    def query(self, text: str) -> str:
        """Redact a URL's query, or a whole form: ``name=value&name=value``."""
        path, mark, query = text.rpartition("?")
        pairs = []
        for pair in query.split("&"):
            name, equals, value = pair.partition("=")
            plain_name = unquote_plus(name)
            redacted_value, redacted_name = (
                self.named_value(plain_name, unquote_plus(value), query=True),
                self.text(plain_name),
            )
            name = name if redacted_name == plain_name else quote(redacted_name, safe="")
            pairs.append(
                name + equals + (value if redacted_value == unquote_plus(value) else quote(redacted_value, safe=""))
            )
        return path + mark + "&".join(pairs)

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The secrets that became placeholders so far."""
        return tuple(self._placeholders)

    def kind(self, name: str) -> SecretKind | None:
        """The kind of secret that a name announces, cached: names occur again and again."""
        if name not in self._kinds:
            filters = self.filters
            kind = kind_of(name, filters.keys, filters.accounts, filters.user_keys)
            self._kinds[name] = None if normal(name) in filters.off else kind
        return self._kinds[name]

    def _is_secret(self, name: str, value: str, *, query: bool = False) -> bool:
        """Whether the value of a name in a body, a form or a header is a secret."""
        if not value or value.startswith(PLACEHOLDER):
            return False
        kind, normal_name = self.kind(name), normal(name)
        if kind is SecretKind.OWN:
            return True
        if is_placeholder(value):
            return False
        if normal_name in self.filters.keys or kind in (SecretKind.PASSWORD, SecretKind.ACCOUNT):
            return True
        if query and normal_name in self.filters.query:
            return looks_random(value, _IN_QUERY)
        return kind is not None and looks_random(value)

    def placeholder(self, kind: str, secret: str) -> str:
        """The placeholder of a secret; equal secrets have equal placeholders."""
        if not self._known.occur_in(secret) and (
            secret in self._public or (len(secret) >= _LONG and secret in self._all_public)
        ):
            return secret
        if secret not in self._placeholders:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._placeholders[secret] = f"{PLACEHOLDER}-{kind}-{self._counts[kind]}"
        return self._placeholders[secret]

    def _running(self, text: str, depth: int) -> str:
        text = self._plain(text, self.filters.patterns)
        # Code looks for the query: a regular expression for its mark would start anew at each `http://`.
        text = _URL.sub(lambda match: self.query(match[0]) if "?" in match[1][1:-1] else match[0], text)
        text = assignments.replace_secrets(text, self.kind, self._replace_named)

        def deeper(inner: str) -> str:
            return self.text(inner, depth + 1)

        text = rewrite_percent(text, deeper)
        text = rewrite_escapes(text, deeper)
        text = rewrite_hex(text, deeper)
        return rewrite_base64(text, deeper, self.certain)

    def _plain(self, text: str, patterns: Iterable[SecretPattern], *, shapes_alone: bool = False) -> str:
        text = self._known.replace(text, lambda secret: self.placeholder("key", secret))
        for pattern in patterns:
            text = pattern.regex.sub(lambda match, pattern=pattern: self._replace_match(match, pattern), text)  # type: ignore[misc]
        return self._scanner.replace_secrets(text, self.placeholder, shapes_alone=shapes_alone)

    def _replace_match(self, match: re.Match[str], pattern: SecretPattern) -> str:
        group = 1 if pattern.regex.groups and match[1] is not None else 0
        secret = match[group]
        if not secret or secret.startswith(PLACEHOLDER) or _DUMMY.search(secret):
            return match[0]
        replacement = self.placeholder(pattern.name, secret)
        if pattern.replace is not None and replacement != secret:
            replacement = pattern.replace
        start, end = match.start(group) - match.start(), match.end(group) - match.start()
        return match[0][:start] + replacement + match[0][end:]

    def certain(self, data: str) -> str:
        """Redact known values and unmistakable shapes alone: in bytes, and across lines, others occur by chance."""
        return self._plain(data, (pattern for pattern in self.filters.patterns if pattern.shape), shapes_alone=True)

    def _replace_named(self, named: NamedSecret) -> str:
        if named.value.startswith(PLACEHOLDER):
            return named.value
        if named.value.isdigit() and not named.quoted and named.in_quotes:
            return self.number(named.name, named.value)  # JSON in running text stays JSON
        return self.placeholder(normal(named.name), named.value)

    def number(self, name: str, number: str) -> str:
        """Replace a number by that of its placeholder, so that its type stays."""
        if number in self._numbers:
            return number  # already a placeholder
        placeholder = self.placeholder(normal(name), number)
        if placeholder == number:
            return number
        placeholder = placeholder.rpartition("-")[2]
        self._numbers.add(placeholder)
        return placeholder

    def member(self, outer: str, name: str, value: str, depth: int) -> str:
        """Redact a text of a JSON body, under its own name or that of the object it is in."""
        for key in (name, outer if is_inner(name) else ""):
            if key and self._is_secret(key, value):
                return self.placeholder(normal(key), value)
        redacted_text = self.text(value, depth)
        return self._scanner.value(name, redacted_text, self.placeholder) if redacted_text == value else redacted_text


class _Members:
    """The strings of one JSON text, each redacted."""

    def __init__(self, redactor: Redactor, depth: int) -> None:
        self._redactor = redactor
        self._depth = depth

    def name(self, name: str) -> str:
        return self._redactor.text(name, self._depth)

    def value(self, outer: str, name: str, value: str) -> str:
        return self._redactor.member(outer, name, value, self._depth)

    def number(self, name: str, number: str) -> str:
        named = self._redactor.kind(name)
        return number if named is None else self._redactor.number(name, number)
