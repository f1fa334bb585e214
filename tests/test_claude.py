"""The adapter against a real server through the real SDK: every way in which a request can fail ends in a typed error,
with what it cost, within the deadline."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from claude_server import DROP, Reply, Server, error, serving
from pydantic import BaseModel

from memory_system.config import LLMConfig, Timeouts
from memory_system.llm import AskError, Prompt, Usage, cost_of, schema_of
from memory_system.llm.claude import Claude

PROMPT = Prompt("test", "Say which of the numbered sentences name a colour.", "1. The kettle is red.", 60)
PAUSES = (0.01, 0.02)


class Chosen(BaseModel):
    numbers: list[int]


Serve = Callable[[Any], Server]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """A server with a script, or with replies one after the other (the last one again and again)."""
    open_ones: list[Any] = []

    def start(script: Any) -> Server:
        replies = list(script) if isinstance(script, list | tuple) else None
        context = serving((lambda _: replies.pop(0) if len(replies) > 1 else replies[0]) if replies else script)
        open_ones.append(context)
        return context.__enter__()

    yield start
    for context in open_ones:
        context.__exit__(None, None, None)


OPENED: list[Claude] = []


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPENED:
        OPENED.pop().close()


def claude(server: Server, **timeouts: float) -> Claude:
    OPENED.append(_claude(server, **timeouts))
    return OPENED[-1]


def _claude(server: Server, **timeouts: float) -> Claude:
    return Claude("some-model", LLMConfig(timeouts=Timeouts(**timeouts)), "sk-test", server.url, PAUSES)


def test_an_answer_and_what_it_cost(serve: Serve) -> None:
    server = serve(lambda _: {"numbers": [1]})
    model = claude(server)
    assert model.ask(PROMPT, Chosen).numbers == [1]
    assert (model.spent.calls, model.spent.input, model.spent.output) == (1, server.input, server.output)
    assert model.spent.input == cost_of(PROMPT, Chosen)


def test_the_constant_part_is_marked_for_the_cache_and_the_form_is_a_schema(serve: Serve) -> None:
    server = serve(lambda _: {"numbers": []})
    claude(server).ask(PROMPT, Chosen)
    (request,) = server.requests
    assert request["system"] == [{"type": "text", "text": PROMPT.constant, "cache_control": {"type": "ephemeral"}}]
    assert request["messages"] == [{"role": "user", "content": PROMPT.input}]
    assert request["output_config"]["format"] == {"type": "json_schema", "schema": schema_of(Chosen)}
    assert schema_of(Chosen)["additionalProperties"] is False
    assert (request["model"], request["max_tokens"]) == ("some-model", 60)
    assert server.headers[0]["authorization"] == "Bearer sk-test"
    assert "traceparent" not in server.headers[0]


OK = {"numbers": [1]}
TWO = [error(429, "rate_limit_error", retry_after="0"), OK]
HEALS = {
    "429 with retry-after": TWO,
    "429 without": [error(429, "rate_limit_error"), OK],
    "529": [error(529, "overloaded_error"), error(529, "overloaded_error"), OK],
    "500": [error(500), OK],
    "a dropped connection": [Reply(DROP), OK],
    "a page with 200": [Reply(200, b"<html>Sign in</html>", kind="text/html"), OK],
    "half a reply with 200": [Reply(200, b'{"id": "msg_1", "type"'), OK],
    "another shape with 200": [Reply(200, b'{"foo": 1}'), OK],
}


@pytest.mark.parametrize("name", HEALS)
def test_what_heals_is_tried_again(name: str, serve: Serve) -> None:
    server = serve(HEALS[name])
    model = claude(server)
    assert model.ask(PROMPT, Chosen).numbers == [1]
    assert model.spent.calls == len(HEALS[name])
    assert model.spent.tokens == server.tokens


FAILS: dict[str, tuple[Any, str, int]] = {
    "429 for ever": (error(429, "rate_limit_error"), "rate_limited", 3),
    "429 for hours": (error(429, "rate_limit_error", retry_after="7200"), "rate_limited", 1),
    "429 until a date": (
        error(429, "rate_limit_error", retry_after="Wed, 21 Oct 2026 07:28:00 GMT"), "rate_limited", 1
    ),
    "529 for ever": (error(529, "overloaded_error"), "overloaded", 3),
    "500 for ever": (error(500), "server", 3),
    "504 for ever": (error(504, "timeout_error"), "server", 3),
    "drops for ever": (Reply(DROP), "connection", 3),
    "too slow": (Reply(delay=0.5), "timeout", 3),
    "a page with 200": (Reply(200, b"<html>Sign in</html>", kind="text/html"), "bad_envelope", 3),
    "half a reply with 200": (Reply(200, b'{"id": "msg_1", "type"'), "bad_envelope", 3),
    "a reply that breaks off": (Reply(200, b'{"id": "msg_1",', {"content-length": "900"}), "connection", 3),
    "another shape with 200": (Reply(200, b'{"foo": 1}'), "bad_envelope", 3),
    "a list with 200": (Reply(200, b"[1, 2]"), "bad_envelope", 3),
    "401": (error(401, "authentication_error"), "unauthorised", 1),
    "402": (error(402, "billing_error"), "payment", 1),
    "403": (error(403, "permission_error"), "forbidden", 1),
    "404": (error(404, "not_found_error"), "not_found", 1),
    "413": (error(413, "request_too_large"), "too_large", 1),
    "prose": ("Of course! The first sentence names a colour.", "bad_output", 1),
    "another answer": ({"colours": ["red"]}, "bad_output", 1),
    "words for numbers": ({"numbers": ["one"]}, "bad_output", 1),
    "an answer that is cut off": ({"numbers": list(range(500))}, "truncated", 1),
    "an empty answer": ("", "bad_output", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILS)
def test_what_fails_is_a_typed_error_and_counted(name: str, serve: Serve) -> None:
    reply, kind, calls = FAILS[name]
    server = serve([reply])
    model = claude(server, request=0.1 if kind == "timeout" else 5)
    with pytest.raises(AskError) as failed:
        model.ask(PROMPT, Chosen)
    assert failed.value.kind == kind
    assert failed.value.retryable == (calls == 3 or kind == "rate_limited")
    assert (model.spent.calls, model.spent.tokens) == (calls, server.tokens)
    assert "kettle" not in str(failed.value)
    assert failed.value.exit_code == 6


def test_a_server_that_refuses_the_form_is_asked_in_words(serve: Serve) -> None:
    """Local servers know nothing of it: they are told the form, and what they put around the answer is taken off."""

    def plain(request: dict[str, Any]) -> Any:
        if "output_config" in request:
            return error(400, "invalid_request_error")
        return 'Sure!\n```json\n{"numbers": [1]}\n```'

    server = serve(plain)
    model = claude(server)
    assert model.ask(PROMPT, Chosen).numbers == model.ask(PROMPT, Chosen).numbers == [1]
    assert ["output_config" in each for each in server.requests] == [True, False, False]
    assert '"numbers"' in server.requests[1]["system"][0]["text"]


def test_what_is_refused_in_words_too_is_refused(serve: Serve) -> None:
    server = serve([error(400, "invalid_request_error")])
    model = claude(server)
    with pytest.raises(AskError) as failed:
        model.ask(PROMPT, Chosen)
    assert (failed.value.kind, failed.value.retryable, model.spent.calls) == ("bad_request", False, 2)


def test_a_server_that_is_not_there_is_named() -> None:
    model = Claude("some-model", LLMConfig(), "none", "http://127.0.0.1:9", PAUSES)
    with pytest.raises(AskError, match=r"no connection to http://127\.0\.0\.1:9"):
        model.ask(PROMPT, Chosen)
    model.close()


def test_a_refusal_costs_and_is_final(serve: Serve) -> None:
    def refuse(request: dict[str, Any]) -> Reply:
        import json

        return Reply(body=json.dumps(server.message(request, "", "refusal")).encode())

    server = serve(refuse)
    model = claude(server)
    with pytest.raises(AskError) as failed:
        model.ask(PROMPT, Chosen)
    assert (failed.value.kind, failed.value.retryable) == ("refused", False)
    assert model.spent.input == server.input > 0


def test_a_wait_that_a_server_asks_for_is_kept_within_reason(serve: Serve) -> None:
    server = serve([error(429, "rate_limit_error", retry_after="0.2"), OK])
    started = time.monotonic()
    assert claude(server).ask(PROMPT, Chosen).numbers == [1]
    assert 0.2 <= time.monotonic() - started < 60  # a busy machine is slow, but not by the hours that may be asked for


def test_a_wait_longer_than_a_request_may_take_is_kept_and_one_beyond_the_run_is_not(serve: Serve) -> None:
    """What a server asks for has nothing to do with the timeout of a request, and everything with the run's."""
    server = serve([error(429, "rate_limit_error", retry_after="0.6"), OK])
    assert claude(server, request=0.5, run=60).ask(PROMPT, Chosen).numbers == [1]
    server = serve([error(429, "rate_limit_error", retry_after="20")])
    started = time.monotonic()
    with pytest.raises(AskError) as failed:
        claude(server, run=5).ask(PROMPT, Chosen)
    assert failed.value.kind == "rate_limited"
    assert time.monotonic() - started < 20
    assert len(server.requests) == 1


def test_a_server_that_wants_to_be_left_alone_is_left_alone(serve: Serve) -> None:
    server = serve([error(429, "rate_limit_error", retry_after="7200"), OK])
    model = claude(server)
    for _ in range(3):
        with pytest.raises(AskError, match="7200 s until the next try"):
            model.ask(PROMPT, Chosen)
    assert len(server.requests) == model.spent.calls == 1


def test_the_deadline_of_the_run_ends_all_asking(serve: Serve) -> None:
    server = serve([Reply(delay=0.4)])
    model = claude(server, request=0.3, run=0.5)
    started = time.monotonic()
    kinds = []
    for _ in range(3):
        with pytest.raises(AskError) as failed:
            model.ask(PROMPT, Chosen)
        kinds.append(failed.value.kind)
    assert time.monotonic() - started < 60
    assert kinds[-1] == "deadline"


def test_usage_adds_up_and_takes_apart() -> None:
    one, other = Usage(1, 10, 5, 2, 3, 0.5), Usage(2, 1, 1, 1, 1, 0.25)
    assert one.plus(other).minus(other) == one
    assert one.tokens == 20
