"""The tables of the documentation: commands, exit codes, config keys, what the rules say, the rooms of the program."""

from __future__ import annotations

import ast
import inspect
import json
import math
import re
import tokenize
from collections.abc import Iterable, Iterator
from importlib import import_module
from io import StringIO
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from docs_words import Say


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def code(text: object) -> str:
    return f"`{text}`"


def first_sentence(docstring: str | None) -> str:
    """Up to the first full stop, on one line."""
    return re.split(r"(?<=[.])\s", " ".join((docstring or "").split()))[0]


# ---- the command line ----------------------------------------------------------------------------------------------


def commands(say: Say) -> str:
    from typer.main import get_command

    from memory_system.cli import app

    group: Any = get_command(app)
    named = ((name, group.get_command(None, name)) for name in group.list_commands(None))
    parts = [section(name, f"{name} {usage(command)}", command, say) for name, command in named]
    return "\n\n".join([section(say("Options of every command"), "[OPTIONS] COMMAND …", group, say), *parts])


def section(title: str, call: str, command: Any, say: Say) -> str:
    """One command: how it is called, what it does, its arguments and options."""
    rows = [described(each, command, say) for each in command.params]
    told = table(("", say("meaning"), say("default")), rows) if rows else say("It has no options of its own.")
    return "\n\n".join([f"## {title}", f"```\nmemory {call.strip()}\n```", say(command.help), told])


def usage(command: Any) -> str:
    given = [each for each in command.params if not is_option(each)]
    words = [named(each) if each.required else f"[{named(each)}]" for each in given]
    return " ".join([*words, *(["[OPTIONS]"] if any(map(is_option, command.params)) else [])])


def named(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())


def is_option(parameter: Any) -> bool:
    return str(parameter.opts[0]).startswith("-")


def described(parameter: Any, command: Any, say: Say) -> list[str]:
    """A row of the table: name with what it takes, meaning, default."""
    hint = get_type_hints(command.callback, include_extras=True)[parameter.name]
    takes = "" if getattr(parameter, "is_flag", False) else value_of(hint)
    name = parameter.opts[0] if is_option(parameter) else named(parameter)
    shown = code(f"{name} {takes}".strip() if is_option(parameter) else name)
    meaning = say(parameter.help)
    if parameter.envvar:
        meaning = say("{} Environment: `{}`.").format(meaning, parameter.envvar)
    default = parameter.default if takes and parameter.default not in (None, "") else ""
    return [shown, meaning, say("required") if parameter.required else code(default) if default != "" else ""]


def value_of(hint: Any) -> str:
    """What an option takes: PATH, TEXT, a number and its bounds, or one of several words."""
    kind, info = (hint.__origin__, hint.__metadata__[0]) if get_origin(hint) is Annotated else (hint, None)
    if type(None) in get_args(kind):
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return "|".join(get_args(kind))
    low, high = getattr(info, "min", None), getattr(info, "max", None)
    bounds = f"{low}-{high}" if high is not None else ""
    return bounds or {"Path": "PATH", "int": "N", "float": "NUMBER"}.get(kind.__name__, "TEXT")


def exit_codes(say: Say) -> str:
    from memory_system import cli, errors

    rows = {
        (0, "Done; also when nothing was found or due. Bad lines in a transcript are listed in the report.", ""),
        (cli.WRONG, "`status` or `validate` found something wrong.", ""),
        (cli.UNEXPECTED, "Something nobody foresaw; `--debug` shows where.", ""),
        (cli.INTERRUPTED, "Interrupted with Ctrl-C; the next run goes on where this one stopped.", ""),
    }
    ours = subclasses(errors.MemorySystemError)
    rows |= {(each.exit_code, str(each.__doc__).strip(), code(each.__name__)) for each in ours}
    told = ((number, say(what), kind) for number, what, kind in sorted(rows))
    return table(map(say, ("code", "what happened", "`kind` in JSON")), told)


def subclasses(parent: type[Any]) -> Iterator[type[Any]]:
    for each in parent.__subclasses__():
        if each.__module__ == parent.__module__:
            yield each
            yield from subclasses(each)


# ---- the configuration ---------------------------------------------------------------------------------------------

MEANINGS = {  # where config.py has no comment, or too short a one
    "version": "Of the form of this file.",
    "timezone": "IANA name. Nights, dates in ids and words like “tomorrow” go by it; `init` writes the machine's.",
    "language": "In which the program speaks to you: the snapshot's headings, `status`, what an agent is told. `auto` "
    "takes the language of most memories; `init --language zh` sets it.",
    "sources": "Transcripts outside `sessions/`: see below.",
    "token_budget.layer1_total": "Tokens of the whole snapshot, at most.",
    "token_budget.layer1_top1": "Share of the core memories' room that the first topic may take.",
    "token_budget.layer1_top2": "The same for the second topic.",
    "token_budget.layer1_top3": "The same for the third topic.",
    "token_budget.layer1_rest": "The same for all other topics together.",
    "llm.prices": "US dollars a million tokens, by model; an example. Put in what your contract says.",
    "llm.timeouts.request": "Seconds that one request may take.",
    "llm.timeouts.run": "Seconds that all asking of one run may take, waiting included.",
    "search.limit": "Results of `search` without `--limit`.",
}


def config_file() -> str:
    from memory_system.config import Config

    return json.dumps(Config().model_dump(mode="json"), ensure_ascii=False, indent=2) + "\n"


def config_keys(say: Say) -> str:
    from memory_system.config import Config

    return table(map(say, ("key", "default", "may be", "meaning")), keys_of(Config, "", say))


