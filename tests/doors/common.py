"""What the doors share: TODOs and mistakes in JSON files, where the code has a word, and the tests of a thing."""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema

from toolcall_conformance.basics.jsonstyle import dump, restyle
from toolcall_conformance.library import Corpus, default_root, read_json

CORPUS = default_root()
ROOT = CORPUS.parent
TODO = "TODO"
# What the doors write; a case may be about a TODO.
_PLACEHOLDER = re.compile(rf"(^|/){TODO}(:|/|$)")
# Where people talk; what is a page of the provider is not there.
_THREAD = re.compile(r"https://(github\.com/[^/]+/[^/]+/(issues|discussions)/|(www\.)?(stackoverflow|reddit)\.com/)")
#: Where code or data may name a rule.
SOURCES = ("corpus/formats/*/*.schema.json", "conformance/toolcall_conformance/**/*.py")


def parser(module: str, text: str | None, thing: str) -> argparse.ArgumentParser:
    """The options of a door: its own module and head, and what it writes."""
    options = argparse.ArgumentParser(prog=f"python tests {module}", description=(text or "").partition("\n")[0])
    options.add_argument("--new", action="store_true", help=f"write {thing} whose name is like one that there is")
    return options


def refusal(id: str, schema: str, key: str, known: Collection[str], *, new: bool) -> str:
    """Why a thing that is not there is not written under an id; empty if it is.

    ``schema`` and ``key`` say where the corpus's schemas hold the form of the id.
    """
    pattern = read_json(CORPUS / "schemas" / f"{schema}.schema.json")["properties"][key]["pattern"]
    if not re.search(pattern, id):
        return f"{id!r} is no id: lower-case letters and digits, with single hyphens between words ({pattern})"
    scope, sep, slug = id.rpartition("/")
    hint = near(slug, {name.removeprefix(scope + sep) for name in known if name.startswith(scope + sep)}, scope + sep)
    return f"{id!r} is not there{hint} To write a new one of this name, add --new" if hint and not new else ""


def near(name: str, known: Iterable[str], scope: str = "") -> str:
    """A question for the names that are near to one that nobody knows; empty if none is."""
    close = difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.8)
    return f"; did you mean {' or '.join(scope + word for word in close)}?" if close else ""


def display_path(path: Path) -> str:
    """A path as a reader types it, from the repository's root."""
    return (path.relative_to(ROOT) if path.is_relative_to(ROOT) else path).as_posix()


def write(path: Path, value: Any) -> None:
    """A new JSON file in the corpus's style."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dump(value), encoding="utf-8")
    print(f"wrote   {display_path(path)}")


def style(path: Path) -> None:
    """Bring a JSON file to the corpus's style; values and the order of keys stay."""
    text = path.read_text(encoding="utf-8")
    if (right := restyle(text)) != text:
        path.write_text(right, encoding="utf-8")
        print(f"styled  {display_path(path)}")


def mistakes(path: Path, schema: str) -> list[str]:
    """What is wrong with a file by its schema, and where it still says TODO; each with its place."""
    try:
        value = json.loads(path.read_bytes())
    except ValueError as error:
        return [f"{display_path(path)} is no JSON: {error}"]
    left = [f"{display_path(path)} at {place}: replace the {text}" for place, text in todos(value)]
    if left:
        return left
    checked = jsonschema.Draft202012Validator(read_json(CORPUS / "schemas" / f"{schema}.schema.json"))
    page = f"corpus/keys.md#{schema}"
    errors = sorted(checked.iter_errors(value), key=lambda error: error.json_path)
    if errors:
        return [f"{display_path(path)} at {_place(error)}: {_explain_error(error)}; see {page}" for error in errors]
    return [
        f"{display_path(path)} at /evidence/{number}: a thread is no page of the provider: it is `recorded` if it "
        "quotes the API's own answer word for word, else `issue`"
        for number, entry in enumerate(value.get("evidence", ()))
        if entry["kind"] in ("schema", "doc") and _THREAD.match(entry.get("url", ""))
    ]


def words_of(schema: str, *way: str) -> str:
    """The words that a key may have, as a TODO lists them."""
    holder = read_json(CORPUS / "schemas" / f"{schema}.schema.json")
    for key in way:
        holder = holder[key]
    *others, last = holder["enum"]
    return f"{', '.join(others)} or {last}"


def _place(error: jsonschema.ValidationError) -> str:
    return "".join(f"/{part}" for part in error.absolute_path) or "the top"


def _explain_error(error: jsonschema.ValidationError) -> str:
    if error.validator == "contains" and error.absolute_path[-1] == "evidence":
        return "a MUST needs hard evidence (kind schema, sdk, doc or recorded); without it, make the rule a SHOULD"
    return error.message[:200]


def todos(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """The JSON Pointers of texts that still say TODO, each with what is to be there."""
    if isinstance(value, str) and (mark := _PLACEHOLDER.search(value)):
        yield place, value[mark.start() :].lstrip("/")
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from todos(entry, f"{place}/{key}")


def places(word: str) -> list[str]:
    """``path:line`` of each line that has a word in quotes, in schemas of formats and in the judge's code."""
    quoted = f'"{word}"'
    return [
        f"{display_path(path)}:{number}"
        for pattern in SOURCES
        for path in sorted(ROOT.glob(pattern))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if quoted in line
    ]


def report_missing(lacking: Sequence[str], command: str) -> int:
    """Print what is lacking; 1 if anything is."""
    for line in lacking:
        print(f"todo    {line}")
    if lacking:
        print(f"then    .venv/bin/python tests {command}")
    return int(bool(lacking))


def format_code(path: Path) -> None:
    """Bring Python code to the project's style."""
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", str(path)], cwd=ROOT, check=True)


def tested(*words: str) -> int:
    """Run tests, with this clone's code; 0 if they pass."""
    own = [str(ROOT / name) for name in ("conformance", "reference_impl")]
    paths = os.pathsep.join([*own, *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not timing", *words]
    print(f"runs    {shlex.join(['.venv/bin/python', '-m', 'pytest', *words])}", flush=True)
    code = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": paths}, check=False).returncode
    if code:
        print("todo    mend what the tests say")
        return code
    for line in counts():
        print(f"note    {line}")
    print("ok      now a line in CHANGELOG.md if users notice it, .venv/bin/python .ci/check, and commit")
    return code


def counts() -> Iterator[str]:
    """The numbers of things in the corpus that the changelog of a version to come does not have right."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    corpus = Corpus(CORPUS)
    numbers = {"conversations": len(corpus.cases), "rules": len(corpus.rules)}
    for word, number in numbers.items():
        written = re.search(rf"([\d,]+) (?:tool-call )?{word}\b", text)
        if "(unreleased)" in text and written and written[1] != f"{number:,}":
            yield f"CHANGELOG.md says {written[1]} {word}; there are {number:,}"
