"""The secrets of secrets_corpus.toml in every disguise that each can wear, and the sentences without any."""

from __future__ import annotations

import base64
import hashlib
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

CORPUS = tomllib.loads((Path(__file__).parent / "secrets_corpus.toml").read_text("utf-8"))
SPREAD = 5  # sentences that each harmless form gives


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence with a secret in it, and the words of which no byte may be found again."""

    name: str
    text: str
    hidden: tuple[str, ...]


def _wide(text: str) -> str:
    return "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in text)


def _in_fours(text: str, between: str) -> str:
    return between.join(text[at : at + 4] for at in range(0, len(text), 4))


DISGUISES: dict[str, Callable[[list[str]], str]] = {
    "as it is": "".join,
    "over lines": "\n".join,
    "over indented lines": "\n   ".join,
    "grouped": lambda parts: _in_fours("".join(parts), " "),
    "spaced": lambda parts: " ".join("".join(parts)),
    "full width": lambda parts: _wide("".join(parts)),
    "invisible": lambda parts: "\u200b".join(parts),
}
ALL = (*DISGUISES, "base64")


def secrets() -> Iterator[Case]:
    for number, row in enumerate(CORPUS["secret"]):
        whole = "".join(row["parts"])
        for place, tell in enumerate(row["tell"]):
            wanted = row.get("plain") or ALL
            for disguise in wanted if place < 2 or "plain" in row else ("as it is",):
                yield _case(f"{number}.{place} {disguise}", tell, row["parts"], whole, disguise)


def _case(name: str, tell: str, parts: list[str], whole: str, disguise: str) -> Case:
    if disguise == "base64":
        told = base64.b64encode(tell.format(whole).encode()).decode()
        return Case(name, f"it is {told} in short", (whole, told))
    shown = DISGUISES[disguise](parts)
    long = [part for part in parts if len(part) >= 8] if "over" in disguise or disguise == "invisible" else []
    return Case(name, tell.format(shown), (whole, shown, *long))


def harmless() -> Iterator[str]:
    for number, form in enumerate(CORPUS["harmless"]["forms"]):
        for turn in range(SPREAD if "{" in form.replace("{}", "") else 1):
            yield form.format(**_fillings(f"{number}/{turn}")) if "{" in form else form


def _fillings(seed: str) -> dict[str, str]:
    digest = hashlib.sha256(seed.encode()).hexdigest()
    digits = str(int(digest, 16))
    return {
        "order": "20" + digits[:13],
        "hash": digest[:40],
        "hex": digest[:16],
        "uuid": f"{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}",
        "phone": f"13{digits[0]} {digits[1:5]} {digits[5:9]}",
        "stamp": "17" + digits[:11],
        "isbn": f"978-7-{digits[:2]}-{digits[2:8]}-{digits[8]}",
        "small": digits[:3],
    }
