"""Matches on the nodes of a cluster: each actor plays a few pairs of games at a time in its own
processes.
"""

from collections import deque
from collections.abc import Sequence
from contextlib import closing

from anyzero.core.game.definition import split_text
from anyzero.core.game.load import files_of, load
from anyzero.extras.cluster.jobs import ActorKind, Job, Pace
from anyzero.extras.cluster.pool import Pool
from anyzero.tools.arena.match import MatchResult
from anyzero.tools.arena.workers import Finished, Task, play_all
from anyzero.tools.players import player_files


def play_tasks(tasks: Sequence[Task], pool: Pool) -> Finished:
    """Play these games on all nodes, and yield each result."""
    left = deque(tasks)
    paces = {task.plan: Pace(least=2) for task in tasks}
    players = [(text, load(plan.game)) for plan in paces for text in plan.players]
    files = [path for plan in paces for path in files_of(split_text(plan.game)[0])]
    bundle = pool.bundle([*files, *(path for player in players for path in player_files(*player))])

    def next_chunk(kind: ActorKind) -> Job | None:
        """Games of one plan, keeping pairs together."""
        if not left:
            return None
        plan = left[0].plan
        size = paces[plan].size(kind, len(left), pool.kinds)
        chunk = [left.popleft()]
        while left and left[0].plan == plan:
            if len(chunk) >= size and chunk[-1].match[:3] != left[0].match[:3]:
                break
            chunk.append(left.popleft())
        return Job(f"{__name__}:play_chunk", {"tasks": chunk}, bundle, units=len(chunk), about=plan)

    with closing(pool.run(next_chunk)) as finished:
        for done in finished:
            paces[done.job.about].note(done)
            yield from done.value


def play_chunk(kind: ActorKind, tasks: Sequence[Task]) -> list[tuple[Task, MatchResult]]:
    """The actor's side."""
    return list(play_all(tasks, kind.cores))
