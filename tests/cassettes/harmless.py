"""How often redaction changes texts without secrets: `python tests cassettes.harmless [--lines N] [FOLDER …]`.

Reads source files of all languages, logs, lockfiles and pages that are installed on this machine, as tool results would
hold them, and prints every line that changed with what became a placeholder. Real e-mail addresses and keys in them are
distinguished by the reader of the list; `harmless.json` next to this file holds the samples that were once changed
wrongly.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from toolcall_conformance.recording.cassettes.redaction.filters import Filters
from toolcall_conformance.recording.cassettes.redaction.redact import Redactor

LANGUAGES = {
    "Python": ("py", "pyi"),
    "JavaScript": ("js", "mjs", "cjs"),
    "TypeScript": ("ts",),
    "Go": ("go",),
    "Rust": ("rs",),
    "C and C++": ("c", "h", "hpp", "cc"),
    "Perl": ("pl", "pm"),
    "shell": ("sh", "bash"),
    "Ruby": ("rb",),
    "Java": ("java",),
    "PHP": ("php",),
    "data": ("json", "toml", "yaml", "yml", "ini", "cfg", "conf", "xml"),
    "lockfiles": ("lock", "sum"),
    "logs": ("log",),
    "pages": ("md", "rst", "txt", "html"),
    "diffs": ("diff", "patch"),
}
FOLDERS = (
    sys.prefix,
    sys.base_prefix,
    "/usr/lib",
    "/usr/share",
    "/usr/include",
    "/var/log",
    "/usr/local",
    "~/.cargo",
    "~/go",
)
MAX_BYTES = 300_000


def files(folders: list[str]) -> dict[str, list[Path]]:
    """Text files by language, in an order drawn at random but always the same."""
    kinds = {f".{end}": language for language, ends in LANGUAGES.items() for end in ends}
    paths_by_language: dict[str, list[Path]] = {language: [] for language in LANGUAGES}
    for folder in folders:
        for path in sorted(Path(folder).expanduser().rglob("*")):
            if path.suffix in kinds and path.is_file() and not path.is_symlink():
                paths_by_language[kinds[path.suffix]].append(path)
    for paths in paths_by_language.values():
        random.Random(1).shuffle(paths)
    return paths_by_language


def changed_lines(text: str, redactor: Redactor) -> Iterator[tuple[str, str]]:
    """The lines that redaction changes, before and after."""
    output = redactor.text(text)
    if output != text:
        yield from (
            (line, other) for line, other in zip(text.split("\n"), output.split("\n"), strict=False) if line != other
        )


def main() -> None:
    """Print every changed line and the rate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=100_000, help="so many lines of each language at most")
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    parsed = parser.parse_args()
    filters = Filters.default()
    lines: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for language, paths in files(parsed.folders).items():
        for path in paths:
            if lines[language] >= parsed.lines:
                break
            try:
                text = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                continue
            if len(text) > MAX_BYTES:
                continue
            lines[language] += text.count("\n") + 1
            for before, after in changed_lines(text, Redactor(filters)):
                names = set(re.findall(r"REDACTED-([a-z0-9-]+?)-\d+", after)) or {"?"}
                kinds.update(names)
                wrong[language] += names != {"email"}
                if names != {"email"}:
                    print(f"{','.join(sorted(names))} | {path} | {before.strip()[:160]}")
    for language, count in lines.items():
        print(f"{language}: {wrong[language]} of {count} lines changed, addresses apart")
    print(dict(kinds.most_common()))
    print(
        f"{sum(wrong.values())} of {sum(lines.values())}: one in {sum(lines.values()) // max(1, sum(wrong.values()))}"
    )


if __name__ == "__main__":
    main()
