"""中文改写成第三人称：我换成说话人的名字，句首的应答与句末的语气词去掉，省略的主语补上。"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from memory_system.records import ASSISTANT_NAME, STOCK_NAMES
from memory_system.rules import table
from memory_system.text import EMOJI

_MARKS = re.compile(rf"[{EMOJI}]+|\[[\u4e00-\u9fff]{{1,3}}\]|\*\*|^\s*\d{{1,2}}[.、)）](?!\d)\s*")
_QUOTED = re.compile(r"(“[^”]*”|‘[^‘’]*’|「[^」]*」|『[^』]*』|\"[^\"]*\")")
_QUOTE = re.compile('[“‘「『"]')  # without one of these nothing is quoted
_JOINED_LEAD = re.compile(
    r"^(?:(?:但是|而且|可是|另外|因此|并且|不过(?![敏来去年期关时瘾]))"
    r"|对[啊呀哦哎]+|是[啊呀]+|对了(?!解)"
    r"|(?:所以|然后|其实|只是|还有|而|可|那|哦|嗯)(?=[我你您他她，,今昨明上下最])"
    r"|但(?![凡愿求书丁泽]|以理)"
    r"|或者(?=[你您我])|而(?=对于?)|那(?=在|像|关于)|同时(?![期代])|[二三四]是(?![一二三四个家])|结果(?=[前昨今上]))"
)
_ANSWER = re.compile(r"^(?:我|就|是|在|叫|住|学|的)+")
_EARLY = 8  # characters within which a wish to keep something begins
_CLAUSE_MARK = re.compile(r"[，,。！？!?；;：:]")
# of a list, cut off behind its number
_NEXT_ITEM = re.compile(r"(?<=[。；;，])(?:[^。；;，,：:]{1,12}[：:])?\s*\d{1,2}[.、]?$")
_CALLED = re.compile(r"([\u4e00-\u9fff]{2,3})[，,！!]\s*")  # 林静 may be called 静静
_NICKNAMED = re.compile(  # 妈，……；涛哥，……：说给别人的话里怎么叫他
    r"(?:亲爱的|宝贝儿?|老[妈爸婆公板师弟哥姐]|[爸妈哥姐弟妹爷奶爹娘叔姨舅姑嫂婶]{1,2}|[\u4e00-\u9fff]{1,2}[哥姐叔姨总])[，,！!]\s*"
)
_GREETED = re.compile(  # 何先生，您好：打招呼时怎么叫对方
    r"(?!只要|希望|祝|对|为|如果|要是|愿)[^\W\d我你您他她它的是不也很]{0,8}[，,]?[你您]们?好[呀啊哦]?(?:[，,。！!\s]+|$)"
)
_REQUEST = re.compile("(?:帮我|给我(?=写|列|推荐|讲|做|找|出|画|说)|替我)")
_ORDER = re.compile("(?:(?:把|将)|取消|查一下|设个|打开|关掉|播放)[^，。！？!?我]{0,3}[^了过着就吗呢]+")
_TO_OTHER = re.compile(  # 收回要求的话是说给对方的，不是自己不用做
    "(?:不用|不必|不需要|别|不要|可以)再?(?:先|用|给我|提醒|叫我|发|回答|写|讲|总结|解释|限制)[^，。！？]*了"
)
_MEETING = re.compile("(?:也|真的?|非常|很|特别)*高兴(?:能|可以)?(?:认识|见到|遇见)")
_STRAY = re.compile(r"^\d{1,2}(?=[我俺])")  # the number of an entry that its point was left behind
_REPORTED = re.compile(
    "(?:我的?)?(?:[\u4e00-\u9fff]{0,2}医生|大夫|护士|老师|老板|领导|房东|中介|警察|律师|客服|物业|教练)(?:也|又|还|都|刚|就|今天)*(?:说|让|叫|建议|告诉|通知|要求)"
)  # 谁说的，句子里已经说了
_ADVISING = re.compile("(?:强烈|非常|特别)?(?:推荐|建议|提醒)")
_PLACES = (
    "公司|学校|乐队|球队|社团|合唱团|剧团|俱乐部|工作室|社区|班级?|部门|团队|单位|老板|领导|小区|村|"
    "体验店|门店|分店|厂|工地|车间|项目|仓库|代码库|群里?|宿舍|寝室|老师|组|家乡?|院|系|办公室|经理|行业|城市"
)
_SPEAKER_FIRST = re.compile(
    r"^(?:[今昨明最]\w{1,3}|[\d年月日周点上下中午晚早]+)?[我俺](?!的|们|妈|爸|家|姐|妹|哥|弟)[^他她]{0,12}$"
)
_THE_TWO = (  # 说的是说话的两个人
    "(?:我们|咱们)(?=(?:之间)?的?(?:第一次|这次|今天的)(?:聊天|对话|谈话)|(?:下次|以后|改天)再聊)"
    "|(?<=希望)(?:我们|咱们)(?=(?:能够?|可以|会)?(?:成为|做)(?:好|更好的)?朋友)"
)
_OF_ALL = {"ours": "大家的", "we": "大家"}
_END = "。！!，,；;、：:~～…. \t\n"


@cache
def _pattern(name: str) -> str:
    return str(table("zh", "words")[name])


@cache
def _to_keep() -> re.Pattern[str]:
    """要记住什么的话：能记一下我女儿不能吃鸡蛋吗；记住我不吃香菜。"""
    return re.compile(
        rf"^{table('zh', 'parts')['to_keep']}(?P<asked>[我他她].*?)[吗么]?$"
        r"|^(?:请|你)?(?:要|得)?(?:记住|记得|记好|记一下)(?P<told>[我他她].*)$",
        re.DOTALL,
    )


@cache
def _lead() -> re.Pattern[str]:
    return re.compile(rf"^(?:[\s，,。！!~～、…]*(?:{_pattern('lead')})(?:[，,。！!~～、…：:\s]+|(?={_END[0]})))+")


@cache
def _tail() -> re.Pattern[str]:
    return re.compile(rf"(?:[，,]?(?:{_pattern('tail')})[。！!~～，,…\s]*)+$")


@cache
def _verbs() -> re.Pattern[str]:
    """说话人省略了的主语补在它前面，说事不说人的除外（很清晰、不仅是椅子）；“2026年2月3日是星期五”、“2月4日的活动”和“2月4日小赵请假”有自己的主语。"""
    day = r"(?:\d+月)?(?:\d+日)?(?:（周.）)?[早晚上中下午凌晨间傍]{0,3}"
    called = r"小(?![时区心吃组路雨雪型睡酌坐住憩聚])[一-龥]|老(?![家是早地年公婆觉想忘毛爱])[一-龥]"
    another = rf"[他她它]|{called}|{_pattern('own_kin')}"
    return re.compile(
        rf"^(?!{_pattern('no_verb')})(?:{_pattern('verb')}|\d+年(?!{day}(?:是|的(?!前)|天气|气温|{another})))"
    )


@cache
def _doing() -> re.Pattern[str]:
    """句首省略了说话人、而说话人后面才出现的一件事：刚跟爸妈视频完，他们都让我好好玩。"""
    return re.compile(_pattern("doing"))


@cache
def _kin() -> str:
    return str(table("zh", "parts")["kin_word"])


@cache
def _own_kin() -> re.Pattern[str]:
    """妈妈昨天去了医院: whoever says so without 我 means their own; 妈妈是伟大的 means all."""
    return re.compile(rf"(?:{_pattern('own_kin')})(?![们是的都总节和跟与，,：:])")


@cache
def _persons() -> re.Pattern[str]:
    """What is replaced, longest first; the group that matched says by what."""
    return re.compile(
        rf"(?P<keep>{_pattern('keep')})"
        "|(?P<called>(?<=叫)我)"  # 别叫我老师：不是我的老师
        rf"|(?P<two>{_THE_TWO})"
        rf"|(?P<home>[我俺]们?家的?(?=(?:{_kin()})))"
        rf"|(?P<our_place>(?:我们|咱们|俺们)(?:的|这[个家套])?(?={_PLACES}))"
        r"|(?P<ours>(?:我们|咱们|俺们)的)|(?P<we>(?:我们|咱们|俺们)(?:大家|俩|两个)?)"
        rf"|(?P<near>[我俺](?:的)?(?=(?:大|小|二|三|亲|前|最好的|好)?(?:{_kin()})|上司|老家|单位|公司|学校))"
        r"|(?P<mine>[我俺]的|本人的)|(?P<me>[我俺咱]|本人)"
        r"|(?P<your>[你您](?:们)?的)|(?P<several>[你您]们(?:俩|两个|大家)?)|(?P<you>[你您])"
    )


@lru_cache(maxsize=64)
def _address(other: str) -> re.Pattern[str]:
    """The name of the one spoken to, at the start."""
    return re.compile(rf"(?:{re.escape(other)}|AI\w*|ai\w*)[，,！!。]\s*")


@lru_cache(maxsize=64)
def _self_reference(speaker: str) -> re.Pattern[str]:
    """用户觉得用户…: the second one is 自己."""
    name = re.escape(speaker)
    thinks = "(?:觉得|认为|希望|感觉到?|发现|知道|以为|相信|担心|想|意识到|注意到|梦见|梦到|承认|发誓)"
    return re.compile(
        rf"({name}{thinks}){name}(?!的(?!身体|精神|状态|情绪|心|体重|体力|记忆|视力|听力|头|脸|手|脚|腿|腰|背|胃|皮肤)|等人)"
    )


def retell(text: str, speaker: str, other: str) -> str:
    words = stripped(text, other)
    if len(words) < 2:
        return ""
    told = _told(words, speaker, other)
    if speaker != ASSISTANT_NAME["zh"] and (_REQUEST.match(words) or _is_order(words, other)):
        return f"{speaker}请{other}{told.replace(speaker, '自己', 1) if told[1:].startswith(speaker) else told}"
    if told.startswith((f"{speaker}叫{speaker}", f"{speaker}是{speaker}")):
        told = speaker + told[2 * len(speaker) + 1 :].lstrip(_END)  # 名字已经说了
        return told if len(told) > len(speaker) + 1 and not _MEETING.match(told.removeprefix(speaker)) else ""
    if speaker in told:
        return f"{speaker}{told}" if _doing().match(told) and speaker not in _CLAUSE_MARK.split(told)[0] else told
    if speaker == ASSISTANT_NAME["zh"]:  # 它省略主语说的是建议，不是自己做的事
        return f"{speaker}{told}" if _ADVISING.match(told) else f"{speaker}说{told}"
    if _TO_OTHER.match(told):
        return f"{speaker}说{told}"
    if _REPORTED.match(told):
        return told
    if _own_kin().match(told):
        return f"{speaker}的{told}"
    return f"{speaker}{told}" if _verbs().match(told) and not told.startswith(other) else f"{speaker}说{told}"


def _is_order(words: str, other: str) -> bool:
    """说的是不是要助手做的一件事：把会改到周五；取消我的会员。已经做了的（…了、…过）是自己做的。"""
    return other == ASSISTANT_NAME["zh"] and _ORDER.fullmatch(words) is not None


def report(text: str, speaker: str, other: str) -> str:
    return _told(_clean(text), speaker, other).strip(_END)


def ask(text: str, speaker: str, other: str) -> str:
    words = stripped(text, other).rstrip("？?")
    return f"{speaker}问：{_told(words, speaker, other)}" if len(words) > 1 else ""


def asked(text: str, speaker: str, other: str) -> str:
    return _told(stripped(text, other).rstrip("？?"), speaker, other)


def inner(text: str, speaker: str, other: str) -> str:
    return _told(text.strip(_END), speaker, other)


@lru_cache(maxsize=16)  # a passage is asked for it more than once
def stripped(text: str, other: str = "") -> str:
    """去掉句首的应答、连接词和称呼，句末的语气词和表情。"""
    words = _clean(text)
    before = None
    while before != words:
        before = words
        words = _JOINED_LEAD.sub("", _lead().sub("", words)).lstrip(_END)
        if "记" in words[:_EARLY] and (found := _to_keep().match(words.rstrip(_END + "？?"))):
            words = found["asked"] or found["told"]
        if other and (found := _address(other).match(words)):
            words = words[found.end() :]
        if other and (found := _CALLED.match(words)) and set(found[1]) & set(other):
            words = words[found.end() :]
        if found := _GREETED.match(words):
            words = words[found.end() :]
        if other and other not in STOCK_NAMES and (found := _NICKNAMED.match(words)):
            words = words[found.end() :]
    words = _NEXT_ITEM.sub("", words)
    return _tail().sub("", words.rstrip(_END)).rstrip(_END)


def bare(text: str, other: str) -> str:
    return _ANSWER.sub("", stripped(text, other))


def _clean(text: str) -> str:
    return _STRAY.sub("", _MARKS.sub("", text).strip())


def _told(words: str, speaker: str, other: str) -> str:
    replace = _Replacer(speaker, other)
    parts = _QUOTED.split(words) if _QUOTE.search(words) else [words]
    told = "".join([part if number % 2 else _persons().sub(replace, part) for number, part in enumerate(parts)])
    if told.count(speaker) < 2:
        return told
    return _self_reference(speaker).sub(r"\1自己", told)


class _Replacer:
    """Puts names for persons; within a clause that the speaker opens, 我的 is 自己的."""

    def __init__(self, speaker: str, other: str) -> None:
        self.speaker, self.other = speaker, other

    def __call__(self, found: Any) -> str:
        kind = found.lastgroup
        if kind == "keep":
            return str(found[0])
        if self.speaker == ASSISTANT_NAME["zh"] and kind in _OF_ALL:
            return _OF_ALL[kind]  # 它说“我们”，说的是人人
        if kind in ("mine", "near", "home"):
            owner = "自己" if self._opened(found) else self.speaker
            return f"{owner}家的" if kind == "home" else f"{owner}的"
        several = self.other if self.other == ASSISTANT_NAME["zh"] else f"{self.other}等人"
        return {
            "two": f"{self.speaker}和{self.other}", "several": several,
            "our_place": f"{self.speaker}的", "ours": f"{self.speaker}等人的", "we": f"{self.speaker}等人",
            "me": self.speaker, "called": self.speaker, "your": f"{self.other}的", "you": self.other,
        }[kind]  # fmt: skip

    def _opened(self, found: Any) -> bool:
        """Whether the clause so far begins with the speaker as its subject."""
        before = _CLAUSE_MARK.split(found.string[: found.start()])[-1]
        return bool(_SPEAKER_FIRST.match(before))
