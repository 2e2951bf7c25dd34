"""What drawn conversations take whole from cases of the corpus, because only the formats know how it looks.

Thinking, steps that the provider runs itself, and answers with citations are blocks of one format each. Models, hosted
tools and settings belong to them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolcall_conformance.library import Case, Corpus

Entry = dict[str, Any]
_THINKING, _HOSTED = "opaque", "hosted"
# A case with one of these is about more than its blocks.
_PECULIAR = frozenset({"bends", "broken_stream", "dialect", "marks", "may_refuse", "replies_to", "tools_in"})
_MEMBERS = ("models", "spell", "hosted_tools", "own_settings")
_SETTINGS = ("max_output_tokens", "reasoning")


@dataclass(frozen=True, slots=True)
class Lead:
    """Entries of an assistant turn in front of its texts and calls; ``signature`` is that of its first call."""

    entries: tuple[Entry, ...]
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """What a conversation has around its turns: members of ``scenario.json``, settings, and leads of its turns.

    A frame without ``leads`` has the models alone.
    """

    members: Mapping[str, Any]
    settings: Mapping[str, Any]
    leads: tuple[Lead, ...] = ()


@dataclass(frozen=True, slots=True)
class Bricks:
    """The frames of a corpus: plain ones, those with thinking, and those with steps of the provider."""

    plain: tuple[Frame, ...]
    thinking: tuple[Frame, ...]
    hosted: tuple[Frame, ...]

    @property
    def kinds(self) -> tuple[tuple[Frame, ...], ...]:
        return tuple(frames for frames in (self.plain, self.thinking, self.hosted) if frames)


def bricks_of(corpus: Corpus) -> Bricks:
    """The bricks that the cases in all formats have; of equal models one plain frame."""
    whole = [case for case in corpus.cases.values() if {*case.formats} == {*corpus.formats} and not case.dialects]
    models = {tuple(case.scenario["models"].items()): case.scenario["models"] for case in whole}
    return Bricks(
        tuple(Frame({"models": models[key]}, {}) for key in sorted(models)),
        _sharing([*_frames(whole, _THINKING)]),
        tuple(_frames(whole, _HOSTED)),
    )


def _sharing(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """The frames, each with the leads of the others behind its own: who thinks does so in each turn."""
    return tuple(
        replace(frame, leads=tuple(lead for one in (*frames[place:], *frames[:place]) for lead in one.leads))
        for place, frame in enumerate(frames)
    )


def _frames(cases: Iterable[Case], kind: str) -> Iterator[Frame]:
    for case in cases:
        said = case.scenario
        turns = [turn for turn in said["conversation"] if turn["role"] == "assistant"]
        if _PECULIAR & said.keys() or any({"only", "given"} & turn.keys() for turn in said["conversation"]):
            continue
        leads = tuple(lead for turn in turns if (lead := _lead(turn["content"], kind)) is not None)
        if leads and not _names(leads, said["tools"]):
            members = {name: said[name] for name in _MEMBERS if name in said}
            settings = {name: said["settings"][name] for name in _SETTINGS if name in said["settings"]}
            yield Frame(members, settings, leads)


def _names(leads: Sequence[Lead], tools: Iterable[str]) -> bool:
    """Whether blocks name tools of their case, which a drawn conversation does not have."""
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
