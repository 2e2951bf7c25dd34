"""What the doors share: TODOs and mistakes in JSON files, where a word stands in the code, and the tests of a thing."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema

from toolcall_conformance.basics.jsonstyle import dump, restyle
from toolcall_conformance.library import default_root, read_json

CORPUS = default_root()
ROOT = CORPUS.parent
TODO = "TODO"
# What the doors write; a case may be about a TODO.
_PLACEHOLDER = re.compile(rf"(^|/){TODO}(:|/|$)")
#: Where code or data may name a rule.
SOURCES = ("corpus/formats/*/*.schema.json", "conformance/toolcall_conformance/**/*.py")


def named(path: Path) -> str:
    """A path as a reader types it, from the repository's root."""
    return (path.relative_to(ROOT) if path.is_relative_to(ROOT) else path).as_posix()


def write(path: Path, value: Any) -> None:
    """A new JSON file in the corpus's style."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dump(value), encoding="utf-8")
    print(f"wrote   {named(path)}")


def style(path: Path) -> None:
    """Bring a JSON file to the corpus's style; values and the order of keys stay."""
    text = path.read_text(encoding="utf-8")
    if (right := restyle(text)) != text:
        path.write_text(right, encoding="utf-8")
        print(f"styled  {named(path)}")


def mistakes(path: Path, schema: str) -> list[str]:
    """What is wrong with a file by its schema, and where it still says TODO; each with its place."""
    try:
        value = json.loads(path.read_bytes())
    except ValueError as error:
        return [f"{named(path)} is no JSON: {error}"]
    left = [f"{named(path)} at {place}: replace the {TODO}" for place in todos(value)]
    if left:
        return left
    checked = jsonschema.Draft202012Validator(read_json(CORPUS / "schemas" / f"{schema}.schema.json"))
    page = f"corpus/keys.md#{schema}"
    errors = sorted(checked.iter_errors(value), key=lambda error: error.json_path)
    return [f"{named(path)} at {_place(error)}: {_said(error)}; see {page}" for error in errors]


def _place(error: jsonschema.ValidationError) -> str:
    return "".join(f"/{part}" for part in error.absolute_path) or "the top"


def _said(error: jsonschema.ValidationError) -> str:
    if error.validator == "contains" and error.absolute_path[-1] == "evidence":
        return "a MUST needs hard evidence (kind schema, sdk, doc or recorded); without it, make the rule a SHOULD"
    return error.message[:200]


def todos(value: Any, place: str = "") -> Iterator[str]:
    """The JSON Pointers of texts that still say TODO."""
    if isinstance(value, str) and _PLACEHOLDER.search(value):
        yield place
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from todos(entry, f"{place}/{key}")


def places(word: str) -> list[str]:
    """``path:line`` of each line that has a word in quotes, in schemas of formats and in the judge's code."""
    quoted = f'"{word}"'
    return [
        f"{named(path)}:{number}"
        for pattern in SOURCES
        for path in sorted(ROOT.glob(pattern))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if quoted in line
    ]


def told(lacking: Sequence[str], again: str) -> int:
    """Print what is lacking; 1 if anything is."""
    for line in lacking:
        print(f"todo    {line}")
    if lacking:
        print(f"then    .venv/bin/python tests {again}")
    return int(bool(lacking))


def formatted(path: Path) -> None:
    """Bring Python code to the project's style."""
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", str(path)], cwd=ROOT, check=True)


def tested(*words: str) -> int:
    """Run tests, with this clone's code; 0 if they pass."""
    own = [str(ROOT / name) for name in ("conformance", "reference_impl")]
    paths = os.pathsep.join([*own, *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not timing", *words]
    print(f"runs    {shlex.join(['.venv/bin/python', '-m', 'pytest', *words])}", flush=True)
    code = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": paths}, check=False).returncode
    print("ok      now .venv/bin/python .ci/check, and commit" if code == 0 else "todo    mend what the tests say")
    return code
