"""How far media must survive: what the formats on their way can express, and which types they take."""

from __future__ import annotations

from fnmatch import fnmatchcase

from toolcall_conformance.basics.reading import Media
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.library import Corpus


def demand_of(pair: Pair, media: Media, *, in_result: bool, drawn: bool = False) -> str:
    """How far media must survive: as their element does, if every format on the way is known to take their type."""
    element = element_of(media, in_result=in_result, drawn=drawn)
    if any(
        name is not None and _refuses(pair.corpus, name, media, element) for name in (pair.output.format, pair.through)
    ):
        return "cannot"
    return pair.demand(element)


def fits_results(corpus: Corpus, name: str, media: Media) -> bool:
    """Whether a format can have such media in a result, or by a convention beside it."""
    element = element_of(media, in_result=True)
    return corpus.expresses(name, element) != "no" and not _refuses(corpus, name, media, element)


def element_of(media: Media, *, in_result: bool, drawn: bool = False) -> str:
    """The element that media are: of the model, of the user, or of a result by their kind."""
    if not in_result:
        return "media-drawn" if drawn else "media-user"
    return f"result-{media.kind}" if media.kind in ("image", "audio") else "result-document"


def is_drawn(pair: Pair, side: str) -> bool:
    """Whether the model itself gives media of this side in a reply, or gets them back from its client.

    In the history of another provider's model they may stand among the user's.
    """
    return side == "assistant" and (not pair.is_request or pair.through is not None)


def mime_of(corpus: Corpus, media: Media) -> str | None:
    """The type of media by its usual name, without parameters."""
    name = (media.mime or "").split(";")[0].strip().lower()
    usual = corpus.equivalence("media-type-alias").parameters["names"]
    return str(usual.get(name, name)) or None


def _refuses(corpus: Corpus, name: str, media: Media, element: str) -> bool:
    """Whether a format is known not to take the type of these media."""
    types, mime = corpus.expression(name, element).get("types"), mime_of(corpus, media)
    return types is not None and mime is not None and not any(fnmatchcase(mime, pattern) for pattern in types)
