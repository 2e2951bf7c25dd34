"""Documents of plain text that the output has as text: that text is not made up.

Where a format takes no such file, its own guide says to send the words (https://developers.openai.com/api/docs/guides/file-inputs).
"""

from __future__ import annotations

from collections.abc import Iterable

from toolcall_conformance.judge.translation.media.media_places import media_of_both
from toolcall_conformance.judge.translation.media.media_twins import twins_of
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.results.payload import plain_text
from toolcall_conformance.judge.translation.texts.joining import squeezed


def telling_documents(pair: Pair, texts: Iterable[str]) -> set[str]:
    """Those of the texts that have the words of a document which is there in no other form.

    A title or tags may stand around the words.
    """
    source, output = media_of_both(pair)
    matches = twins_of(source, output)
    opened = (plain_text(pair.corpus, piece.media) for index, piece in enumerate(source) if index not in matches)
    documents = [words for text in opened if text and (words := squeezed([text]))]
    if not documents:
        return set()
    around = pair.corpus.equivalence("text-document-as-text").parameters["around"]
    squeezed_texts = ((text, squeezed([text])) for text in texts)
    return {
        text
        for text, words in squeezed_texts
        if any(document in words and len(words) - len(document) <= around for document in documents)
    }
