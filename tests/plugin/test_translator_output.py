"""Nothing that a translator says reaches the terminal raw, by whatever way: an attack on each, all in one run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hostile_text import ATTACK, harmless
from miniature import write_case

TRANSLATOR = f"""
import logging
import os
import sys
import warnings

import good

ATTACK = {ATTACK!r}


class Refused(Exception):
    pass


class Unsupported(Exception):
    pass


def raising(error):
    def attack(body):
        raise error
    return attack


def chained(body):
    try:
        raise KeyError(ATTACK)
    except KeyError as error:
        error.add_note(ATTACK)
        raise type(ATTACK, (RuntimeError,), {{}})(ATTACK) from error


def source_line(body):
    exec(compile("\\n" + "raise ValueError  # " + "\\x1b[2J pwned", ATTACK, "exec"))


def source(body):
    import linecache
    linecache.cache["pwned.py"] = (1, None, [ATTACK + "\\n"], "pwned.py")
    exec(compile("raise ValueError('source')", "pwned.py", "exec"))


def prints(body):
    print(ATTACK)
    print(ATTACK, file=sys.stderr)
    logging.getLogger(ATTACK).error("%s", ATTACK)
    raise ValueError("printed")


def warns(body):
    warnings.warn_explicit(ATTACK, type(ATTACK, (UserWarning,), {{}}), ATTACK, 1)
    warnings.warn(ATTACK)
    return {{}}


ATTACKS = {{
    "raises": raising(ValueError(ATTACK)),
    "chained": chained,
    "source": source,
    "file": source_line,
    "refused": raising(Refused(ATTACK)),
    "unsupported": raising(Unsupported(ATTACK)),
    "prints": prints,
    "warns": warns,
    "text": lambda body: {{"format": "beta", "text": ATTACK}},
    "value": lambda body: {{"format": "beta", "text": [ATTACK, {{ATTACK: ATTACK}}]}},
    "extra": lambda body: {{"format": "beta", "text": "", "extra": ATTACK}},
    "key": lambda body: {{ATTACK: 1}},
    "object": lambda body: type(ATTACK, (), {{"__repr__": lambda self: ATTACK}})(),
    "inside": lambda body: {{"text": type(ATTACK, (), {{"__repr__": lambda self: ATTACK}})()}},
    "lost": lambda body: {{"format": "beta", "text": body["text"]}},
}}


def current():
    case = os.environ.get("PYTEST_CURRENT_TEST", "").split("::")
    return case[1].split("/")[1] if len(case) > 1 and case[1].startswith("hostile/") else ""


class Session(good.Session):
    @property
    def losses(self):
        return [ATTACK] if current() == "lost" else []

    def request(self, body):
        return ATTACKS[current()](body) if current() else super().request(body)


class T:
    name, version = ATTACK, ATTACK

    def open(self, route):
        if route.upstream == "alpha":
            raise Unsupported(ATTACK)
        return Session(route)
"""
NAMES = re.findall(r'^    "(\w+)": ', TRANSLATOR, re.MULTILINE)


@pytest.fixture
def attacked_run(project: Any) -> Any:
    for name in NAMES:
        write_case(project.corpus, f"hostile/{name}", title=ATTACK)
    project.write_module("hostile", TRANSLATOR)
    toml_text = "".join(
        f'[[known]]\nitems = ["toolcall::hostile/{name}::request::alpha-to-beta"]\nrule = "{rule}"\n'
        f"reason = {json.dumps(ATTACK)}\n\n"
        for name, rule in (("key", "beta/text-kept"), ("lost", "translation/crashed"))
    )
    (project.path / "known.toml").write_text(toml_text, encoding="utf-8")
    return project


def test_nothing_reaches_the_terminal_raw(attacked_run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    result = attacked_run.run(
        "toolcall::hostile::request::alpha-to-beta",
        "--toolcall-report=report.json",
        "--toolcall-report=report.md",
        "--toolcall-artifacts=bodies",
        "--toolcall-known-failures=known.toml",
        "--junitxml=junit.xml",
        "-v",
        "-rA",
        "--color=no",
        "-Walways",
        spec="hostile:T",
    )
    text = result.stdout.str() + result.stderr.str()
    annotations = [line for line in text.split("\n") if re.match(r"::(error|warning) (file=|title=)", line)]
    assert annotations
    for line in annotations:
        harmless(line.removeprefix("::"), must_say="")
    harmless("\n".join(line for line in text.split("\n") if line not in annotations))
    for name in NAMES:
        assert f"toolcall::hostile/{name}::request::alpha-to-beta" in text
    harmless((attacked_run.path / "report.md").read_text(encoding="utf-8"))
    harmless((attacked_run.path / "report.json").read_text(encoding="utf-8"))
    harmless((attacked_run.path / "junit.xml").read_text(encoding="utf-8"))
    for file in Path(attacked_run.path / "bodies").rglob("*.*"):
        harmless(file.read_text(encoding="utf-8"), must_say="")
    findings = json.loads((attacked_run.path / "report.json").read_text(encoding="utf-8"))["items"]
    assert ATTACK in [finding.get("got") for item in findings for finding in item["findings"]], "a report keeps values"
