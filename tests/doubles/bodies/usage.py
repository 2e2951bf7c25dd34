"""What a reply cost: nothing told where nothing came, parts counted twice or not at all."""

from __future__ import annotations

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft

ABSENT = "usage/absent"
GROWING = "usage/growing"
ALL_CACHED = "usage/all-from-the-cache"
COUNTS = "translation/usage"


@broken("anthropic/usage-shape", check="response", cases=(ABSENT,), at_home=())
def no_usage_where_none_came(draft: Draft) -> None:
    """The provider does not count, and the reply has no usage, which the client's SDK reads."""
    need(draft.body.pop("usage", None))


@broken("anthropic/usage-shape", check="response", cases=(ABSENT,), at_home=())
def counts_null_where_none_came(draft: Draft) -> None:
    """The provider does not count, and the counts are null."""
    need(draft.body.get("usage")).update(input_tokens=None, output_tokens=None)


@broken("openai_chat/usage-counts", check="response", cases=(ABSENT,), at_home=())
def usage_empty_where_none_came(draft: Draft) -> None:
    """The provider does not count, and usage is an empty object."""
    need(draft.body.get("usage")).clear()


@harmless(target=CHAT, check="response", cases=(ABSENT,), beside=("openai_chat/usage-counts", "translation/usage-lost"))
def usage_left_out_where_none_came(draft: Draft) -> None:
    """The provider does not count, and the reply has no usage."""
    need(draft.body.pop("usage", None))


@harmless(
    target=RESPONSES,
    check="response",
    cases=(ABSENT,),
    beside=("openai_responses/usage-shape", "translation/usage-lost"),
)
def usage_null_where_none_came(draft: Draft) -> None:
    """The provider does not count, and usage is null."""
    need(draft.body.get("usage"))
    draft.body["usage"] = None


@harmless(target=GEMINI, check="response", cases=(ABSENT,), beside=("gemini/usage-counts", "translation/usage-lost"))
def metadata_left_out_where_none_came(draft: Draft) -> None:
    """The provider does not count, and the reply has no usageMetadata."""
    need(draft.body.pop("usageMetadata", None))


@warning(COUNTS, target=(CHAT, RESPONSES, GEMINI), sources=(ANTHROPIC,), check="response", cases=(GROWING,))
def cached_not_counted_in(draft: Draft) -> None:
    """What came from the cache is not counted among what went in, as Anthropic counts."""
    if draft.format == GEMINI:
        draft.body["usageMetadata"]["promptTokenCount"] -= draft.body["usageMetadata"]["cachedContentTokenCount"]
    else:
        usage, key = draft.body["usage"], "prompt" if draft.format == CHAT else "input"
        usage[f"{key}_tokens"] -= usage[f"{key}_tokens_details"]["cached_tokens"]


@warning(COUNTS, target=ANTHROPIC, check="response", cases=(GROWING,))
def cached_counted_twice(draft: Draft) -> None:
    """What came from the cache is counted beside what went in, and among it."""
    draft.body["usage"]["input_tokens"] += draft.body["usage"]["cache_read_input_tokens"]


@warning(COUNTS, target=(ANTHROPIC, CHAT, RESPONSES), sources=(GEMINI,), check="response", cases=(GROWING,))
def thoughts_not_counted_in(draft: Draft) -> None:
    """The tokens of thoughts are not counted among what came out, as Gemini counts them apart."""
    key = "completion_tokens" if draft.format == CHAT else "output_tokens"
    draft.body["usage"][key] -= draft.source["usageMetadata"]["thoughtsTokenCount"]


@broken("translation/usage-lost", target=(CHAT, RESPONSES), sources=(ANTHROPIC,), check="response", cases=(ALL_CACHED,))
def nothing_but_cache_is_nothing(draft: Draft) -> None:
    """As no token came in but from the cache, none is counted at all."""
    usage, key = draft.body["usage"], "prompt" if draft.format == CHAT else "input"
    usage[f"{key}_tokens"] = usage[f"{key}_tokens_details"]["cached_tokens"] = 0
    usage["total_tokens"] = usage["completion_tokens" if draft.format == CHAT else "output_tokens"]


@harmless(
    target=CHAT,
    check="response",
    sources=(ANTHROPIC, RESPONSES, GEMINI),
    cases=(GROWING,),
    beside="translation/usage-lost",
)
def thoughts_untold(draft: Draft) -> None:
    """How much of the output was thinking is not told apart."""
    del need(draft.body.get("usage"))["completion_tokens_details"]


