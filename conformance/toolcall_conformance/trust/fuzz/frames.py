"""The frames of generated conversations: what they take whole from cases, because only the formats know how it looks.

Thinking, steps that the provider runs itself, and answers with citations are blocks of one format each. Models, hosted
tools and settings belong to them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from toolcall_conformance.library import Case, Corpus

Entry = dict[str, Any]
_THINKING, _HOSTED = "opaque", "hosted"
_FORMAT_BLOCKS = frozenset({_THINKING, _HOSTED})
_STRICT = "strict"
# A case with one of these is about more than its blocks.
_SPECIAL_MEMBERS = frozenset(
    {
        *("bends", "broken_stream", "dialect", "marks", "may_refuse", "replies_to", "replies_to_own_clients"),
        *("streamed_to_own_clients", "tools_in", "found_tools"),
    }
)
_MEMBERS = ("models", "spell", "hosted_tools", "own_settings")
# What not all models take: it would be rare without a kind of frames of its own.
_RARE_CAPABILITIES = ("audio", "response_format", "verbosity")
_NOTATION_KEYS = ("declare", "spell")
_SETTINGS = ("max_output_tokens", "reasoning")


@dataclass(frozen=True, slots=True)
class Lead:
    """Entries of an assistant turn in front of its texts and calls; ``signature`` is that of its first call."""

    entries: tuple[Entry, ...]
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """What a conversation has around its turns: members of ``scenario.json``, settings, and leads of its turns.

    A frame without ``leads`` has the models, and perhaps a notation of bodies. ``capabilities``: the kinds of media,
    and the settings, that cases with these models have. ``ids``: by format and case the ids of its calls, in order.
    ``several_tools``: whether it takes more tools than one, since the notation may be about the last of them.
    """

    members: Mapping[str, Any]
    settings: Mapping[str, Any]
    leads: tuple[Lead, ...] = ()
    capabilities: frozenset[str] = frozenset()
    ids: tuple[Mapping[str, Sequence[str | None]], ...] = ()
    several_tools: bool = False


@dataclass(frozen=True, slots=True)
class CorpusFrames:
    """The frames of a corpus: plain ones, with thinking, with steps of the provider, and with other notations.

    ``strict`` says how tools are declared whose schemas are kept strictly, ``uploaded`` is media by the ids under which
    the providers keep them, ``forms`` the forms of answers, and whether they have a schema.
    """

    plain: tuple[Frame, ...]
    thinking: tuple[Frame, ...] = ()
    hosted: tuple[Frame, ...] = ()
    notation: tuple[Frame, ...] = ()
    strict: tuple[Mapping[str, str], ...] = ()
    uploaded: tuple[Entry, ...] = ()
    forms: Mapping[str, bool] = field(default_factory=dict)

    @property
    def kinds(self) -> tuple[tuple[Frame, ...], ...]:
        rare = (tuple(frame for frame in self.plain if name in frame.capabilities) for name in _RARE_CAPABILITIES)
        return tuple(frames for frames in (self.plain, self.thinking, self.hosted, self.notation, *rare) if frames)


def corpus_frames(corpus: Corpus) -> CorpusFrames:
    """The frames that the cases in all formats have; of equal models one plain frame."""
    complete_cases = [
        case for case in corpus.cases.values() if {*case.formats} == {*corpus.formats} and not case.dialects
    ]
    plain_scenarios = [case.scenario for case in complete_cases if not _SPECIAL_MEMBERS & case.scenario.keys()]
    return CorpusFrames(
        tuple(_plain_frames(plain_scenarios)),
        _with_shared_leads([*_frames_with_blocks(complete_cases, _THINKING)]),
        tuple(_frames_with_blocks(complete_cases, _HOSTED)),
        tuple(_notation_frames(plain_scenarios)),
        tuple(scenario["declare"] for scenario in plain_scenarios if _STRICT in scenario.get("declare", {}).values()),
        tuple(entry for scenario in plain_scenarios for entry in _media(scenario, "user") if "file" in entry["media"]),
        {
            form["type"]: "schema" in form
            for scenario in plain_scenarios
            if (form := scenario["settings"].get("response_format"))
        },
    )


def _plain_frames(scenarios: Sequence[Mapping[str, Any]]) -> Iterator[Frame]:
    """A frame for each set of models that a case has together."""
    scenarios_by_models: dict[tuple[tuple[str, str], ...], list[Mapping[str, Any]]] = {}
    for scenario in scenarios:
        scenarios_by_models.setdefault(tuple(scenario["models"].items()), []).append(scenario)
    for models in sorted(scenarios_by_models):
        cases = scenarios_by_models[models]
        media = (
            entry["media"]["kind"] for case in cases for role in ("user", "result") for entry in _media(case, role)
        )
        capabilities = frozenset([*media, *(name for case in cases for name in case["settings"])])
        yield Frame({"models": dict(models)}, {}, capabilities=capabilities, ids=tuple(_ids(cases)))


def _ids(scenarios: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Sequence[str | None]]]:
    """The ids of each case that has several calls, where no two have the same."""
    for scenario in scenarios:
        ids_by_format = {name: [*ids.values()] for name, ids in scenario["ids"].items()}
        id_lists = [[key for key in ids if key is not None] for ids in ids_by_format.values()]
        if max((len(ids) for ids in id_lists), default=0) > 1 and all(len({*ids}) == len(ids) for ids in id_lists):
            yield ids_by_format


def _notation_frames(scenarios: Iterable[Mapping[str, Any]]) -> Iterator[Frame]:
    """The notations of cases without blocks that only one format has; each once."""
    notations: list[dict[str, Any]] = []
    for scenario in scenarios:
        entries = [entry for turn in scenario["conversation"] for entry in turn["content"]]
        members = {name: scenario[name] for name in ("models", *_NOTATION_KEYS) if name in scenario}
        notation = {name: members[name] for name in _NOTATION_KEYS if name in members}
        if _STRICT in scenario.get("declare", {}).values() or any(_FORMAT_BLOCKS & entry.keys() for entry in entries):
            continue
        if notation and notation not in notations:
            notations.append(notation)
            yield Frame(members, {}, several_tools=len(scenario["tools"]) > 1)


def _media(scenario: Mapping[str, Any], role: str) -> Iterator[Entry]:
    """The media of users, or those in results."""
    entries = [entry for turn in scenario["conversation"] for entry in turn["content"]]
    if role == "result":
        contents = [entry["result"]["content"] for entry in entries if "result" in entry]
        entries = [part for content in contents if isinstance(content, list) for part in content]
    return (entry for entry in entries if "media" in entry)


def _with_shared_leads(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """The frames, each with the leads of the others after its own: a model that thinks does so in each turn, first."""
    shared = []
    for place, frame in enumerate(frames):
        first, *others = (lead for frame in (*frames[place:], *frames[:place]) for lead in frame.leads)
        fitting = (lead for lead in others if _thinking(first) <= _thinking(lead))
        shared.append(replace(frame, leads=(first, *fitting)))
    return tuple(shared)


def _thinking(lead: Lead) -> set[str]:
    """The formats in which the model's turn starts with thoughts."""
    return {*lead.entries[0].get(_THINKING, ())}


