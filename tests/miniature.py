"""A corpus in miniature, of two invented formats and three cases, with a judge of one rule and a good translator.

Tests that use it hold whatever the real corpus has, and they show that no code they exercise knows a format by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Judgement, Level, Loss
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import Corpus, default_root
from toolcall_conformance.library.files import read_json

FORMATS = ("alpha", "beta")
FEATURES = {"plain": {"explanation": "Nothing special."}, "nested": {"explanation": "An object in an object."}}
EQUIVALENCE: dict[str, Any] = {
    "name": "blank-is-absent",
    "explanation": "A blank text says nothing.",
    "evidence": [{"kind": "doc", "url": "https://example.com/blank"}],
    "since": "0.1.0",
    "words": {"blank": {"meaning": "What is blank.", "words": ["nothing"]}},
}
ALIGNMENT: dict[str, Any] = {
    "patterns": {
        "model_provider": {"meaning": "A vendor.", "regex": "^[a-z]+/"},
        "model_variant": {"meaning": "A variant.", "regex": "~$"},
        "model_snapshot": {"meaning": "A date.", "regex": "@[0-9]+$"},
    },
    "parameters": {"model_names": {"meaning": "Of a vendor.", "value": ["alpha-*", "beta-*", "other", "another"]}},
}
CIRCUMSTANCE: dict[str, Any] = {
    "name": "late",
    "at_most": "SHOULD",
    "rules": ["alpha/text-kept"],
    "explanation": "It is late.",
    "why": "Readers are tired.",
    "next": "Sleep.",
    "evidence": [{"kind": "lore", "note": "ask them"}],
    "since": "0.1.0",
}
# How the places of findings are told apart: as in the real corpus, without most of its keys.
PLACES: dict[str, Any] = {
    name: {
        "meaning": "None here.",
        "keys": ["translation/crashed", "translation/refused"] if name == "messages" else [],
    }
    for name in read_json(default_root() / "translation" / "places.json")
}
HARM: dict[str, Any] = {
    "order": {
        "meaning": "First.",
        "steps": [{"meaning": "Nothing comes.", "rules": ["translation/bad-output"], "weight": 4}],
        "never_first": ["translation/crashed"],
    },
    "alike": {"meaning": "The same.", "groups": []},
    "repairs": {
        "meaning": "One repair.",
        "rows": [{"meaning": "Raises.", "rules": ["translation/crashed"], "same": []}],
    },
    "echoes": {"meaning": "What only echoes.", "rules": ["translation/model-alias"]},
}
CONSEQUENCES: dict[str, Any] = {
    "meaning": "What follows.",
    "reported": {"meaning": "What is told with it.", "rows": []},
    "suppressed": {"meaning": "What is not told.", "rows": []},
}
CASES = ("box/one", "box/two", "crate/deep")

# How bodies travel: one API names the model in its body, the other in its path, with a key that may be in the query.
TRANSPORTS: dict[str, dict[str, Any]] = {
    "alpha": {
        "method": "POST",
        "path": "/alpha",
        "headers": {"content-type": "application/json", "x-alpha-key": "{key}"},
        "stream": {"body": {"stream": True}},
    },
    "beta": {
        "method": "POST",
        "path": "/beta/{model}:ask",
        "headers": {"content-type": "application/json", "x-beta-key": "Key {key}", "x-beta-version": "2"},
        "key_query": "key",
        "key_headers": ["authorization"],
        "stream": {"path": "/beta/{model}:askStream?alt=sse", "body": {}},
    },
}

# For runs in processes of their own (xdist's workers too): a project's conftest.py that brings judge and corpus.
CONFTEST = f"""
import sys
from pathlib import Path

sys.path.insert(0, {str(Path(__file__).parent)!r})

import miniature
from toolcall_conformance import library

library.default_root = lambda: Path(__file__).parent / "mini"
miniature.install_judge()
"""

GOOD = """
class Session:
    def __init__(self, route):
        self.route = route

    def request(self, body):
        return {"format": self.route.upstream, "text": body["text"]}

    def response(self, body):
        return {"format": self.route.client, "text": body["text"]}


class Unsupported(Exception):
    pass


class Refused(Exception):
    pass


class T:
    name = "the good one"
    version = "1.2"

    def open(self, route):
        return Session(route)
