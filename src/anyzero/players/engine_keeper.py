"""A process between a player and its engine: when the player's process is gone, however it went, so is the engine.

It runs as a script of its own, without the package. Its first argument is a pipe that closes with the player's process;
the others are the engine's command. Standard input and output are the engine's.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading

NOT_FOUND = 127


def main() -> None:
    """Run the engine in a group of its own and end with its exit code."""
    lifeline, command = int(sys.argv[1]), sys.argv[2:]
    try:
        engine = subprocess.Popen(command, start_new_session=True)
    except OSError as error:
        print(error.strerror or error, file=sys.stderr, flush=True)
        os._exit(NOT_FOUND)
    leave_pipes()
    threading.Thread(target=watch, args=(lifeline, engine.pid), daemon=True).start()
    code = engine.wait()
    end_group(engine.pid)
    os._exit(code if code >= 0 else 128 - code)


def leave_pipes() -> None:
    """Leave the pipes to the engine alone, so that they end when it does."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for pipe in (0, 1, 2):
        os.dup2(nowhere, pipe)


def watch(lifeline: int, group: int) -> None:
    os.read(lifeline, 1)
    end_group(group)


def end_group(group: int) -> None:
    """End the engine and whatever it has started."""
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
