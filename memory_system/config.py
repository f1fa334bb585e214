"""config.json as a value. Every key is optional and has its default here; an unknown key
is an error that names the nearest known one. The seed's keys keep the seed's names.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from memory_system.clock import Schedule, checked_cron
from memory_system.errors import ConfigError, plainly

Share = Annotated[float, Field(ge=0, le=1)]
Rate = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @classmethod
    def default(cls) -> Self:
        """All defaults, not validated, so that no section builds a validator of its own: a command starts sooner."""
        return cls.model_construct()


class DecayRates(Section):
    """Share of its score that a memory of no importance loses in a day."""

    fact: Rate = 0.008
    belief: Rate = 0.07
    summary: Rate = 0.025


class Thresholds(Section):
    archive: Share = 0.05  # effective score below which a memory goes to the archive
    summary_trigger: Positive = 3  # facts of one topic that make a summary
    max_retired_share: Share = 0.25  # of the active facts, in one night, before the owner is asked
    alike: Share = 0.9  # likeness from which a sentence that says a little more is the same memory
    floor: Share = 0.3  # effective score that pinned, identity, health and safety never fall below
    active_limit: Count = 0  # active memories after a night, at most: the weakest are archived; 0 for no limit


class TokenBudget(Section):
    """Tokens of the snapshot, and the shares of its memories: first, second, third topic and all others."""

    layer1_total: Positive = 2000
    layer1_top1: Share = 0.4
    layer1_top2: Share = 0.25
    layer1_top3: Share = 0.15
    layer1_rest: Share = 0.2


class Consolidation(Section):
    schedule: Annotated[str, AfterValidator(checked_cron)] = (
        "0 3 * * *"  # cron, in the workspace's time zone; the first hit of a local day counts
    )
    fallback_hours: Positive = 48  # --if-due also runs when the last success is longer ago
    model: str = "default"  # the language model to ask; default: the one under llm.model


class ImportanceRules(Section):
    """Intrinsic importance by kind of statement."""

    identity_health_safety: Share = 1.0
    preference_relation_status: Share = 0.8
    general_fact: Share = 0.5
    temporary: Share = 0.2


class Screen(Section):
    max_tokens: Positive = 6000  # that a night keeps, at most: only a flood has more, of which the best stay


class Expiry(Section):
    """Days after its event (or after it was said) at which a memory of this category is over."""

    schedule: Count = 1
    reminder: Count = 1
    todo: Count = 30


class Layer3(Section):
    keep: bool = True  # keep a copy of what was said, so that it is found when its transcript is gone


class Source(Section):
    """Transcripts outside `sessions/`. `path` is a file, a folder or a glob; `~` is understood. `format` is sniffed
    when it is empty; `participants` names who speaks in a role; `roles` maps a foreign role to user or assistant;
    `chats` are the kinds of shared chats that are read beside private ones; with `archives` sessions that their host
    has deleted or reset are read from what it has kept of them."""

    path: str
    format: str = ""
    participants: dict[Literal["user", "assistant"], str] = Field(default_factory=dict)
    roles: dict[str, Literal["user", "assistant"]] = Field(default_factory=dict)
    chats: tuple[Literal["group", "channel"], ...] = ()
    archives: bool = False


class Ranking(Section):
    """How questions in English are ranked. What is added is a share of the best match of the question's words; what
    multiplies is a share of the sum."""

    length: Share = 0.4  # how much a longer text must hold to count the same (b of BM25)
    usual: Positive = 120  # characters of a text of usual length
    pieces: Rate = 0.6  # added for pieces of the question's words: other forms, misspellings
    before: Rate = 0.3  # added for the turn before
    answer: Rate = 0.3  # added for the turn before when it asks something
    further: Rate = 0.2  # added for the turn before that
    after: Rate = 0.4  # added for the turn after
    session: Rate = 0.5  # added for the session as a whole
    speaker: Rate = 0.8  # times more for what the one person says whom the question names
    dated: Rate = 0.4  # times more for a text with a time in it when the question asks for one
    within: Rate = 0.3  # times more for what was said or happens in the time that the question names
    question: Share = 0.08  # times less for a text that asks
    telling: Share = 0.18  # times less for a message in which nobody speaks of themselves; half of it for a reaction
    assistant: Share = 0.45  # times less for an assistant's words; for the user's where the assistant's are asked for
    standing: Rate = 0.25  # times more, at most, for a memory that is important and fresh
    age: Share = 0.1  # times less, at most, for a dated note that is old: half of it after 30 days
    diversity: Share = 0.3  # 1 − λ of MMR: how much saying nearly the same as a better result counts against it


class RankingChinese(Ranking):
    """How questions in Chinese are ranked: as in English, with other weights."""

    length: Share = 0.65
    usual: Positive = 25
    pieces: Rate = 0.65
    before: Rate = 0.25
    telling: Share = 0.0
    answer: Rate = 0.1
    after: Rate = 0.3
    dated: Rate = 0.1
    within: Rate = 1.0


class Search(Section):
    limit: Positive = 10
    english: Ranking = Ranking.default()
    chinese: RankingChinese = RankingChinese.default()


class EmbedderConfig(Section):
    """Where vectors come from; none without it. `http` is any endpoint that speaks OpenAI's /v1/embeddings."""

    kind: Literal["none", "http", "model2vec", "fastembed"] = "none"
    model: str = ""  # the endpoint's name for it; for the others a name or a folder
    base_url: str = "http://localhost:11434/v1"
    key_variable: str = "OPENAI_API_KEY"  # the environment variable that holds the key; no key is kept in files
    batch_size: Positive = 64  # texts sent at once, at most
    tries: Positive = 3  # of each request, by night
    timeout: Positive = 60  # seconds for one request, by night
    query_timeout: Positive = 5  # seconds that a search waits; then it answers by words alone
    weight: Rate = 2.0  # added to a result for meaning the same as the question, where the vectors prove of use


