"""The laws in a process of their own: compiled code that writes out of range can end the process that runs it."""

import json
import signal
from contextlib import redirect_stdout
from io import StringIO

from anyzero import stopping
from anyzero.child import Child, listen, python_command, take_output
from anyzero.games.laws import FIRST_LAW, LAWS, LawResult, judge_all
from anyzero.games.load import load


def check_apart(text: str) -> list[LawResult]:
    """`check_game` on the game that a text names; if its process dies, the law that it was at is broken."""
    child = Child(python_command("anyzero.games.apart", "main", text))
    try:
        with stopping.waiting():
            results = [LawResult(*json.loads(line)) for line in child.read_all()]
            code = child.wait(None)
    finally:
        child.end()
    if code != 0:
        law = [FIRST_LAW, *LAWS, "the end"][len(results)]  # what is out of range may show only there
        results.append(LawResult(law, False, f"the process of the compiled game died of {cause(code)}"))
    return results


def cause(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    return f"{signal.Signals(-code).name}: the game probably reads or writes out of range"


def main(text: str) -> None:
    """The process: a line of JSON for each law."""
    send = take_output()
    listen()
    with redirect_stdout(StringIO()):  # a file that prints has done so where it was loaded first
        game = load(text)
    for result in judge_all(game):
        send(json.dumps(result))
