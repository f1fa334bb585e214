"""Clauses that only open what comes next: a time, a condition, what something is compared with. They say nothing alone
and stay with their other half.
"""

from __future__ import annotations

import re

_REACH = 200  # characters in which the clause before a mark is looked for
_OPEN_CLAUSE = re.compile(  # what it says something of comes after the comma
    r"(?:(?:and|but|so|then|also|well),? )*"
    r"(?:if|when|while|once|although|though|besides|apart from|as for|in terms of|given|compared (?:to|with)|regarding"
    r"|speaking of|during)\b"
    r"|(?:那么?|不过|但是?|而且|另外|比如(?:说)?|所以|还有|对了)?[，,]?(?:那么?)?"
    r"(?:除了|对于|关于|至于|针对|如果|要是|假如|虽然|既然|随着|当(?!然|时|天)|像(?=[^，,]*(?:这类|这种|那种|这样)))",
    re.IGNORECASE,
)
_TIME = (
    "(?:[今昨明前后当那][天晚早日年]|[上下这本]*(?:个?(?:周|星期|礼拜|月)(?:[一二三四五六日天末]|底|初)?)"
    "|(?:[\\d一二三四五六七八九十]+[年月日号点半分])+|去年|周末|年[底初]|凌晨|早[上晨]|[上中下]午|傍晚|晚上|夜里|半夜)+"
)
_PLACE = "[^，,了过在住]{1,14}(?:[里内外旁边处口家室房厅馆店场园区站路]|附近|公司|学校|医院|楼[上下])"
_OPEN_TAIL = re.compile(  # the same in Chinese, told by its end: 跟旧的相比，…；下班后，…；上周六下午，…
    r"(?:相比(?:起来|之下)?|比起来|来[说讲看]|而言|的话|方面|这一?块|(?:情况|前提|条件|环境|背景)下|(?:过程|途)中|期间|时候|段时间"
    r"|(?<![小准按及临定限计工课过])时|(?<![落背售])后|(?<![眼面提])前"
    r"|^\s*(?:那么?|但是?|可是?|而且|不过|平时|我们?|[^，,我你他她们人正放住坐站躺]{0,8})(?:在|从)[^，,]{2,16}[上中]"
    r"|[你您](?:刚[才刚]|上次|之前)?(?:提到|说|讲|推荐|建议|介绍)过?的[^，,了]{1,16}"
    rf"|^\s*(?:那么?|但是?|而且?)?[就到]?(?:{_TIME}(?:在{_PLACE})?|在{_PLACE}))[，,]?\s*$"
)
_FOR_EXAMPLE = re.compile(
    r"(?:(?:and|but|so),? )?(?:for example|for instance)\b"
    r"|(?:而且)?(?:特别是|尤其是?|比如说?|例如|像)",
    re.IGNORECASE,
)
_LAST_CLAUSE = re.compile(r"[^，,。！？!?；;：:\n.]*[，,]?\s*$")


def opens_at(body: str, at: int) -> int:
    """Where what goes on at that mark begins: with the clauses before it that only open it: 那除了跑步，…."""
    while (begins := _opening_clause(body, at)) is not None:
        at = begins
    return at


def _opening_clause(body: str, at: int) -> int | None:
    """Where the clause before that place begins, if it only opens what comes there."""
    last = _LAST_CLAUSE.search(body, max(0, at - _REACH), at)
    if last is None or not last[0].strip():
        return None
    begins = last.start() + len(last[0]) - len(last[0].lstrip())
    if body.endswith(("?", "？")) and _FOR_EXAMPLE.match(body, begins, at):
        return begins  # about that
    opens = _OPEN_CLAUSE.match(body, begins, at) or _OPEN_TAIL.search(body[begins:at])
    return begins if opens else None