@warning(
    "translation/usage-invented",
    target=(CHAT, RESPONSES),
    sources=(ANTHROPIC,),
    check="response",
    cases=(ABSENT,),
    at_home=(),
)
def counts_made_up(draft: Draft) -> None:
    """The provider does not count, and the reply says that it read from a cache."""
    usage, key = draft.body["usage"], "prompt" if draft.format == CHAT else "input"
    usage[f"{key}_tokens_details"] = {"cached_tokens": 512}


@harmless(target=CHAT, sources=(ANTHROPIC,), check="response", cases=(ABSENT,), at_home=())
def cached_zero_where_none_came(draft: Draft) -> None:
    """The provider does not count, and the reply says that nothing came from a cache, as Responses always does."""
    draft.body["usage"]["prompt_tokens_details"] = {"cached_tokens": 0}


DETAILS = {
    CHAT: ("completion_tokens_details", "reasoning_tokens"),
    RESPONSES: ("output_tokens_details", "reasoning_tokens"),
}


def _thought(draft: Draft, count: int) -> None:
    """Say how many tokens were thinking."""
    if draft.format == GEMINI:
        draft.body.setdefault("usageMetadata", {})["thoughtsTokenCount"] = count
    else:
        holder, key = DETAILS[draft.format]
        need(draft.body.get("usage")).setdefault(holder, {})[key] = count


@warning("translation/usage-invented", target=(CHAT, RESPONSES, GEMINI), check="response", cases=(ABSENT,), at_home=())
def thoughts_made_up(draft: Draft) -> None:
    """The provider does not count, and the reply says how many tokens were thinking."""
    _thought(draft, 64)


@warning("translation/usage-invented", target=(ANTHROPIC, GEMINI), check="response", cases=(ABSENT,), at_home=())
def cache_made_up(draft: Draft) -> None:
    """The provider does not count, and the reply says in its format's own words that it read from a cache."""
    if draft.format == GEMINI:
        draft.body.setdefault("usageMetadata", {})["cachedContentTokenCount"] = 512
    else:
        need(draft.body.get("usage"))["cache_read_input_tokens"] = 512


@harmless(target=(ANTHROPIC, GEMINI), check="response", cases=(ABSENT,), at_home=())
def no_cache_where_none_came(draft: Draft) -> None:
    """The provider does not count, and the reply says that nothing came from a cache, and nothing was thinking."""
    if draft.format == GEMINI:
        draft.body.setdefault("usageMetadata", {}).update(thoughtsTokenCount=0, cachedContentTokenCount=0)
    else:
        need(draft.body.get("usage")).update(cache_read_input_tokens=0, cache_creation_input_tokens=None)


HOURS = ("caching/an-hour", "caching/four-marks")


@warning("translation/usage-invented", target=ANTHROPIC, sources=(CHAT, RESPONSES, GEMINI), check="response")
def input_as_written_to_a_cache(draft: Draft) -> None:
    """All tokens that went in are told as written to a cache, which costs a quarter more."""
    usage = need(draft.body.get("usage"))
    need(usage["input_tokens"])
    usage.update(input_tokens=0, cache_creation_input_tokens=usage["input_tokens"])


def _written(draft: Draft, times: int) -> None:
    """Say so many times as many tokens as were written to the cache."""
    written = need(draft.source["usage"].get("cache_creation_input_tokens"))
    holder = "prompt_tokens_details" if draft.format == CHAT else "input_tokens_details"
    draft.body["usage"].setdefault(holder, {})["cache_write_tokens"] = written * times


@warning(COUNTS, target=(CHAT, RESPONSES), sources=(ANTHROPIC,), check="response", cases=HOURS)
def written_counted_twice(draft: Draft) -> None:
    """The tokens that were written to a cache are told twice over."""
    _written(draft, 2)


@harmless(target=(CHAT, RESPONSES), sources=(ANTHROPIC,), check="response", cases=HOURS)
def written_told(draft: Draft) -> None:
    """How many tokens were written to a cache is told as newer replies tell it."""
    _written(draft, 1)


@warning("gemini/usage-total", target=GEMINI, check="response")
def total_left_out(draft: Draft) -> None:
    """The counts have no sum beside them."""
    del need(draft.body.get("usageMetadata"))["totalTokenCount"]


@harmless(target=GEMINI, check="response", cases=(ABSENT,))
def counts_empty_where_none_came(draft: Draft) -> None:
    """The provider does not count, and nothing is counted, not even nothing."""
    draft.body["usageMetadata"] = {}


@warning(COUNTS, target=(CHAT, RESPONSES), sources=(GEMINI,), check="response", cases=(GROWING,))
def thoughts_counted_as_none(draft: Draft) -> None:
    """The model thought, and the reply says that it did not."""
    need(draft.source["usageMetadata"].get("thoughtsTokenCount"))
    _thought(draft, 0)
