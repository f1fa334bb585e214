"""What memories call a user and an assistant of whom no name is known."""

USER_NAME = {"zh": "用户", "en": "User"}
ASSISTANT_NAME = {"zh": "助手", "en": "the assistant"}
STOCK_NAMES = frozenset((*USER_NAME.values(), *ASSISTANT_NAME.values()))
