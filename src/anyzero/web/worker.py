"""The process that searches: it reads jobs from standard input, a JSON object a line, and writes what they find.

The server's own process never searches and never compiles, so that it always answers at once. Each job is a thread
here; compiled code lets others run, and turns are handed out fairly. The process ends when the server does.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from anyzero.child import Send, count_cores, read_lines, take_output
from anyzero.errors import AnyzeroError
from anyzero.games.game import Game
from anyzero.games.load import load
from anyzero.web.jobs import Job, StoppedError
from anyzero.web.turns import NodePool, Turns

MOST_GAMES = 16
NICE = 10
"""The server and the browser come first."""
SWITCH_S = 5e-4
"""A search that has something to say in Python holds up the others no longer than this."""


def main(max_all_nodes: str) -> None:
    if hasattr(os, "nice"):
        os.nice(NICE)
    sys.setswitchinterval(SWITCH_S)
    JobRunner(take_output(), int(max_all_nodes)).serve(read_lines())
    os._exit(0)  # whatever still searches, nobody waits for it


class JobRunner:
    def __init__(self, answer: Send, max_all_nodes: int) -> None:
        self.answer = answer
        self.turns, self.nodes = Turns(count_cores()), NodePool(max_all_nodes)
        self.games: dict[str, Game] = {}
        self.jobs: dict[int, Job] = {}

    def serve(self, lines: Iterable[str]) -> None:
        for line in lines:
            wanted = json.loads(line)
            if "stop" in wanted:
                job = self.jobs.get(wanted["stop"])
                if job is not None:
                    job.stopped.set()
            else:
                self.start(wanted)

    def start(self, wanted: dict[str, Any]) -> None:
        send = self.sender(wanted["job"])
        try:
            job = self.jobs[wanted["job"]] = Job(wanted, self.game(wanted["game"]))
        except Exception as error:  # a game's own code may raise anything
            send({"error": error_words(error)})
            return
        threading.Thread(target=self.run, args=(job, send), daemon=True).start()

    def run(self, job: Job, send: Callable[[dict[str, Any]], None]) -> None:
        try:
            with self.nodes.share(job.wanted_nodes) as job.max_nodes:
                send({"done": True, **job.run(self.turns, send)})
        except StoppedError:
            send({"done": True, "action": None, "result": None})
        except Exception as error:
            send({"error": error_words(error)})
        finally:
            del self.jobs[job.number]

    def game(self, text: str) -> Game:
        if text not in self.games:
            if len(self.games) >= MOST_GAMES:
                self.games.pop(next(iter(self.games)))
            self.games[text] = load(text)
        return self.games[text]

    def sender(self, number: int) -> Callable[[dict[str, Any]], None]:
        def send(values: dict[str, Any]) -> None:
            self.answer(json.dumps({"job": number, **values}))

        return send


def error_words(error: Exception) -> str:
    return str(error) if isinstance(error, AnyzeroError) else f"the search failed: {type(error).__name__}: {error}"