"""


def rule(rule_id: str, level: str, breach: str) -> dict[str, Any]:
    """A rule as its file has it."""
    return {
        "id": rule_id,
        "level": level,
        "face": "both",
        "element": "text",
        "sentence": f"The opposite of: {breach}.",
        "breach": breach,
        "why": "Readers want their text.",
        "fix": "The text is trimmed. Copy it as it is.",
        "evidence": [],
        "since": "0.1.0",
    }


def write_rules(folder: Path, *rules: dict[str, Any]) -> None:
    """Write each rule to its file."""
    folder.mkdir()
    for raw in rules:
        (folder / f"{raw['id'].split('/')[1]}.json").write_text(json.dumps(raw), encoding="utf-8")


def write_elements(root: Path) -> None:
    """Write what the two formats can say: beta has no ``mark``, and alpha only a custom for ``colour``."""
    statement = {"how": "native", "as": "a key", "url": "https://example.com/key"}
    custom = {"how": "convention", "as": "a word", "conventions": ["in-brackets"], "note": "readers see it"}
    ways = {
        "alpha": {"text": statement, "mark": statement, "colour": custom},
        "beta": {"text": statement, "mark": {"how": "no", "note": "beta marks nothing"}, "colour": statement},
    }
    for name, elements in ways.items():
        path = root / "formats" / name / "expresses.json"
        path.write_text(json.dumps({"elements": elements}), encoding="utf-8")
    both = {"explanation": "Something.", "in": ["request", "reply"]}
    elements = {"text": both, "mark": {"explanation": "A mark.", "in": ["request"]}, "colour": both}
    path = root / "translation" / "elements.json"
    path.write_text(json.dumps({"elements": elements, "exceptions": []}), encoding="utf-8")


def write_case(corpus: Path, case: str, exchanges: int = 1, **more: Any) -> Path:
    """Write a case in both formats; its folder."""
    folder = corpus / "scenarios" / case
    for name in FORMATS:
        (folder / name).mkdir(parents=True)
        for number in range(1, exchanges + 1):
            for part in ("request", "response"):
                body = {"format": name, "text": f"{case} {part} {number}"}
                (folder / name / f"{number:02}-{part}.json").write_text(json.dumps(body), encoding="utf-8")
    scenario = {"id": case, "title": case, "features": ["plain"], "models": {name: f"{name}-1" for name in FORMATS}}
    (folder / "scenario.json").write_text(json.dumps(scenario | more), encoding="utf-8")
    return folder


def write_corpus(root: Path) -> None:
    """Write a corpus of three cases, the last one with two exchanges."""
    root.mkdir()
    (root / "corpus.json").write_text(
        json.dumps({"version": "7.1.0", "formats": list(FORMATS), "features": FEATURES}),
        encoding="utf-8",
    )
    for name in FORMATS:
        (root / "formats" / name).mkdir(parents=True)
        text_rule = rule(f"{name}/text-kept", "MUST", f"the text of a body changed on its way to {name}")
        write_rules(root / "formats" / name / "rules", text_rule)
        (root / "formats" / name / "format.json").write_text("{}", encoding="utf-8")
        (root / "formats" / name / "transport.json").write_text(json.dumps(TRANSPORTS[name]), encoding="utf-8")
    (root / "translation").mkdir()
    write_rules(
        root / "translation" / "rules",
        rule("translation/extra", "SHOULD", "the body has a key that nobody asked for"),
        rule("translation/crashed", "MUST", "the translator raised"),
        rule("translation/refused", "MUST", "the translator refused an input that it must take"),
        rule("translation/timed-out", "MUST", "the translator did not return in time"),
        rule("translation/bad-output", "MUST", "the translator returned something that is not JSON object"),
        rule("translation/protocol-error", "MUST", "the output is no message of the protocol"),
        rule("translation/upstream-address", "MUST", "the request went to another API, method or path"),
        rule("translation/upstream-headers", "MUST", "a header that the API demands is missing"),
        rule("translation/client-key-kept", "MUST", "the client's key went to the upstream"),
        rule("translation/model-of-route", "MUST", "the request names another model than the route"),
        rule("translation/model-alias", "SHOULD", "the request names a model that may be another"),
        rule("translation/input-mutated", "SHOULD", "the translator changed the body that it was given"),
    )
    write_elements(root)
    (root / "translation" / "alignment.json").write_text(json.dumps(ALIGNMENT), encoding="utf-8")
    (root / "translation" / "places.json").write_text(json.dumps(PLACES), encoding="utf-8")
    (root / "translation" / "harm.json").write_text(json.dumps(HARM), encoding="utf-8")
    (root / "translation" / "consequences.json").write_text(json.dumps(CONSEQUENCES), encoding="utf-8")
    folder = root / "equivalences" / EQUIVALENCE["name"]
    folder.mkdir(parents=True)
    (folder / "equivalence.json").write_text(json.dumps(EQUIVALENCE), encoding="utf-8")
    (root / "circumstances").mkdir()
    (root / "circumstances" / "late.json").write_text(json.dumps(CIRCUMSTANCE), encoding="utf-8")
    (root / "schemas").mkdir()
    (root / "schemas" / "scenario.schema.json").write_text("{}", encoding="utf-8")
    for case in CASES:
        write_case(root, case, exchanges=2 if case == "crate/deep" else 1)


def judge_request(self: Judge, source: Any, output: Any, route: Any, **more: Any) -> Judgement:
    """A judgement by two rules: the text stays what it is, and no key ``extra`` comes in. ``explode`` makes it raise.

    What the translator reports as lost is undue, except for a ``mark`` on its way to beta.
    """
    return _judge(self.corpus, source, output, route.upstream, **more)


def judge_reply(self: Judge, source: Any, output: Any, route: Any, **more: Any) -> Judgement:
    """A judgement of a response or an error, by the same rules."""
    return _judge(self.corpus, source, output, route.client, **more)


def _judge(corpus: Corpus, source: Any, output: Any, target: str, **more: Any) -> Judgement:
    if "explode" in output:
        raise ZeroDivisionError("the judge fell over")
    findings = []
    want, got = source["text"], output.get("text", MISSING)
    if got != want:
        breach = corpus.rule(f"{target}/text-kept").breach
        findings.append(
            Finding(f"{target}/text-kept", Level.MUST, "/text", breach, want, got, element="text", subject="text 1")
        )
    if "extra" in output:
        findings.append(Finding("translation/extra", Level.SHOULD, "/extra", "an extra key", MISSING, output["extra"]))
    loss_names = [*more.get("declared", ()), *(["mark"] if "mark" in source and "mark" not in output else [])]
    lost = [Loss(name, "cannot" if (name, target) == ("mark", "beta") else "undue", 1) for name in loss_names]
    return Judgement(tuple(findings), tuple(lost))


def install_judge(put: Callable[[object, str, Any], None] = setattr) -> None:
    """Let every judge judge by the two rules of the miniature corpus.

    The methods of the class change, not the class: a module that is first imported meanwhile keeps the real class.
    """
    for name, method in {"request": judge_request, "response": judge_reply, "error": judge_reply}.items():
        put(Judge, name, method)
