"""What a target documents that it takes of a setting, and so what may be left of a value beyond that.

The limits stand in ``format.json``. Some hold for some models alone, some only beside another setting of the output
or beside tools of a kind.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.reading import Setting
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.settings.model_names import named_by


@dataclass(frozen=True, slots=True)
class Limited:
    """What the target takes of a value that it does not take as it is.

    ``nearest`` is that, MISSING if it takes nothing; of a list it is all that may stay, of which ``most`` are taken.
    ``may_lack``: to say nothing is as near.
    """

    nearest: Any
    most: int | None = None
    may_lack: bool = False

    def met_by(self, got: Any) -> bool:
        """Whether a value, MISSING for none, is all that the target takes."""
        if got is MISSING and self.may_lack:
            return True
        if isinstance(self.nearest, list) and isinstance(got, list):
            actual_values = set(got)
            return actual_values <= set(self.nearest) and len(actual_values) == min(
                self.most or len(self.nearest), len(self.nearest)
            )
        return equal(self.nearest, got) if MISSING not in (self.nearest, got) else self.nearest is got


def limited(pair: Pair, name: str, value: Any) -> Limited | None:
    """What the target takes of a setting's value; None where that is all of it, as far as the corpus knows."""
    entries = list(_entries(pair, name))
    if any(entry.get("refused") for entry in entries):
        return Limited(MISSING)
    if (
        supported_values := [supported_value for entry in entries for supported_value in entry.get("taken", ())]
    ) and value not in supported_values:
        return Limited(supported_values[0], may_lack=True)
    if isinstance(value, list):
        return _limited_list(entries, value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    nearest = value
    for entry in entries:
        nearest = max(nearest, entry.get("least", nearest))
        nearest = min(nearest, entry.get("most", nearest))
        if entry.get("whole"):
            nearest = _whole(nearest)
    return None if equal(nearest, value) else Limited(nearest)


def _whole(number: float) -> float:
    """The number without its fraction; infinity stays."""
    return int(number) if math.isfinite(number) else number


def _limited_list(entries: list[Mapping[str, Any]], value: list[Any]) -> Limited | None:
    texts = list(dict.fromkeys(map(str, value)))
    if any(entry.get("blank") is False for entry in entries):
        texts = [text for text in texts if text.strip()]
    most = min((entry["entries"] for entry in entries if "entries" in entry), default=len(texts))
    if len(texts) == len(value) and len(texts) <= most:
        return None
    return Limited(texts or MISSING, most)


def is_all_taken(pair: Pair, name: str, limit: Limited, other: Setting | None) -> bool:
    """Whether the output has all that the target takes of a setting, said or by the target's default."""
    if other is not None:
        return limit.met_by(other.value)
    return limit.met_by(MISSING) or limit.met_by(pair.target.get("defaults", {}).get(name, MISSING))


def adjustable(pair: Pair, name: str, want: Any, got: Any) -> bool:
    """Whether a change has a reason that the two bodies do not rule out, though they do not show it."""
    entries = list(_entries(pair, name))
    if isinstance(want, dict):
        if not isinstance(got, dict):
            return False
        common = {word for entry in entries for word in entry.get("common", ())}
        efforts = [value for value in (want.get("effort"), got.get("effort")) if value]
        return bool(common) and all(isinstance(effort, str) for effort in efforts) and not common.issuperset(efforts)
    if not all(isinstance(value, (int, float)) for value in (want, got)):
        return False
    if got > want:
        return any(entry.get("may_grow") for entry in entries)
    # Of a model that the corpus does not know, any maximum that some model has may be the maximum.
    has_limit = any("most" in entry for entry in entries)
    floors = [entry["least_maximum"] for entry in entries if "least_maximum" in entry]
    return not has_limit and any(got >= floor for floor in floors)


def _entries(pair: Pair, name: str) -> Iterator[Mapping[str, Any]]:
    """The limits that hold for a setting: of the model that is asked, and beside what else the output says."""
    setting = pair.output.settings.get("model")
    model = pair.model or (setting.value if setting is not None and isinstance(setting.value, str) else "")
    for entry in pair.target.get("limits", ()):
        if entry["setting"] == name and _is_beside(pair, entry, name):
            models = entry.get("models")
            if models is None or (model and named_by(pair.corpus, model, models)):
                yield entry


def _is_beside(pair: Pair, entry: Mapping[str, Any], name: str) -> bool:
    """Whether the output has what must stand beside a setting for a limit to hold: another setting, tools of a kind."""
    kind = entry.get("beside_tools")
    tools = kind is None or any(tool.kind == kind for tool in pair.output.tools)
    return tools and entry.get("beside", name) in {name, *pair.output.settings}
