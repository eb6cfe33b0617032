"""The laws in a process of their own: compiled code that writes out of range can end the process that runs it."""

import json
import os
import signal
import subprocess
import sys
from contextlib import redirect_stdout, suppress
from io import StringIO

from anyzero import stopping
from anyzero.games.laws import FIRST_LAW, LAWS, LawResult, judge_all
from anyzero.games.load import load


def check_apart(text: str) -> list[LawResult]:
    """`check_game` on the game that a text names; if its process dies, the law that it was at is broken."""
    command = [sys.executable, "-P", "-m", "anyzero.games.apart", text]  # -P: a file here may be called as a module is
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        with stopping.waiting():
            said, _ = process.communicate()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # also the simulator that it may have started
        process.wait()
    results = [LawResult(*json.loads(line)) for line in said.splitlines()]
    if process.returncode != 0:
        law = [FIRST_LAW, *LAWS, "the end"][len(results)]  # what is out of range may show only there
        results.append(LawResult(law, False, f"the process of the compiled game died of {cause(process.returncode)}"))
    return results


def cause(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    return f"{signal.Signals(-code).name}: the game probably reads or writes out of range"


def main(text: str) -> None:
    answers = sys.stdout
    with redirect_stdout(StringIO()):  # a file that prints has done so where it was loaded first
        game = load(text)
    with redirect_stdout(sys.stderr):
        for result in judge_all(game):
            print(json.dumps(result), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