def _frames_with_blocks(cases: Iterable[Case], kind: str) -> Iterator[Frame]:
    for case in cases:
        scenario = case.scenario
        turns = [turn for turn in scenario["conversation"] if turn["role"] == "assistant"]
        if _SPECIAL_MEMBERS & scenario.keys() or any(
            {"only", "given"} & turn.keys() for turn in scenario["conversation"]
        ):
            continue
        leads = tuple(lead for turn in turns if (lead := _lead(turn["content"], kind)) is not None)
        if leads and not _name_tools(leads, scenario["tools"]):
            members = {name: scenario[name] for name in _MEMBERS if name in scenario}
            settings = {name: scenario["settings"][name] for name in _SETTINGS if name in scenario["settings"]}
            yield Frame(members, settings, leads)


def _name_tools(leads: Sequence[Lead], tools: Iterable[str]) -> bool:
    """Whether blocks name tools of their case, which a generated conversation does not have."""
    text = json.dumps([lead.entries for lead in leads])
    return any(f'"{name}"' in text for name in tools)


def _lead(content: Sequence[Entry], kind: str) -> Lead | None:
    """A turn's entries up to its last block of a kind, or text that cites; None if there are none, or calls before."""
    places = [place for place, entry in enumerate(content) if kind in entry or "citations" in entry]
    entries = tuple(content[: places[-1] + 1]) if places else ()
    if not entries or any("call" in entry for entry in entries):
        return None
    calls = [entry["call"] for entry in content if "call" in entry]
    return Lead(entries, calls[0].get("signature") if calls else None)
