"""The adapter to Anthropic's models, and whether and whom to ask: by the configuration, the option of the command, and
the key there is. A key in the environment alone never sends anything anywhere; with `off` it is not even looked for.

The SDK is imported when the first question is asked, because that takes seconds; retries, the deadline and the reading
of answers are our own, because the SDK's lose what was paid, and may sleep for days when a server tells them to."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import BaseModel

from memory_system.config import Config, LLMConfig
from memory_system.llm import WHERE, Answer, AskError, Prompt, Usage, cut_off, in_words, read, schema_of, trusted
from memory_system.records import Problem

if TYPE_CHECKING:
    import anthropic

KEY = "ANTHROPIC_API_KEY"
ADDRESS = "ANTHROPIC_BASE_URL"
VENDOR = "https://api.anthropic.com"
NAMELESS = "none"  # the key for a server on this machine, which asks for none
NO_KEY = Problem(WHERE, f"there is no {KEY}: this run goes by rules alone", "set it, or llm.mode to off in config.json")
QUESTION = Prompt("check", "You are asked whether you can be reached. Answer with ok: true.", "Can you read this?", 40)

REFUSED_REQUEST = "bad_request"  # what a server says to a field that it does not know
IN_WORDS = "Answer with one JSON object and nothing else. Its JSON schema: "
LONGEST_WAIT = 30.0  # seconds; a server that asks for more is not waited for
_PAUSES = (0.5, 2.0)  # seconds before the second and third try where the server names none
_STATUS = {401: "unauthorised", 402: "payment", 403: "forbidden", 404: "not_found", 413: "too_large"}
_AGAIN = {408: "timeout", 409: "conflict", 429: "rate_limited", 529: "overloaded"}


def client_of(key: str, address: str, timeout: float) -> anthropic.Anthropic:
    """The SDK's client, without its own retries and without telemetry: talk must not leak into traces."""
    import anthropic

    http = anthropic.DefaultHttpxClient(base_url=address, timeout=timeout, verify=trusted())
    return anthropic.Anthropic(
        api_key=key, base_url=address, timeout=timeout, max_retries=0, open_telemetry=False, http_client=http
    )


class Claude:
    """A model of Anthropic's, asked with a key that the caller has found. `pauses` are the seconds between tries."""

    def __init__(
        self, model: str, config: LLMConfig, key: str, address: str, pauses: Sequence[float] = _PAUSES
    ) -> None:
        self.model = model
        self.address = address
        self.has_forms = True  # whether the server takes the answer's form as a schema, as far as is known
        self.spent = Usage()
        self._config = config
        self._key = key
        self._pauses = pauses
        self._until: float | None = None  # the deadline of the run, from its first question on
        self._told: AskError | None = None  # that the server is to be left alone for longer than a run waits

    @cached_property
    def client(self) -> anthropic.Anthropic:
        return client_of(self._key, self.address, self._config.timeouts.request)

    def close(self) -> None:
        """Let go of the connections."""
        if "client" in vars(self):
            self.client.close()

    def ask(self, prompt: Prompt, schema: type[Answer]) -> Answer:
        return read(text_of(self._reply(prompt, schema)), schema)

    def _reply(self, prompt: Prompt, schema: type[Answer]) -> Any:
        """The message of the model; asked for in words where the server refuses the form."""
        try:
            return self.patiently(lambda timeout: self._send(prompt, schema, timeout))
        except AskError as error:
            if not self.has_forms or error.kind != REFUSED_REQUEST:
                raise
        self.has_forms = False
        return self.patiently(lambda timeout: self._send(prompt, schema, timeout))

    def patiently(self, send: Callable[[float], Any]) -> Any:
        """What a request gives, tried again where that may help, within the deadline of the run. `send` is told how
        many seconds it has."""
        self._until = self._until or time.monotonic() + self._config.timeouts.run
        if self._told is not None:
            raise AskError(self._told.kind, str(self._told), retryable=True)
        for pause in (*self._pauses, None):
            left = self._until - time.monotonic()
            if left <= 0:
                raise AskError("deadline", "the time for asking (llm.timeouts.run) is over", retryable=True)
            try:
                return self._timed(send, min(self._config.timeouts.request, left))
            except AskError as failed:
                error, wait = failed, failed.after if failed.after is not None else pause
                if not error.retryable or wait is None or (pause is None and wait <= LONGEST_WAIT):
                    raise
            if wait > min(LONGEST_WAIT, self._until - time.monotonic()):
                late = AskError(error.kind, f"{error}; it would be {wait:.0f} s until the next try", retryable=True)
                self._told = late if wait > LONGEST_WAIT else None
                raise late
            time.sleep(wait)
        raise AssertionError("the last try ends the loop")

    def _timed(self, send: Callable[[float], Any], timeout: float) -> Any:
        """One request: counted whatever comes of it, and every failure as an AskError."""
        started = time.monotonic()
        try:
            return send(timeout)
        except AskError:
            raise
        except Exception as error:  # the SDK lets through whatever reading a strange answer raises
            raise _failure(error, self.address) from None
        finally:
            self.spent = self.spent.plus(Usage(calls=1, seconds=time.monotonic() - started))

    def _send(self, prompt: Prompt, schema: type[Answer], timeout: float) -> Any:
        body = request_of(self.model, prompt, schema, form=self.has_forms)
        message = self.client.messages.create(**body, timeout=timeout)
        self.spent = self.spent.plus(usage_of(message))  # before anything else is looked at: it was billed
        return checked(message)


