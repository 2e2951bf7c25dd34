"""Schemas of parameters: as little as they may say, and words of one place at another."""

from __future__ import annotations

from doubles.border import GONE, borders

border = borders(__name__)

A, C, G = "/tools/0/input_schema", "/tools/0/function/parameters", "/tools/0/functionDeclarations/0/parameters"
R, J = "/tools/0/parameters", "/tools/0/functionDeclarations/0/parametersJsonSchema"
BARE = {"type": "object"}
EMPTY = {"type": "object", "properties": {}}
CLOSED = {
    "type": "object",
    "properties": {"lat": {"type": "number"}, "lon": {"type": ["number", "null"]}},
    "required": ["lat", "lon"],
    "additionalProperties": False,
}
GRID = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}

border(
    "anthropic/tool-schema-object",
    "bare-object",
    "A schema says that it is an object, and nothing else",
    {A: BARE},
    past={f"{A}/type": GONE},
    says="A schema says nothing",
)
border(
    "anthropic/tool-has-schema",
    "schema-says-no-parameters",
    "The schema of a tool without parameters says its type alone",
    {A: BARE},
    past={A: GONE},
)
border(
    "anthropic/tool-schema-root-plain",
    "a-parameter-called-any-of",
    "A parameter has the name of a keyword that the root must not have",
    {f"{A}/properties/anyOf": {"type": "string"}},
    past={f"{A}/anyOf": [{"required": ["anyOf"]}, {"required": ["key"]}]},
)
border(
    "anthropic/tool-schema-valid",
    "least-length-nought",
    "A keyword has the least value that it may have",
    {f"{A}/properties/city/minLength": 0},
    past={f"{A}/properties/city/minLength": -1},
    says="A keyword has a value that it may not have",
)
border(
    "anthropic/tool-strict-closed",
    "strict-and-closed-within",
    "Every object in a strict schema is closed, one inside an array too",
    {f"{A}/properties/city": {"type": "array", "items": CLOSED}},
    past={f"{A}/properties/city/items/additionalProperties": GONE},
    says="An object inside an array of a strict schema is open",
)
border(
    "gemini/json-schema-object",
    "bare-json-schema",
    "A JSON Schema says its type, and nothing else",
    {J: BARE},
    past={J: '{"type": "object"}'},
    says="A JSON Schema stands there as a text",
)
border(
    "gemini/json-schema-root",
    "json-schema-without-properties",
    "A JSON Schema is of the type object, and has no properties",
    {f"{J}": BARE},
    past={f"{J}/type": "array"},
)
border(
    "gemini/schema-array-items",
    "array-in-an-array",
    "An array has arrays for entries, and these have entries, too",
    {f"{G}/properties/path": {"type": "ARRAY", "items": {"type": "ARRAY", "items": {"type": "STRING"}}}},
    past={f"{G}/properties/path/items/items": GONE},
    says="An array that is the entry of an array says nothing of its own entries",
)
border(
    "gemini/schema-enum-strings",
    "numbers-as-texts",
    "The values of an enum are texts, all but one of which read like numbers",
    {f"{G}/properties/path/enum": ["0", "1.5", "true"]},
    past={f"{G}/properties/path/enum/1": 1.5},
)
border(
    "gemini/schema-object-keywords",
    "required-of-an-object",
    "An object in lower case has properties, and requires one",
    {f"{G}/properties/path/type": "object", f"{G}/properties/path/required": ["line"]},
    past={f"{G}/properties/path/type": "string"},
)
border(
    "gemini/schema-required-defined",
    "all-required",
    "Every property that there is is required",
    {f"{G}/properties/mode": {"type": "STRING"}, f"{G}/required": ["path", "mode"]},
    past={f"{G}/required/-": "Mode"},
    says="A property is required that has another case",
)
border(
    "gemini/schema-root-object",
    "root-in-lower-case",
    "The type of the root is spelt in lower case",
    {f"{G}/type": "object"},
    past={f"{G}/type": GONE},
)
border(
    "openai_chat/strict-schema",
    "strict-object-within",
    "An object inside a strict schema requires all that it has, what may be null too, and is closed",
    {f"{C}/properties/command": CLOSED},
    past={f"{C}/properties/command/required/1": GONE},
    says="An object inside a strict schema does not require all that it has",
)
border(
    "openai_chat/tool-schema-items",
    "grid-with-items",
    "An array has arrays for entries, and these have entries, too",
    {f"{C}/properties/paths": GRID},
    past={f"{C}/properties/paths/items/items": GONE},
    says="An array that is the entry of an array has no items",
)
border(
    "openai_chat/tool-schema-plain-root",
    "a-parameter-called-enum",
    "A parameter has the name of a keyword that the root must not have",
    {f"{C}/properties/enum": {"enum": ["a"]}},
    past={f"{C}/enum": [{}]},
)
border(
    "openai_chat/tool-schema-properties",
    "no-properties-and-closed",
    "Properties are an empty object, and there may be no others",
    {C: {**EMPTY, "additionalProperties": False}},
    past={f"{C}/properties": GONE},
)
border(
    "openai_chat/tool-schema-root",
    "root-of-an-empty-object",
    "The root says its type, and that there are no properties",
    {C: EMPTY},
    past={f"{C}/type": GONE},
)
border(
    "openai_chat/tool-schema-valid",
    "two-types",
    "A parameter has two types, each spelt as JSON Schema spells it",
    {f"{C}/properties/command/type": ["string", "null"]},
    past={f"{C}/properties/command/type/1": "NULL"},
    says="One of the two types of a parameter is spelt in upper case",
)
border(
    "openai_responses/strict-schema",
    "strict-object-inside",
    "An object inside a strict schema requires all that it has, what may be null too, and is closed",
    {f"{R}/properties/city": CLOSED},
    past={f"{R}/properties/city/additionalProperties": True},
    says="An object inside a strict schema is open",
)
border(
    "openai_responses/tool-schema-combinators",
    "a-parameter-called-not",
    "A parameter has the name of a keyword that the root must not have",
    {f"{R}/properties/not": {"not": {"type": "null"}}},
    past={f"{R}/not": {"required": ["not"]}},
)
border(
    "openai_responses/tool-schema-items",
    "grid-has-items",
    "An array has arrays for entries, and these have entries, too",
    {f"{R}/properties/cities": GRID},
    past={f"{R}/properties/cities/items/items": GONE},
    says="An array that is the entry of an array has no items",
)
border(
    "openai_responses/tool-schema-root",
    "root-of-no-parameters",
    "The root says its type, and that there are no properties",
    {R: EMPTY},
    past={f"{R}/type": "string"},
)
border(
    "openai_chat/tool-schema-valid",
    "most-entries-as-a-number",
    "A list has at most four entries, and a text at least none and at most a hundred characters",
    {f"{C}/properties/paths": {"type": "array", "maxItems": 4, "items": {"minLength": 0, "maxLength": 1e2}}},
    past={f"{C}/properties/paths/maxItems": "4"},
    says="How many entries a list may have stands as a text, as Gemini's schemas have it",
)
for _rule, _at in (("openai_responses/tool-schema-valid", R), ("gemini/json-schema-valid", J)):
    border(
        _rule,
        "parameters-called-like-keywords",
        "Parameters have the names of keywords, and one has one of two types",
        {_at: {"type": "object", "properties": {"type": {"type": ["string", "null"]}, "required": {}}, "required": []}},
        past={f"{_at}/properties/type/type": "STRING"},
        says="A type of a parameter is in capital letters, as Gemini writes them in its other dialect",
    )
    border(
        _rule,
        "parameters-of-any-form",
        "A parameter has any of two forms, and one takes anything but text",
        {_at: {"type": "object", "properties": {"at": {"anyOf": [CLOSED, GRID]}, "no": {"not": {"type": "string"}}}}},
        past={f"{_at}/properties/at/anyOf/0/required": None},
        says="What a form of a parameter requires is null, where a list belongs",
    )
    border(
        _rule,
        "most-characters-as-a-number",
        "A text has at most a hundred characters, of which at least none",
        {_at: {"type": "object", "properties": {"at": {"type": "string", "minLength": 0, "maxLength": 1e2}}}},
        past={f"{_at}/properties/at/maxLength": "100"},
        says="How long a text may be stands as a text, as Gemini's other dialect has it",
    )
