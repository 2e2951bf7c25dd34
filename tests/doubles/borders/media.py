"""Pictures, sounds and files: the other places that they may come from, and what must be said of them."""

from __future__ import annotations

from doubles.border import GONE, borders

border = borders(__name__)

PDF = "JVBERi0xLjQKJeLjz9MK"
PAGE = "https://example.org/harbour.png"
SOURCE = "/messages/0/content/1/source"

border(
    "anthropic/document-source",
    "document-of-blocks",
    "A document is made of blocks of content",
    {SOURCE: {"type": "content", "content": [{"type": "text", "text": "Minutes."}]}},
    past={SOURCE: {"type": "base64", "media_type": "text/plain", "data": "TWludXRlcy4="}},
    says="A document of plain text stands in base64",
)
border(
    "anthropic/image-source",
    "image-by-its-address",
    "A picture is named by its address",
    {SOURCE: {"type": "url", "url": PAGE}},
    past={f"{SOURCE}/url": GONE},
    says="A picture has neither bytes nor an address",
)
border(
    "anthropic/image-type",
    "image-of-the-fourth-type",
    "A picture is a WebP",
    {f"{SOURCE}/media_type": "image/webp", f"{SOURCE}/data": "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="},
    past={f"{SOURCE}/media_type": "image/bmp"},
)
border(
    "anthropic/media-raw-base64",
    "base64-that-begins-with-data",
    "The base64 of a picture begins with the four letters of a data URL",
    {f"{SOURCE}/data": "dataVBORw0KG"},
    past={f"{SOURCE}/data": "data:image/png;base64,iVBORw0KGgo="},
)
border(
    "anthropic/block-type",
    "search-result-of-the-user",
    "The user gives a search result, a block that is seldom seen",
    {
        "/messages/0/content/1": {
            "type": "search_result",
            "source": "https://example.org/ports",
            "title": "Ports",
            "content": [{"type": "text", "text": "Leixões is a port."}],
        }
    },
    past={"/messages/0/content/1/type": "search"},
)
border(
    "gemini/media-mime",
    "mime-in-snake-case",
    "The bytes of a picture and their MIME type are spelt in snake_case",
    {"/contents/0/parts/1": {"inline_data": {"mime_type": "image/png", "data": "iVBORw0KGgo="}}},
    past={"/contents/0/parts/1/inline_data/mime_type": GONE},
)
border(
    "gemini/media-mime",
    "file-with-an-empty-mime-type",
    "The MIME type of a file is an empty text, which is none",
    {
        "/contents/0/parts/1": {
            "fileData": {"mimeType": "", "fileUri": "https://generativelanguage.googleapis.com/v1beta/files/k2"}
        }
    },
    past={"/contents/0/parts/1/fileData/mimeType": "pdf"},
    says="The MIME type of a file is the end of its name",
)
border(
    "gemini/media-uri",
    "file-without-a-mime-type",
    "A file has its address, and no MIME type",
    {"/contents/0/parts/1/fileData/mimeType": GONE},
    past={"/contents/0/parts/1/fileData": {"mimeType": "application/pdf"}},
    says="A file has its MIME type, and no address",
)
border(
    "openai_chat/audio-part",
    "sound-of-the-other-format",
    "A sound is an MP3",
    {"/messages/0/content/1/input_audio": {"data": "SUQzBAAAAAAA", "format": "mp3"}},
    past={"/messages/0/content/1/input_audio/format": "mpeg"},
)
border(
    "openai_chat/file-name",
    "bytes-named-by-one-letter",
    "The name of a file is one letter",
    {
        "/messages/0/content/1/file": {
            "filename": "f",
            "file_data": "data:application/pdf;base64,JVBERi0xLjQKJSVFT0YK",
            "file_id": None,
        }
    },
    past={"/messages/0/content/1/file/filename": None},
    says="The name of a file is null",
)
border(
    "openai_chat/file-part",
    "file-by-its-id",
    "A file is named by its id, and by nothing else",
    {"/messages/0/content/1/file": {"file_id": "file-9XkTq2LmVb7RzWc4NyHs5P"}},
    past={"/messages/0/content/1/file": "file-9XkTq2LmVb7RzWc4NyHs5P"},
    says="A file is its id, and no object",
)
border(
    "openai_chat/user-part",
    "picture-among-the-parts",
    "A picture stands among the parts of the user's message",
    {"/messages/0/content/-": {"type": "image_url", "image_url": {"url": PAGE}}},
    past={"/messages/0/content/1": {"type": "input_image", "image_url": PAGE}},
)
border(
    "openai_responses/file-data-url",
    "file-of-few-bytes",
    "A file of one byte stands in a data URL with its type",
    {"/input/0/content/1": {"type": "input_file", "filename": "n.txt", "file_data": "data:text/plain;base64,MQ=="}},
    past={"/input/0/content/1/file_data": "data:;base64,MQ=="},
    says="The data URL of a file has no type",
)
border(
    "openai_responses/file-name",
    "file-named-by-one-letter",
    "The name of a file is one letter",
    {"/input/0/content/1/filename": "f"},
    past={"/input/0/content/1/filename": ""},
    says="The name of a file is empty",
)
border(
    "openai_responses/file-source",
    "file-of-the-provider",
    "A file is named by its id, and by nothing else",
    {"/input/0/content/1": {"type": "input_file", "file_id": "file-9XkTq2LmVb7RzWc4NyHs5P"}},
    past={"/input/0/content/1": {"type": "input_file", "filename": "report.pdf"}},
    says="A file has its name, and neither bytes nor an id",
)
border(
    "openai_responses/file-type",
    "text-about-a-sound",
    "A file of text has a name that tells of a sound",
    {
        "/input/0/content/1": {
            "type": "input_file",
            "filename": "audio.txt",
            "file_data": "data:text/plain;base64,VGhlIHNvdW5kLg==",
        }
    },
    past={"/input/0/content/1/file_data": "data:audio/mpeg;base64,SUQzBAAAAAAA"},
)
border(
    "openai_responses/image-source",
    "image-by-address-alone",
    "A picture has its address, and says nothing of its detail",
    {"/input/0/content/1": {"type": "input_image", "image_url": PAGE, "detail": "auto"}},
    past={"/input/0/content/1/image_url": GONE},
)
border(
    "openai_responses/image-url-form",
    "image-without-tls",
    "The address of a picture is one of plain HTTP",
    {"/input/0/content/1/image_url": "http://example.org/harbour.png"},
    past={"/input/0/content/1/image_url": "example.org/harbour.png"},
    says="The address of a picture has no scheme",
)
border(
    "openai_responses/image-url-string",
    "image-url-as-a-text",
    "The address of a picture is a text",
    {"/input/0/content/1/image_url": PAGE},
    past={"/input/0/content/1/image_url": {"url": PAGE}},
)
border(
    "openai_chat/file-type",
    "pdf-in-capitals",
    "The type of a file is written in capitals",
    {
        "/messages/0/content": [
            {
                "type": "file",
                "file": {"filename": "a.pdf", "file_data": "data:APPLICATION/PDF;base64,JVBERi0xLjQKJSVFT0YK"},
            }
        ]
    },
    past={"/messages/0/content/0/file": {"filename": "a.md", "file_data": "data:text/markdown;base64,IyBOb3Rlcwo="}},
    says="A file is a text of its own",
)