def request_of(model: str, prompt: Prompt, schema: type[BaseModel], *, form: bool = True) -> dict[str, Any]:
    """The body of a request: the constant part marked for the cache, the answer's `form` as a JSON schema, or told in
    words."""
    constant = prompt.constant if form else f"{prompt.constant}\n\n{IN_WORDS}{in_words(schema)}"
    body = {
        "model": model,
        "max_tokens": prompt.most,
        "system": [{"type": "text", "text": constant, "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": prompt.input}],
    }
    if form:
        body["output_config"] = {"format": {"type": "json_schema", "schema": schema_of(schema)}}
    return body


def usage_of(message: Any) -> Usage:
    """The tokens that a reply says it took; none where it says nothing."""
    usage = getattr(message, "usage", None)

    def count(name: str) -> int:
        value = getattr(usage, name, 0)
        return value if isinstance(value, int) and value > 0 else 0

    return Usage(
        input=count("input_tokens"),
        output=count("output_tokens"),
        cached=count("cache_read_input_tokens"),
        written=count("cache_creation_input_tokens"),
    )


def checked(message: Any) -> Any:
    """The reply, if it is one that was ended by the model; AskError where it was cut off or refused."""
    if not isinstance(getattr(message, "content", None), list):
        raise AskError("bad_envelope", "the server's reply is no message of a model", retryable=True)
    if message.stop_reason in ("max_tokens", "model_context_window_exceeded"):
        raise cut_off(text_of(message))
    if message.stop_reason == "refusal":
        raise AskError("refused", "the model would not answer")
    return message


def text_of(message: Any) -> str:
    """What the model said."""
    return "".join(block.text for block in message.content if getattr(block, "type", "") == "text")


def _failure(error: Exception, address: str) -> AskError:
    """What the SDK raised, in our words, with the address; never with the request in it."""
    import anthropic

    if isinstance(error, anthropic.APITimeoutError):
        return AskError("timeout", f"{address} did not answer in time", retryable=True)
    if isinstance(error, anthropic.APIConnectionError):
        return AskError("connection", f"no connection to {address}", retryable=True)
    if isinstance(error, anthropic.APIStatusError):
        return _of_status(error, address)
    if isinstance(error, TypeError) and "authentication" in str(error):
        return AskError("unauthorised", "there is no key for the model")
    what = f"the reply of {address} could not be read ({type(error).__name__})"
    return AskError("bad_envelope", what, retryable=True)


def _of_status(error: anthropic.APIStatusError, address: str) -> AskError:
    status = error.status_code
    kind = _STATUS.get(status) or _AGAIN.get(status) or ("server" if status >= 500 else "bad_request")
    retryable = status in _AGAIN or status >= 500
    what = f"{address} answered {status} ({kind.replace('_', ' ')})"
    return AskError(kind, what, retryable=retryable, after=_seconds(error.response.headers.get("retry-after")))


def _seconds(header: str | None) -> float | None:
    """The wait that a server asks for, in seconds; None where it names none that can be read. A date counts as too
    long: it is written for hours, not for seconds."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        return LONGEST_WAIT + 1


# ---- whether and whom to ask ---------------------------------------------------------------------------------------


@contextmanager
def opened(config: Config, mode: str) -> Iterator[Claude | None]:
    """The model to ask in that mode; None where nobody is to be asked, or there is no key."""
    key = key_for(config) if mode != "off" else ""
    if not key:
        yield None
        return
    with closing(Claude(config.model, config.llm, key, address_of(config))) as model:
        yield model


def key_for(config: Config) -> str:
    """The key that the address is to be given; empty where one is needed and there is none."""
    key = os.environ.get(KEY, "").strip()
    return key or (NAMELESS if is_here(address_of(config)) else "")


def address_of(config: Config) -> str:
    """Where questions are sent: the configured address, else the environment's, else the vendor's."""
    return config.llm.base_url or os.environ.get(ADDRESS, "").strip() or VENDOR


def is_here(address: str) -> bool:
    """Whether the address is on this machine."""
    host = urlsplit(address).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


class Reached(BaseModel):
    ok: bool


def check(config: Config) -> tuple[dict[str, Any], Usage]:
    """Ask, and say what works and what it took: `problem` is why there was no answer, `structured` whether the server
    knows the answer's form."""
    found: dict[str, Any] = {
        "address": address_of(config),
        "model": config.model,
        "mode": config.llm.mode,
        "answers": False,
        "structured": False,
        "batch": False,
        "priced": any(each.model == config.model for each in config.llm.prices),
        "problem": "",
    }
    with opened(config, "on") as model:
        if model is None:
            return {**found, "problem": f"there is no {KEY}"}, Usage()
        try:
            model.ask(QUESTION, Reached)
            found |= {"answers": True, "structured": model.has_forms}
            listing = model.patiently(lambda timeout: model.client.messages.batches.list(limit=1, timeout=timeout))
            found["batch"] = bool(listing)
        except AskError as error:
            found["problem"] = "" if found["answers"] else str(error)
        return found, model.spent
