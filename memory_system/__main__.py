"""`memory` and `python -m memory_system`: Ctrl-C is answered before the first heavy import."""

import os
import signal


def main() -> None:
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))  # nothing has begun that could be left half done
    from memory_system import cli

    cli.main()


if __name__ == "__main__":
    main()
