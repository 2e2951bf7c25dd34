"""Long conversations of the corpus's own words: a case said again and again, each call with an id of its own."""

from __future__ import annotations

import copy
import json
from typing import Any

from toolcall_conformance.basics.contract import Body
from toolcall_conformance.library import Corpus
from toolcall_reference.render import render

CASE = "shell/seed"


def long_requests(corpus: Corpus, messages: int) -> dict[str, Body]:
    """A request of each format whose history is about so many messages: words, calls, results, answers."""
    folder = corpus.cases[CASE].path
    scenario = json.loads((folder / "scenario.json").read_text(encoding="utf-8"))
    tools = {name: _declaration(corpus, name) for name in scenario["tools"]}
    turns = scenario["conversation"]
    rounds = [turn for number in range(messages // len(turns)) for turn in _number_call(turns, number)]
    long_scenario = {**scenario, "conversation": [*rounds, turns[0], turns[-1]], "ids": {}}
    return {name: _last_request(render(long_scenario, tools, name)) for name in scenario["models"]}


def _declaration(corpus: Corpus, name: str) -> Any:
    return json.loads((corpus.root / "tools" / f"{name}.json").read_text(encoding="utf-8"))


def _number_call(turns: list[Any], number: int) -> list[Any]:
    """The turns with a call of their own: another id, another command, another result."""
    numbered_turns = copy.deepcopy(turns)
    for entry in (entry for turn in numbered_turns for entry in turn["content"]):
        if "call" in entry:
            entry["call"]["key"] = f"c{number}"
            entry["call"]["arguments"]["command"] += f" d{number}"
        if "result" in entry:
            entry["result"]["call"] = f"c{number}"
            entry["result"]["content"] += f" {number}"
    return numbered_turns


def _last_request(files: dict[str, Body]) -> Body:
    numbers = {int(name.partition("-")[0]): name for name in files if name.endswith("-request.json")}
    return files[numbers[max(numbers)]]
