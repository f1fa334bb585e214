"""What was said to somebody else, put in quotation marks: the "you" of "I told him you should rest" is him, and nobody
who reads it.
"""

from __future__ import annotations

import re

_OTHER = (
    r"(?:him|her|them|everyone|somebody|someone|(?:my|our|his|her|the|a|their) (?:[\w-]+ ){0,2}?[\w-]+|(?-i:[A-Z])\w+)"
)
_ANYONE = r"(?:he|she|they|i|we|(?:my|our|his|her|the|their) (?:[\w-]+ ){0,2}?[\w-]+|(?-i:[A-Z])\w+)"
_SOMEBODY = r"(?:he|she|they|(?:my|our) (?:[\w-]+ ){0,2}?[\w-]+|(?-i:[A-Z])\w+)"
_HOW = (
    r"(?:should|shouldn't|must|mustn't|can|can't|cannot|could|couldn't|need|have to|had better|'d better|ought"
    r"|will|won't|'ll|'re|are|aren't|better|don't|never|always|nearly|just)"
)
_DIRECT = {
    "en": re.compile(
        r"(?P<frame>\b(?:told|tell|warned|texted|messaged|answered"
        rf"|(?:said|shouted|yelled|screamed|whispered|wrote) (?:to|at)) {_OTHER}"
        rf"|\b{_ANYONE} (?:said|says|goes|go|went|(?:told|tells|warned|texted) me))[,:]? "
        rf"(?P<words>you(?: (?={_HOW}\b)|(?='))[^,.;!?\n]*?)"
        r"(?=[,.;!?\n]|$| (?:and|but|so) (?:he|she|they|i|we|everyone)\b)"
        rf"|(?P<ask>\basked {_OTHER})[,:]? "
        r"(?P<question>(?:do|did|are|can|could|will|would|have|why|where|when|what|how)\b[^,.;!?\n]*?\byou\b[^,.;!?\n]*)",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"(?P<frame>(?<![别不])(?:(?:跟|对|和|向|冲)(?![你您]|我(?![妈爸弟妹哥姐儿女老同朋家]))[^，。！？：:“”你您\s]{1,8}?(?:说|讲|喊|吼)"
        r"|(?<![你您听据如是以话来想])(?:说|喊|吼|嚷))[：:，,]?"
        r"|(?<![别不要])(?:告诉|质问|警告|问(?![题候好])|骂|劝|怼)(?![你您]|我(?![妈爸弟妹哥姐儿女老同朋家]))"
        r"[^，。！？：:“”你您\s]{1,6}?[：:]?)"
        r"(?P<words>[你您](?![的]意思)[^，。！？!?,；;\n“”]+)"
    ),
}
_SAYING = {  # without one of these, and a second person after it, nothing is reported
    "en": re.compile(
        r"\b(?:told|tells?|said|says|go|goes|went|warned|texted|messaged|answered|shouted|yelled|screamed|whispered|wrote"
        r"|asked)\b.*\byou",
        re.IGNORECASE | re.DOTALL,
    ),
    "zh": re.compile("(?:[说讲喊吼嚷骂劝怼问]|告诉|警告).{0,9}[你您]"),
}
_ONE = {"en": ("you", "You"), "zh": ("你", "您")}  # cheaper to ask for
_ASKED_OF_ONE = re.compile("帮我|给我|提醒我|替我|记一下|记住|告诉我|推荐")  # 我说你帮我查一下: the one spoken to
_OF_ONESELF = re.compile(  # 小王突然说：我结婚了
    r"^(?P<frame>(?:[他她]们?|[小阿]\w|老(?!实)\w|\w{1,2}(?:先生|女士|老师|阿姨)|我(?:妈妈?|爸爸?|老公|老婆|[哥姐弟妹]))"
    r"(?:就|又|还|也|突然|大声|悄悄)*(?:说|喊|嚷)(?:道|了?一?句)?)[：:](?P<words>我[^。！？!?\n“”]*)"
)
_ASKED_OF_ONESELF = re.compile(  # "my sister asked how do I install it": it is she who wants to
    rf"(?P<frame>(?:^|[,.;!?] |\b(?:and|but|so|because|that) ){_SOMEBODY} (?:just |also |then |once )?"
    r"(?:asked|asks|wondered|wonders)(?: again)?(?: (?:me|us))?(?: again)?)[,:]? "
    r"(?P<question>(?:(?:how|what|where|when|why|who|which(?: \w+)?|how (?:much|many|long|often)) )?"
    r"(?:do|did|am|can|could|should|would|will|have|is|are|was) (?:i|my|we|our)\b[^?.!\n]*)",
    re.IGNORECASE,
)
_MARKS = {"en": '"{}"', "zh": "“{}”"}


def quoted(text: str, lang: str) -> str:
    """The text with what was said to others in quotation marks, and what others said of themselves."""
    if lang == "en" and ("ask" in text or "wonder" in text) and not any(mark in text for mark in '"“'):
        text = _ASKED_OF_ONESELF.sub(r'\g<frame> "\g<question>"', text)
    if lang == "zh" and "我" in text:
        text = _OF_ONESELF.sub(r"\g<frame>：“\g<words>”", text)
    if not any(each in text for each in _ONE[lang]) or not _SAYING[lang].search(text):
        return text
    if any(mark in text for mark in '"“「'):
        return text
    return _DIRECT[lang].sub(lambda found: _marked(found, lang), text)


def _marked(found: re.Match[str], lang: str) -> str:
    """The words as a quotation; as they are where they are meant for the one who hears them now."""
    parts = {name: words for name, words in found.groupdict().items() if words}
    frame = (parts.get("frame") or parts["ask"]).rstrip("：:，,")
    words = parts.get("words") or parts["question"]
    if lang == "zh" and _ASKED_OF_ONE.search(words):
        return found[0]
    return f"{frame}{' ' * (lang == 'en')}{_MARKS[lang].format(words.rstrip())}"