def keys_of(model: Any, prefix: str, say: Say) -> Iterator[list[str]]:
    """A row for every key below a section: its comment in the source, else the docstring of its section."""
    comments = comments_of(model)
    for name, field in model.model_fields.items():
        path = f"{prefix}{name}"
        if hasattr(field.annotation, "model_fields"):
            yield from keys_of(field.annotation, f"{path}.", say)
            continue
        meaning = MEANINGS.get(path) or comments.get(name) or model.__dict__["__doc__"]
        default = json.dumps(field.default, default=plain)
        yield [code(path), code(default), range_of(field, say), say(sentence(meaning))]


def plain(value: Any) -> Any:
    """A section as an object, a tuple as a list."""
    return value.model_dump() if hasattr(value, "model_dump") else list(value)


def sentence(text: str) -> str:
    words = " ".join(text.split())
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")


def comments_of(model: Any) -> dict[str, str]:
    """The comment at the end of the lines on which each key is defined, in the section or in the one it varies."""
    parents = [each for each in model.__bases__ if each.__module__ == model.__module__]
    return {name: text for each in parents for name, text in comments_of(each).items()} | own_comments_of(model)


def own_comments_of(model: Any) -> dict[str, str]:
    source = inspect.getsource(model)
    tokens = tokenize.generate_tokens(StringIO(source).readline)
    marks = {each.start[0]: each.string for each in tokens if each.type == tokenize.COMMENT}
    keys = [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.AnnAssign)]
    return {ast.unparse(key.target): marks[at].lstrip("# ") for key in keys for at in lines_of(key) if at in marks}


def lines_of(node: ast.AnnAssign) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def range_of(field: Any, say: Say) -> str:
    """What values a key may have."""
    kind = field.annotation
    if get_origin(kind) is Literal:
        return ", ".join(map(code, get_args(kind)))
    low = next((each.ge for each in field.metadata if hasattr(each, "ge")), None)
    high = next((each.le for each in field.metadata if hasattr(each, "le")), None)
    names = {bool: "true or false", int: "whole number", float: "number", str: "text", str | None: "text or null"}
    named = say(names.get(kind, "list"))
    if high is not None:
        return say("{} {} to {}").format(named, low, high)
    return say("{} from {}").format(named, low) if low is not None else named


# ---- rules ---------------------------------------------------------------------------------------------------------


def phases() -> str:
    from memory_system.nights.order import PHASES

    told = ((each.number, code(each.name), about_phase(each.name)) for each in PHASES)
    return table(("", "name", "what it does"), told)


def about_phase(name: str) -> str:
    told = first_sentence(docstring_of(f"phases.{name}"))
    return re.sub(r"^Phase \w+: (.)", lambda found: found[1].upper(), told)


def docstring_of(module: str) -> str | None:
    return import_module(f"memory_system.{module}").__doc__


def source_filter(say: Say) -> str:
    from memory_system import rules

    told = {"strip": say("cut out"), "drop": say("refused")}
    text = [(each.data["reason"], told[each.data["action"]], each.why) for each in rules.load("sources")["text"].rules]
    found = rules.load("sources")["session"].rules
    sessions = [(each.data["reason"], say("whole session"), each.why) for each in found]
    rows = ((code(reason), what, say(why)) for reason, what, why in sorted([*text, *sessions], key=lambda row: row[0]))
    return table(map(say, ("reason", "what is done", "why")), rows)


def secrets() -> str:
    from memory_system import rules

    told = {each.data["kind"] for each in rules.load("secrets")["secret"].rules}
    kinds = sorted(told | rules.table("secrets", "prefixes").keys())
    return ", ".join(map(code, kinds)) + "."


def slots(say: Say) -> str:
    from memory_system import rules

    known = rules.table("attributes", "attributes")
    single = [code(name) for name, each in known.items() if each.get("single")]
    several = [code(name) for name, each in known.items() if not each.get("single")]
    return "\n\n".join(
        say(told).format(say(", ").join(names))
        for told, names in (("One value at a time: {}.", single), ("Several values: {}.", several))
    )


def categories(say: Say) -> str:
    from memory_system import rules
    from memory_system.config import Config

    worth = Config().importance_rules
    known = rules.table("attributes", "importance")
    rows = ((code(each), getattr(worth, key), code(f"importance_rules.{key}")) for each, key in known.items())
    return table(map(say, ("category", "importance", "config key")), rows)


def fading() -> str:
    """How long memories of a few importances last when nothing touches them."""
    from memory_system import records
    from memory_system.config import Config
    from memory_system.store import retention

    config, rows = Config(), []
    for kind, worth in ((kind, worth) for kind in records.TYPES.values() for worth in (0.2, 0.5, 0.8, 1.0)):
        speed = retention.rate(kind(id="", content="", importance=worth, score=worth), config)
        half, archived = math.log(2) / speed, math.log(worth / config.thresholds.archive) / speed
        rows.append((kind.__name__.lower(), worth, f"{speed:.4f}", round(half), round(archived)))
    return table(("kind", "importance", "rate a day", "half-life in days", "archived after days"), rows)


# ---- architecture -------------------------------------------------------------------------------------------------


def rooms() -> str:
    from test_architecture import ROWS

    named = [(number, room) for number, row in enumerate(ROWS, 1) for room in sorted(row) if room[:2] != "__"]
    told = ((number, code(room), first_sentence(docstring_of(room))) for number, room in named)
    return table(("row", "room", "what is in it"), told)
