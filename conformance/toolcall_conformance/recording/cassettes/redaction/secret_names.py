"""Whether a value is a secret by its name, in a body's own members and in running text.

In a body a name is sure: `{"password": "a"}`. In running text, which may be anybody's source code, the value must look
like a secret as well: `password=${DB_PASSWORD}` and `token = tokens[0]` hold none. The words are `secret_names.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from enum import Enum
from functools import cache
from importlib import resources

from toolcall_conformance.recording.cassettes.scanner import entropy

_TEMPLATE = re.compile(r"[$%*…<{\[@\\]|x{3,}|X{3,}|.*(?:\$\{|\{\{|\.\.\.|…|\*\*)|[~.]{0,2}/.*\.[a-z]{1,5}$")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->|-)[A-Za-z_]\w*)*\.?")
_CODE = re.compile("(?:_?(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}))+_?[0-9]{0,2}")
_ATTRIBUTE = re.compile(r"[A-Za-z_]{1,12}\.[A-Za-z_]")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_SHORT_PASSWORD, _SHORT_KEY, _SHORT_ACCOUNT = 6, 10, 9
_SPREAD = 2.9
_MAX_CHARACTERS = 200
"""So many characters tell what a value is; names may follow each other in values of any length."""


class SecretKind(Enum):
    """The kind of value that a name announces. ``OWN`` is a name of the user's filters: any value is a secret."""

    PASSWORD = "password"
    KEY = "key"
    ACCOUNT = "account"
    OWN = "own"


def kind_of(
    name: str, keys: Collection[str], accounts: Collection[str], user_keys: Collection[str]
) -> SecretKind | None:
    """The kind of a name, None for no secret; the collections have normalised names (``normal``)."""
    normal_name = re.sub("[^a-z0-9]", "", name.lower())
    if normal_name in user_keys:
        return SecretKind.OWN
    if normal_name in accounts:
        return SecretKind.ACCOUNT
    if normal_name.endswith(_words("passwords")):
        return SecretKind.PASSWORD
    if normal_name in keys or normal_name.endswith(_words("ends")):
        return SecretKind.KEY
    words = [word.lower() for word in _WORDS.findall(name)]
    return SecretKind.PASSWORD if len(words) > 1 and words[-1] in _words("last_words") else None


def is_inner(name: str) -> bool:
    """Whether a member of an object under a secret name holds the secret: ``{"api_key": {"value": …}}``."""
    return name.lower() in _words("inner")


def is_placeholder(value: str) -> bool:
    """Whether a value is a placeholder for a secret: ``${TOKEN}``, ``<your key>``, ``null``."""
    return value.lower() in _words("no_values") or _TEMPLATE.match(value) is not None


def looks_random(value: str, min_length: int = _SHORT_KEY) -> bool:
    """Whether a value looks random: long, of letters and digits, evenly spread, no words of code."""
    if (
        len(value) < min_length
        or re.search(r"\s", value)
        or not re.search("[0-9]", value)
        or not re.search("[A-Za-z]", value)
    ):
        return False
    return entropy(value) >= min(_SPREAD, len(set(value)) * 0.36) and not _reads_as_code(value)


def is_secret_in_text(kind: SecretKind, value: str, *, quoted: bool, after_blanks: bool, ends: bool) -> bool:
    """Whether the value of a name in running text is a secret.

    ``after_blanks``: blanks precede it. ``ends``: nothing follows on its line but another word.
    """
    if kind is SecretKind.OWN:
        return True
    value = value[:_MAX_CHARACTERS]
    if is_placeholder(value):
        return False
    if kind is SecretKind.ACCOUNT:
        return (value.isdigit() and len(value) >= _SHORT_ACCOUNT) or looks_random(value)
    if kind is SecretKind.KEY:
        return looks_random(value)
    if len(value) < _SHORT_PASSWORD or re.search(r"\s|^[~.]{0,2}/|^[A-Za-z]:\\", value) or _is_word_name(value):
        return False
    if _IDENTIFIER.fullmatch(value) and not re.search("[0-9]", value):
        return not (quoted or after_blanks) and ends and "." not in value
    return quoted or re.search("[0-9]", value) is not None or ends


def _reads_as_code(value: str) -> bool:
    """Whether it is an identifier of words, or begins as an attribute does."""
    return _is_word_name(value) or _CODE.fullmatch(value) is not None or _ATTRIBUTE.match(value) is not None


def _is_word_name(value: str) -> bool:
    """Whether it is a name that code gives to such a value: `user_password`, `token2`, `auth.key`."""
    words = [word.lower() for word in _WORDS.findall(value)]
    letters = [word for word in words if word.isalpha()]
    length = sum(len(word) for word in letters if word.startswith(_words("words")))
    return bool(letters) and length * 2 >= sum(map(len, letters)) and max(map(len, letters)) > 2


@cache
def _words(name: str) -> tuple[str, ...]:
    text = resources.files(__package__).joinpath("secret_names.json").read_text(encoding="utf-8")
    return tuple(json.loads(text)[name]["words"])
