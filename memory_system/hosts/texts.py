"""What an agent has to be told about its memory, in the words of its host's files, in English and Chinese."""

from __future__ import annotations

RULES = {
    "en": """## Memory

Your long-term memory is kept by the program `memory`. What it knows best stands in the memory snapshot, which you are
shown when a private session begins.

- Before you answer anything about earlier work, decisions, dates, people, preferences or todos: search first, with the
  tool `memory_search`, or with `{memory} search "WORDS"`. If you are not sure after that, say that you have looked.
- When somebody asks you to remember something, do it at once: tool `memory_write`, or `{memory} capture "SENTENCE"`.
- What you find there is private. Never quote it in a group chat.
- Do not write in `memory/layer1`, `memory/layer2`, `memory/layer3` and `memory/state`: the program does.""",
    "zh": """## 记忆

你的长期记忆由程序 `memory` 管理。其中最重要的内容在记忆快照里，私聊会话开始时会给你看。

- 凡是问到以前的工作、决定、日期、人物、偏好或待办，先搜索再回答：用工具 `memory_search`，
  或运行 `{memory} search "关键词"`。搜过仍没有把握，就说明你查过了。
- 有人让你记住什么，马上记：用工具 `memory_write`，或运行 `{memory} capture "一句话"`。
- 查到的内容是私密的，不要在群聊里引用。
- 不要写 `memory/layer1`、`memory/layer2`、`memory/layer3` 和 `memory/state`：它们由程序来写。""",
}

HEARTBEAT = {
    "en": """Run `{memory} heartbeat`. If it prints HEARTBEAT_OK, reply HEARTBEAT_OK. Otherwise do what it lists: ask
the owner what it says should be asked, one question at a time, and put right what it says is wrong. Do not
repeat what you have told the owner today.""",
    "zh": """运行 `{memory} heartbeat`。如果输出 HEARTBEAT_OK，就回复 HEARTBEAT_OK。否则按它列出的去做：
该问主人的，一次只问一个问题；它说有问题的，把它处理好。今天已经跟主人说过的，不要再说。""",
}

NO_TOOLS = "for tools over MCP install what serves them, and run the command again: pip install 'memory-system[mcp]'"
