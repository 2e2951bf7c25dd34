"""Translate the rules of gitleaks into our data: `python tests cassettes.translate_rules gitleaks.toml VERSION`.

Reads gitleaks' own `config/gitleaks.toml` of that version, and prints what
`conformance/toolcall_conformance/recording/cassettes/scanner/gitleaks.json` holds. A rule stays as it is but for where
it ends and what it finds between a name and a value: gitleaks reads files of code, we read sentences and JSON as well.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

SOURCE = {
    "project": "gitleaks",
    "repository": "https://github.com/gitleaks/gitleaks",
    "path": "config/gitleaks.toml",
    "licence": "MIT, in gitleaks-LICENSE beside this file",
}
END = r"""(?:[\x60'"\s;]|\\[nr]|$)"""
OUR_END = "(?:[^A-Za-z0-9_-]|$)"
"""A secret in a sentence ends with a full stop, a comma or a bracket as well."""
OTHER_END = r"""(?:$|[\\'"\x60\s<),])"""
CONNECTED = r"""[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}"""
OUR_CONNECTED = r"""[\s'"\\]{0,6}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,|\bis\b)[\x60'"\s=\\]{0,8}"""
"""Between a name and a value: quotes of JSON within JSON, and the word of a sentence."""
BEFORE = r"[\w.-]{0,50}?"
"""What goes before a name changes no match's secret."""
LEFT_OUT = {
    "generic-api-key": "values under names are found by `secret_names.json`",
    "jwt-base64": "base64 is decoded before",
}


def translate_rules(config: dict[str, Any], version: str) -> dict[str, Any]:
    """Our data for a configuration of gitleaks."""
    exclusions = {rule["id"]: reason for rule in config["rules"] if (reason := _reason(rule))}
    return {
        "explanation": "Rules of gitleaks, made by tests/cassettes/translate_rules.py. Do not edit.",
        "source": {**SOURCE, "version": version},
        "never": config["allowlist"]["regexes"],
        "stopwords": config["allowlist"]["stopwords"],
        "left_out": exclusions,
        "rules": [_rule(rule) for rule in config["rules"] if rule["id"] not in exclusions],
    }


def _reason(rule: dict[str, Any]) -> str | None:
    if "path" in rule:
        return "it is for files of some names only"
    return LEFT_OUT.get(rule["id"])


def _rule(rule: dict[str, Any]) -> dict[str, Any]:
    regex = (
        rule["regex"]
        .replace(BEFORE, "")
        .replace(END, OUR_END)
        .replace(OTHER_END, OUR_END)
        .replace(CONNECTED, OUR_CONNECTED)
    )
    entry = {"name": rule["id"], "regex": regex, "keywords": rule["keywords"]}
    if OUR_CONNECTED in regex:
        entry["named"] = True
    if "secretGroup" in rule:
        entry["group"] = rule["secretGroup"]
    if "entropy" in rule:
        entry["entropy"] = rule["entropy"]
    never = [pattern for allowed in rule.get("allowlists", ()) for pattern in allowed.get("regexes", ())]
    return {**entry, "never": never} if never else entry


def main(path: str, version: str) -> None:
    """Print the data."""
    data = translate_rules(tomllib.loads(Path(path).read_text(encoding="utf-8")), version)
    rules = data.pop("rules")
    head = json.dumps(data, indent=2, ensure_ascii=False).removesuffix("\n}")
    lines = ",\n    ".join(json.dumps(rule, ensure_ascii=False) for rule in rules)
    print(f'{head},\n  "rules": [\n    {lines}\n  ]\n}}')


if __name__ == "__main__":
    main(*sys.argv[1:])
