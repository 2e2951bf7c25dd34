"""Documented limits of a target's settings: what may remain of a value beyond them.

The limits are in ``format.json``. Some apply to some models only, some only together with another setting of the output
or with tools of a kind.
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
from toolcall_conformance.judge.translation.settings.model_names import matches_model


@dataclass(frozen=True, slots=True)
class LimitedValue:
    """What the target accepts in place of a value that it does not accept unchanged.

    ``nearest`` is that, MISSING if it accepts nothing; for a list, all entries that may stay, of which ``max_entries``
    are accepted. ``may_lack``: omitting the setting is as near.
    """

    nearest: Any
    max_entries: int | None = None
    may_lack: bool = False

    def is_met_by(self, got: Any) -> bool:
        """Whether a value, MISSING for none, is all that the target accepts."""
        if got is MISSING and self.may_lack:
            return True
        if isinstance(self.nearest, list) and isinstance(got, list):
            actual_values = set(got)
            return actual_values <= set(self.nearest) and len(actual_values) == min(
                self.max_entries or len(self.nearest), len(self.nearest)
            )
        return equal(self.nearest, got) if MISSING not in (self.nearest, got) else self.nearest is got


def limit_value(pair: Pair, setting_name: str, value: Any) -> LimitedValue | None:
    """Return what the target accepts of a setting's value; None if that is all of it, as far as the corpus knows."""
    entries = list(_applicable_limits(pair, setting_name))
    if any(entry.get("refused") for entry in entries):
        return LimitedValue(MISSING)
    if (
        supported_values := [supported_value for entry in entries for supported_value in entry.get("taken", ())]
    ) and value not in supported_values:
        return LimitedValue(supported_values[0], may_lack=True)
    if isinstance(value, list):
        return _limit_list(entries, value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    nearest = value
    for entry in entries:
        nearest = max(nearest, entry.get("least", nearest))
        nearest = min(nearest, entry.get("most", nearest))
        if entry.get("whole"):
            nearest = _without_fraction(nearest)
    return None if equal(nearest, value) else LimitedValue(nearest)


def _without_fraction(number: float) -> float:
    """Return a number without its fraction; infinity stays."""
    return int(number) if math.isfinite(number) else number


def _limit_list(entries: list[Mapping[str, Any]], value: list[Any]) -> LimitedValue | None:
    """Return what the target accepts of a list; None if that is all of it."""
    texts = list(dict.fromkeys(map(str, value)))
    if any(entry.get("blank") is False for entry in entries):
        texts = [text for text in texts if text.strip()]
    most = min((entry["entries"] for entry in entries if "entries" in entry), default=len(texts))
    if len(texts) == len(value) and len(texts) <= most:
        return None
    return LimitedValue(texts or MISSING, most)


def is_limit_met(pair: Pair, setting_name: str, limit: LimitedValue, other: Setting | None) -> bool:
    """Whether the output has all that the target accepts of a setting, given or by the target's default."""
    if other is not None:
        return limit.is_met_by(other.value)
    return limit.is_met_by(MISSING) or limit.is_met_by(pair.target.get("defaults", {}).get(setting_name, MISSING))


def may_be_adjusted(pair: Pair, setting_name: str, want: Any, got: Any) -> bool:
    """Whether a change may have a reason that the two bodies do not show, but do not rule out either."""
    entries = list(_applicable_limits(pair, setting_name))
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


def _applicable_limits(pair: Pair, setting_name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the limits that apply to a setting, by the requested model and by what else the output has."""
    setting = pair.output.settings.get("model")
    model = pair.model or (setting.value if setting is not None and isinstance(setting.value, str) else "")
    for entry in pair.target.get("limits", ()):
        if entry["setting"] == setting_name and _applies(pair, entry, setting_name):
            models = entry.get("models")
            if models is None or (model and matches_model(pair.corpus, model, models)):
                yield entry


def _applies(pair: Pair, entry: Mapping[str, Any], setting_name: str) -> bool:
    """Whether the output has what a limit depends on: another setting, or tools of a kind."""
    kind = entry.get("beside_tools")
    tools = kind is None or any(tool.kind == kind for tool in pair.output.tools)
    return tools and entry.get("beside", setting_name) in {setting_name, *pair.output.settings}