class Context(Section):
    """What `context` gives for a message."""

    budget: Positive = 600  # tokens, at most
    relevant: Share = 0.2  # how well the message must be answered for anything to be given
    sure: Share = 0.45  # the same, from which a result is given plainly
    unsure: Share = 0.45  # of the best result's score, from which a result is given as unsure
    pointer: Share = 0.35  # the same, from which is only said where it stands


class PromptCaps(Section):
    """Caps of the system prompt."""

    file_characters: Positive = 20_000  # of each file of the owner's, at most
    memory_words: Positive = 2_000  # less than so many words of MEMORY.md are shown; a CJK character is a word
    note_characters: Positive = 4_000  # of each daily note, at most: its end
    days: Count = 2  # of which notes are shown, today's included
    total_characters: Positive = 60_000  # of the whole prompt, at most


class ChatConfig(Section):
    """How `memory chat` talks to its model, and when it makes room in the model's context. Counts are of tokens."""

    model: str = "claude-haiku-5-5"  # as Anthropic names it
    max_tokens: Positive = 8_096  # of one answer, at most
    context_window: Positive = 200_000  # that the model can see
    reserve_tokens: Count = 20_000  # kept free; when more than the rest is taken, the session is compacted
    soft_threshold_tokens: Count = 4_000  # before that, at which what should last is written to today's note
    keep_recent_tokens: Count = 20_000  # of the latest messages stay word for word when the session is compacted
    cache_ttl_minutes: Count = 5  # after so long without a question old tool results are pruned
    flush: bool = True  # write down what should last before a session is compacted
    flush_system_prompt: str = ""  # of the turn that does so, instead of the program's own
    flush_prompt: str = ""  # the question of that turn, instead of the program's own


class Timeouts(Section):
    """Seconds for the language model: one request, and all asking of one run together."""

    request: Annotated[float, Field(gt=0)] = 60.0
    run: Annotated[float, Field(gt=0)] = 300.0


class Price(Section):
    """US dollars a million tokens of one model cost: sent, received, read from the cache, written to it."""

    model: str
    input: Rate
    output: Rate
    cached: Rate = 0.0
    written: Rate = 0.0


class LLMConfig(Section):
    mode: Literal["off", "on", "batch"] = "off"  # off asks nobody, on asks in the night, batch for the night after
    model: str = "claude-haiku-5-5"  # asked unless consolidation.model names another
    base_url: str = ""  # where questions are sent; empty for ANTHROPIC_BASE_URL, else Anthropic itself
    timeouts: Timeouts = Timeouts.default()
    # as far as known; compare them with your contract
    prices: tuple[Price, ...] = (Price(model="claude-haiku-5-5", input=1.0, output=5.0, cached=0.1, written=1.25),)

    @field_validator("base_url")
    @classmethod
    def _whole(cls, address: str) -> str:
        if address and not address.startswith(("http://", "https://")):
            raise ValueError("an address begins with http:// or https://")
        return address

    @field_validator("mode", mode="before")
    @classmethod
    def _as_earlier(cls, mode: Any) -> Any:
        """What earlier versions called auto."""
        return "on" if mode == "auto" else mode


class Budget(Section):
    tokens_per_night: Count = 1_800  # that asking may take, sent and received together; the rest goes by rules
    usd_per_month: Rate = 1.0  # US dollars that asking may cost in a calendar month (UTC)


