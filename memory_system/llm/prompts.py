"""What a model is asked, and its answer. Prompts are files: `prompts/<question>.<language>.md`, a first line `version:
N`, then the constant part of the question; their hash is kept on every record that an answer made. The JSON schema of
an answer is kept small because it is paid for."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, ValidationError

from memory_system.llm import Answer, AskError, Prompt
from memory_system.text import estimate_tokens

FOLDER = Path(__file__).parent.with_name("prompts")
_NEEDLESS = ("title", "description", "default")


@dataclass(frozen=True, slots=True)
class Template:
    """The constant part of a question in one language; `digest` is like `extract.en@1:9f86d081`."""

    name: str
    text: str
    digest: str

    @property
    def method(self) -> str:
        """What a record names as its method when an answer made it."""
        return f"llm:{self.digest}"

    def about(self, what: str, most: int) -> Prompt:
        """The question about that, to be answered in at most so many tokens."""
        return Prompt(self.name, self.text, what, most, self.digest)


@cache
def template(name: str, lang: str) -> Template:
    """The question of that name for talk in that language (en or zh)."""
    data = (FOLDER / f"{name}.{lang}.md").read_bytes()
    head, _, body = data.decode().partition("\n")
    version = head.removeprefix("version:").strip()
    digest = hashlib.blake2b(data, digest_size=4).hexdigest()
    return Template(name, body.strip(), f"{name}.{lang}@{version}:{digest}")


@cache
def schema_of(answer: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of an answer: closed objects, as structured output asks for."""
    row = answer.model_json_schema()
    parts = row.pop("$defs", {})
    found: dict[str, Any] = _small(row, parts)
    return found


def _small(row: Any, parts: dict[str, Any]) -> Any:
    """The schema without what only people read, its parts put in where they are named."""
    if isinstance(row, list):
        return [_small(each, parts) for each in row]
    if not isinstance(row, dict):
        return row
    if "$ref" in row:
        return _small(parts[row["$ref"].rpartition("/")[2]], parts)
    kept = {key: value for key, value in row.items() if key not in _NEEDLESS or isinstance(value, dict)}
    small = {key: _small(value, parts) for key, value in kept.items() if key != "properties"}
    if "properties" in kept:
        small["properties"] = {name: _small(each, parts) for name, each in kept["properties"].items()}
        small |= {"additionalProperties": False, "required": kept.get("required", [])}
    return small


def read(text: str, schema: type[Answer]) -> Answer:
    """The answer in the text; AskError where it is none in the schema."""
    try:
        return schema.model_validate_json(_object_in(text))
    except ValidationError as error:
        what = f"the answer is not what was asked for: {error.error_count()} faults"
        raise AskError("bad_output", what) from None


def _object_in(text: str) -> str:
    """The JSON object in a text: models that are asked in words like to put something around it."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def in_words(schema: type[BaseModel]) -> str:
    """The form of an answer as part of a prompt."""
    return orjson.dumps(schema_of(schema)).decode()


def key_of(prompt: Prompt, schema: type[BaseModel], model: str) -> str:
    """The name of a question: the same model, prompt, schema and input always have the same."""
    parts = (model, prompt.constant, in_words(schema), prompt.input)
    return hashlib.blake2b("\0".join(parts).encode(errors="replace"), digest_size=16).hexdigest()


def cost_of(prompt: Prompt, schema: type[BaseModel]) -> int:
    """About how many tokens the question takes before it is answered."""
    return overhead(prompt.constant, schema) + estimate_tokens(prompt.input)


def overhead(constant: str, schema: type[BaseModel]) -> int:
    """About how many tokens a question takes whatever it is about."""
    return estimate_tokens(constant) + estimate_tokens(in_words(schema))
