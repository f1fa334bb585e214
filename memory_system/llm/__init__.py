"""The port to a language model: one question, one answer in a schema. Phases take it as an option and work without.
`claude` is the one adapter, `ScriptedLLM` the fake that ships with the package; `asking` is what phases are given: it
keeps every answer before it is used, spends within a budget and writes the ledger.

Prompts are files: `prompts/<question>.<language>.md`, a first line `version: N`, then the constant part of the
question; their hash is kept on every record that an answer made. The JSON schema of an answer is kept small because it
is paid for."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from memory_system.errors import LLMError
from memory_system.text import estimate_tokens

if TYPE_CHECKING:
    import ssl

WHERE = "language model"  # the place of its problems in a report
FOLDER = Path(__file__).parent.with_name("prompts")
Phrases = dict[str, Any]  # what the program says to an agent in one language
Answer = TypeVar("Answer", bound=BaseModel)
MOST_CUT = 9  # closing braces, from the end, at which an answer that was cut off is tried
_NEEDLESS = ("title", "description", "default")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question. `constant` is the same for every question of its name, `input` is what this one is about, `most` is
    how many tokens the answer may have, `digest` names the file, its version and its hash: `extract.en@1:9f86d081`."""

    name: str
    constant: str
    input: str = ""
    most: int = 0
    digest: str = ""

    @property
    def method(self) -> str:
        """What a record names as its method when an answer made it."""
        return f"llm:{self.digest}"


@dataclass(frozen=True, slots=True)
class Usage:
    """What asking has cost so far: requests; tokens sent, received, read from the cache, written to it; seconds."""

    calls: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        return self.input + self.output + self.cached + self.written

    def plus(self, other: Usage, times: int = 1) -> Usage:
        pairs = ((getattr(self, each.name), getattr(other, each.name)) for each in fields(Usage))
        return Usage(*(round(mine + times * its, 3) for mine, its in pairs))

    def minus(self, other: Usage) -> Usage:
        return self.plus(other, -1)


class AskError(LLMError):
    """A question got no answer. `kind` says why in one word, `retryable` whether the same question may get one another
    time, `after` how many seconds the server asks to wait before that, `said` what there is of an answer that was cut
    off."""

    def __init__(
        self, kind: str, what: str = "", *, retryable: bool = False, said: str = "", after: float | None = None
    ) -> None:
        super().__init__(what or f"the language model gave no answer: {kind}")
        self.kind = kind
        self.retryable = retryable
        self.said = said
        self.after = after

    def to_row(self) -> dict[str, Any]:
        """The failure as it is written down."""
        row = {"failed": self.kind, "what": str(self), "retryable": self.retryable}
        return row | ({"said": self.said} if self.said else {})


def cut_off(said: str) -> AskError:
    """The failure of an answer that was longer than it may be."""
    return AskError("truncated", "the answer was cut off", said=said)


class LLM(Protocol):
    """Anything that can answer. `model` names it, `spent` counts all that was asked of it."""

    model: str
    spent: Usage

    def ask(self, prompt: Prompt, schema: type[Answer]) -> Answer:
        """The answer, valid in the schema; AskError when there is none."""
        ...


@cache
def template(name: str, lang: str) -> Prompt:
    """The question of that name for talk in that language (en or zh), without what it is about."""
    data = (FOLDER / f"{name}.{lang}.md").read_bytes()
    head, _, body = data.decode().partition("\n")
    version = head.removeprefix("version:").strip()
    digest = hashlib.blake2b(data, digest_size=4).hexdigest()
    return Prompt(name, body.strip(), digest=f"{name}.{lang}@{version}:{digest}")


@cache
def phrases(lang: str) -> Phrases:
    """What the program says to an agent in that language (`prompts/agent.toml`)."""
    found: Phrases = tomllib.loads((FOLDER / "agent.toml").read_text("utf-8"))[lang]
    return found


def soul_in(text: str, lang: str) -> str:
    """What stands in a SOUL.md; the sample that `init` makes, left as it was, in that language."""
    samples = {each: str(phrases(each)["soul"]).strip() for each in ("en", "zh")}
    return samples[lang] if text.strip() in samples.values() else text


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
    """The answer in the text; AskError where it is none in the schema. Models that are asked in words like to put
    something around the JSON object."""
    start, end = text.find("{"), text.rfind("}")
    try:
        return schema.model_validate_json(text[start : end + 1] if 0 <= start < end else text)
    except ValidationError as error:
        what = f"the answer is not what was asked for: {error.error_count()} faults"
        raise AskError("bad_output", what) from None


def whole_of(said: str, schema: type[Answer]) -> Answer | None:
    """Of an answer that is one list and was cut off, what there is before the cut; None where nothing is whole."""
    start, ends = said.find("{"), [found.end() for found in re.finditer("}", said)]
    for end in ends[: -MOST_CUT - 1 : -1]:
        with suppress(ValidationError):
            return schema.model_validate_json(f"{said[start:end]}]}}")
    return None


def in_words(schema: type[BaseModel]) -> str:
    """The form of an answer as part of a prompt."""
    return orjson.dumps(schema_of(schema)).decode()


def key_of(prompt: Prompt, schema: type[BaseModel], model: str) -> str:
    """The name of a question: the same model, prompt, schema and input always have the same."""
    parts = (model, prompt.constant, in_words(schema), prompt.input)
    return hashlib.blake2b("\0".join(parts).encode(errors="replace"), digest_size=16).hexdigest()


def cost_of(prompt: Prompt, schema: type[BaseModel]) -> int:
    """About how many tokens the question takes before it is answered."""
    return sum(map(estimate_tokens, (prompt.constant, in_words(schema), prompt.input)))


@cache
def trusted() -> ssl.SSLContext:
    """By which certificates servers are known: they are many, and read once for all clients."""
    import httpx2

    return httpx2.create_ssl_context()


Script = Callable[[Prompt], Any]  # the answer as text or as what its JSON holds; AskError may be raised


class ScriptedLLM:
    """Answers with what the script gives for a prompt, or with one of a list after the other. `asked` are the prompts
    so far."""

    def __init__(self, script: Script | Iterable[Any], model: str = "scripted") -> None:
        self.model = model
        self.spent = Usage()
        self.asked: list[Prompt] = []
        self._script = script if callable(script) else _in_turn(script)

    def ask(self, prompt: Prompt, schema: type[Answer]) -> Answer:
        self.asked.append(prompt)
        self.spent = self.spent.plus(Usage(calls=1, input=cost_of(prompt, schema)))
        answer = self._script(prompt)
        text = answer if isinstance(answer, str) else orjson.dumps(answer).decode()
        self.spent = self.spent.plus(Usage(output=estimate_tokens(text)))
        if (tokens := estimate_tokens(text)) > prompt.most:
            raise cut_off(text[: len(text) * prompt.most // tokens])
        return read(text, schema)


def _in_turn(answers: Iterable[Any]) -> Script:
    waiting = iter(answers)

    def script(prompt: Prompt) -> Any:
        for answer in waiting:
            return answer
        raise AskError("no_answer", f"the script has no answer left for {prompt.name}")

    return script