class Policy(Section):
    """What is kept and not shown unless it is asked for; what is never kept needs no setting."""

    masked: tuple[Literal["phone", "email", "address"], ...] = ()


RETIRED = {"screen": "keep_share", "llm": "questions"}


def retired_in(row: Any) -> tuple[str, ...]:
    """The keys of earlier versions that stand in the object of a config.json."""
    sections = row if isinstance(row, dict) else {}
    found = ((name, key, sections.get(name)) for name, key in RETIRED.items())
    return tuple(f"{name}.{key}" for name, key, given in found if isinstance(given, dict) and key in given)


class Config(Section):
    version: str = "1.0"
    timezone: str = "UTC"
    language: Literal["auto", "en", "zh"] = "auto"
    workspace: str | None = None  # read only from a config.json in the current folder
    sources: tuple[Source, ...] = ()
    history_days: Count = 0  # days for which a past month of the journal stays plain text; then it is packed
    facts_page: bool = False  # write every memory into layer1/facts.md, too, for a host that searches Markdown itself
    decay_rates: DecayRates = DecayRates.default()
    thresholds: Thresholds = Thresholds.default()
    token_budget: TokenBudget = TokenBudget.default()
    consolidation: Consolidation = Consolidation.default()
    importance_rules: ImportanceRules = ImportanceRules.default()
    screen: Screen = Screen.default()
    layer3: Layer3 = Layer3.default()
    expiry: Expiry = Expiry.default()
    search: Search = Search.default()
    context: Context = Context.default()
    prompt: PromptCaps = PromptCaps.default()
    chat: ChatConfig = ChatConfig.default()
    embedder: EmbedderConfig = EmbedderConfig.default()
    llm: LLMConfig = LLMConfig.default()
    budget: Budget = Budget.default()
    policy: Policy = Policy.default()

    @model_validator(mode="before")
    @classmethod
    def _without_retired(cls, row: Any) -> Any:
        """Keys that only earlier versions knew do no harm: `status` names them, and they do nothing."""
        for name in retired_in(row):
            section, _, gone = name.partition(".")
            row = {**row, section: {key: value for key, value in row[section].items() if key != gone}}
        return row

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            raise ValueError(f"no time zone is called {name!r}; write it like Asia/Shanghai or Europe/Lisbon") from None
        return name

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)

    @property
    def model(self) -> str:
        """The language model that is asked, where one is."""
        return self.llm.model if self.consolidation.model == "default" else self.consolidation.model

    @cached_property
    def schedule(self) -> Schedule:
        return Schedule(self.consolidation.schedule, self.zone)


def parse_config(row: dict[str, Any], where: str) -> Config:
    """The Config a JSON object means; ConfigError names the key, and the nearest known one for a typo."""
    try:
        return Config.model_validate(row)
    except ValidationError as error:
        raise ConfigError(f"{where}: " + "; ".join(_explain(each) for each in error.errors())) from None


def _explain(error: Any) -> str:
    path = [str(part) for part in error["loc"]]
    name, given = ".".join(path), error["input"]
    match error["type"]:
        case "tuple_type":
            return f"{name}: it must be a list" + (f', like ["{given}"]' if isinstance(given, str) else "")
        case "model_type":
            return f"{name}: it must be an object, like {_json(dict(islice(_known(path).items(), 1)))}"
        case "missing":
            return f"{name}: it is missing"
        case "extra_forbidden":
            return f"there is no key {name}" + _meant(path, given)
    return f"{name}: {plainly(error['msg'])}"


def _meant(path: list[str], given: Any) -> str:
    """What a key that does not exist was probably meant to be."""
    import difflib

    known = _known(path[:-1])
    section, *inner = path[-1].split(".")
    if inner and isinstance(known.get(section), dict):  # as the docs name it, and not as it is written
        for part in reversed(inner):
            given = {part: given}
        return f"; write it inside {section}: {_json({section: given})}"
    near = difflib.get_close_matches(path[-1], known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _json(row: dict[str, Any]) -> str:
    import json

    return json.dumps(row, ensure_ascii=False)


def _known(path: list[str]) -> dict[str, Any]:
    """The keys that may stand there, with their defaults."""
    row: Any = Config().model_dump() | {"sources": Source(path="../talks").model_dump()}
    row["llm"]["prices"] = LLMConfig().prices[0].model_dump()
    for part in path:
        row = row if part.isdigit() else row[part]  # a number is a place in a list, and all its places are alike
    known: dict[str, Any] = row
    return known
