"""The pool: actors on the nodes of a cluster that run jobs of any kind.

Ray only places work: anything lasting is written by the process that holds the pool. The result of
a job depends on its arguments alone, so a job lost with its machine is given to another one, and of
two answers the first counts.
"""

import atexit
import contextlib
import hashlib
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyzero.core.base import stopping
from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.files import reading
from anyzero.core.base.report import count
from anyzero.extras.cluster import jobs
from anyzero.extras.cluster.jobs import ActorKind, ClusterError, Done, Job, Node, Shared, Source

LOOK_EVERY_S = 1.0
WAIT_S = 0.2
HEAD_LOST_S = 10.0
WAITING_S = 30.0
SLOW = 2.0
"""A job that takes this many times as long as others goes to a second actor, once no other is left.
"""
MOST_DEATHS = 5
"""How often a job may kill its process, or a process die before its first answer, before this
counts as a fault.
"""
MUST_AGREE = ("anyzero", "Python", "numba", "numpy")


@dataclass(eq=False)
class Member:
    """An actor, as seen from the pool."""

    actor: Any
    node: Node
    kind: ActorKind
    ref: Any  # its pending answer: to `hello`, or to a job; None: it is idle
    is_ready: bool = False
    job: Job | None = None
    number: int = -1
    since: float = 0.0


class Pool:
    """The actors of a cluster. They come and go with its nodes; the holder of the pool calls `step`
    repeatedly.
    """

    def __init__(
        self, address: str, say: Callable[[str], None] | None = None, *, with_gpus: bool = False
    ) -> None:
        self.with_gpus = with_gpus
        self.say = say or (lambda words: print(words, file=sys.stderr))
        loaded = sys.modules.get("ray")
        self.was_connected = loaded is not None and loaded.is_initialized()
        self.ray = jobs.connect(address)
        self.head = self.ray.get_runtime_context().gcs_address
        self.facts = jobs.facts()
        self.is_lost = False
        self.members: list[Member] = []
        self.nodes: dict[str, Node] = {}  # nodes with cores, as of the last look
        self.aside: dict[str, str] = {}  # nodes not used, and why
        self.joined: set[str] = set()  # nodes already announced
        self.stillborn: dict[str, int] = {}
        self.source: Source | None = None
        self.again: deque[Job] = deque()
        self.num_given = 0
        self.next_look = 0.0
        self.head_seen = time.monotonic()
        self.times: deque[float] = deque(maxlen=100)
        self.speed = ""  # the speed of the work, for display
        self.idle_since: float | None = time.monotonic()
        """Since when there have been no actors; None: there are some, or it was reported."""

    def close(self) -> None:
        if self.is_lost:
            return
        for member in self.members:
            self.kill(member)
        self.members = []
        if not self.was_connected:
            self.ray.shutdown()

    @property
    def kinds(self) -> list[ActorKind]:
        """The kinds of all actors that are working or ready to."""
        return [member.kind for member in self.ready()]

    def describe(self) -> str:
        """`3 nodes, 12 cores, 5 jobs running`, and their speed, if known."""
        ready = self.ready()
        has = ActorKind(*map(sum, zip(ActorKind(0), *self.kinds, strict=True)))
        nodes = len({member.node.id for member in ready})
        busy = sum(member.job is not None for member in ready)
        parts = (
            count(nodes, "node"),
            has.describe(),
            f"{count(busy, 'job')} running",
            self.speed if busy else "",
        )
        return ", ".join(filter(None, parts))

    # --- shared values

    def share(self, key: str, value: Any) -> Shared:
        """Put a value into the object store; `key` identifies it, so that actors need not fetch it
        again.
        """
        return Shared(key, self.ray.put(value))

    def bundle(self, paths: Iterable[Path]) -> Shared | None:
        """These files, for jobs that refer to them by the same paths below the current folder."""
        files = {}
        for path in sorted(set(paths)):
            if path.is_absolute() or ".." in path.parts:
                raise BadOptionError(
                    f"{path} cannot be sent to a cluster: use a path below the current folder"
                )
            with reading(path):
                files[path.as_posix()] = path.read_bytes()
        key = hashlib.sha256(
            repr([(name, hashlib.sha256(files[name]).digest()) for name in files]).encode()
        )
        return self.share(key.hexdigest()[:32], files) if files else None

    # --- jobs

    def begin(self, source: Source) -> None:
        """From now on hand out the jobs of this source; jobs in progress are dropped."""
        self.end()
        self.source = source

    def end(self) -> None:
        """Let all actors abandon their jobs."""
        for member in self.members:
            self.leave(member)
        self.source = None
        self.again.clear()

    @property
    def is_done(self) -> bool:
        return (
            self.source is None
            and not self.again
            and not any(member.job for member in self.members)
        )

    def run(self, source: Source) -> Generator[Done, None, None]:
        """The results of all jobs, as they arrive; close the iterator to stop early."""
        self.begin(source)
        try:
            while not self.is_done:
                stopping.check()
                yield from self.step()
        finally:
            self.end()

    def step(self, wait_s: float = WAIT_S) -> list[Done]:
        """Update nodes and actors, hand out jobs, and wait a little for results."""
        self.look()
        for member in self.members:
            if (
                member.is_ready
                and member.ref is None
                and (job := self.next_job(member)) is not None
            ):
                self.num_given += 1
                member.job, member.number, member.since = job, self.num_given, time.monotonic()
                member.ref = member.actor.run.remote(
                    member.number, job.function, job.arguments, job.files
                )
        asked = {member.ref: member for member in self.members if member.ref is not None}
        if not asked:
            time.sleep(wait_s)
            return []
        ready, rest = self.ray.wait(list(asked), timeout=wait_s)
        if ready and rest:
            ready += self.ray.wait(rest, num_returns=len(rest), timeout=0)[0]
        results = [self.hear(asked[ref]) for ref in ready if asked[ref] in self.members]
        return [done for done in results if done is not None]

    def next_job(self, member: Member) -> Job | None:
        """A lost job, a new one, or a copy of the oldest that only one actor is running, if it
        takes much longer.
        """
        for job in self.again:
            if job.failed_on != member.node.id:
                self.again.remove(job)
                return job
        sourced = None if self.source is None else self.source(member.kind)
        if sourced is not None:
            return sourced
        self.source = None
        at_work = [member for member in self.members if member.job is not None]
        alone = [
            member for member in at_work if sum(other.job is member.job for other in at_work) == 1
        ]
        oldest = min(alone, key=lambda member: member.since, default=None)
        if oldest is None or not self.times:
            return None
        typical = sum(self.times) / len(self.times)
        is_slow = time.monotonic() - oldest.since > SLOW * max(typical, 1.0)
        return oldest.job if is_slow else None

    def leave(self, member: Member) -> None:
        """Ignore its answer from now on."""
        if member.job is not None:
            member.actor.stop.remote(member.number)
            member.job = None

    def hear(self, member: Member) -> Done | None:
        """Process an answer, or the news that there will be none."""
        ref = member.ref
        member.ref = None
        try:
            answer = self.ray.get(ref)
        except self.ray.exceptions.RayError as error:
            self.lose(member, error)
            return None
        if not member.is_ready:
            self.welcome(member, answer)
            return None
        job = member.job
        if job is None:  # it was told to stop
            return None
        value, fault, seconds = answer
        # first the node is blamed, and no longer used; if the job fails on a second one, the job is
        # at fault
        if fault:
            if job.failed_on:
                raise ClusterError(f"{member.node.name}: {fault}")
            job.failed_on = member.node.id
            self.put_aside(member.node, fault)
            return None
        member.job = None
        for other in self.members:
            if other.job is job:
                self.leave(other)
        self.times.append(seconds)
        return Done(job, value, member.node.name, member.kind, seconds)

    # --- nodes and actors

    def look(self) -> None:
        """Every second: start actors on nodes that joined, drop those of nodes that left."""
        now = time.monotonic()
        if now < self.next_look:
            return
        self.next_look = now + LOOK_EVERY_S
        if not self.head_answers():
            return
        alive = self.alive()
        for member in [member for member in self.members if member.node.id not in alive]:
            self.lose(member)
        for node in self.nodes.values():
            if node.id not in (*alive, *self.aside):
                self.say(f"the node {node.name} is lost; other nodes take over its work")
        self.nodes = {node.id: node for node in alive.values() if node.cores}
        for node in alive.values():
            if node.id not in self.aside:
                self.man(node)
        if self.ready():
            self.idle_since = None
        elif (
            self.idle_since is not None and now > self.idle_since + WAITING_S
        ):  # no node, or its cores are taken
            self.idle_since = None
            self.say("waiting for the cluster: it has no node with free cores yet")
        if self.nodes and all(node in self.aside for node in self.nodes):
            raise ClusterError(
                "no node of the cluster can be used: "
                f"{'; '.join(dict.fromkeys(self.aside.values()))}"
            )

    def head_answers(self) -> bool:
        """Whether the head responds; raises an error before Ray itself gives up, which would end
        the process.
        """
        if jobs.answers(self.head, 1.0):
            self.head_seen = time.monotonic()
        elif time.monotonic() > self.head_seen + HEAD_LOST_S:
            # Make no more calls to Ray, here or at exit: without its head it waits for a minute,
            # then ends the process.
            self.is_lost = True
            atexit.unregister(self.ray.shutdown)
            sys.excepthook = sys.__excepthook__
            stopping.broken.set()
            kept = "finished work was saved; the same command resumes, also on a new cluster"
            raise ClusterError(f"the head of the cluster at {self.head} no longer answers; {kept}")
        return self.head_seen >= self.next_look - LOOK_EVERY_S

    def man(self, node: Node) -> None:
        """Make sure that the node has all its actors."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        missing = node.kinds(with_gpus=self.with_gpus)
        for member in self.members:
            if member.node.id == node.id:
                missing.remove(member.kind)
        # Ray restarts nothing and repeats nothing: `look` notices what is missing, whatever the
        # cause. The second thread is for `stop`.
        place = NodeAffinitySchedulingStrategy(node.id, soft=False)
        fixed = {
            "max_restarts": 0,
            "max_task_retries": 0,
            "max_concurrency": 2,
            "scheduling_strategy": place,
        }
        for kind in missing:
            actor_class = self.ray.remote(jobs.Actor).options(
                num_cpus=kind.cores, num_gpus=kind.gpus, **fixed
            )
            actor = actor_class.remote(kind)
            self.members.append(Member(actor, node, kind, actor.hello.remote()))

    def welcome(self, member: Member, theirs: dict[str, str]) -> None:
        """Handle a new actor's first answer: it is used if its facts equal ours."""
        name = member.node.name
        our_facts = self.facts
        other = [key for key in MUST_AGREE if theirs.get(key) != our_facts[key]]
        differs = [
            f"it has {key} {theirs.get(key)}, and this process has {our_facts[key]}"
            for key in other
        ]
        if differs or theirs["fault"]:
            self.put_aside(member.node, (*differs, theirs["fault"])[0])
            return
        if member.node.id not in self.joined:
            self.joined.add(member.node.id)
            self.say(
                f"the node {name} has joined: "
                f"{ActorKind(member.node.cores, member.node.gpus).describe()}"
            )
            if theirs["processor"] != our_facts["processor"]:
                processor = theirs["processor"].partition(" ")[0]
                self.say(
                    f"the processor of {name} ({processor}) differs from this one: last bits of "
                    "games may differ"
                )
        member.is_ready = True
        self.stillborn.pop(member.node.id, None)

    def ready(self) -> list[Member]:
        return [member for member in self.members if member.is_ready]

    def put_aside(self, node: Node, words: str) -> None:
        """Stop using a node, and say why."""
        if node.id not in self.aside:
            self.aside[node.id] = f"{node.name}: {words}"
            self.say(f"the node {node.name} is not used: {words}")
        for member in [member for member in self.members if member.node.id == node.id]:
            self.lose(member)

    def lose(self, member: Member, error: Exception | None = None) -> None:
        """Handle an actor that is gone or was killed; its job goes to another one."""
        self.members.remove(member)
        self.kill(member)
        job = member.job
        node = member.node
        if job is not None and not any(other.job is job for other in self.members):
            self.again.append(job)
        alive = self.alive() if error is not None else {}
        if node.id not in alive:
            return
        words = " ".join(str(error).split())
        if not member.is_ready:
            self.stillborn[node.id] = self.stillborn.get(node.id, 0) + 1
            if "ModuleNotFoundError" in words or self.stillborn[node.id] >= MOST_DEATHS:
                self.put_aside(node, f"no process of anyzero can start there ({words[-300:]})")
        elif job is not None:
            # A killed node seems alive for some seconds: only those still alive then count.
            job.deaths.append(node.id)
            deaths = sum(where in alive for where in job.deaths)
            if deaths >= MOST_DEATHS:
                raise ClusterError(
                    f"{node.name}: a job ended its process {deaths} times, at last by: "
                    f"{words[:300]}"
                )

    def alive(self) -> dict[str, Node]:
        return {node["NodeID"]: jobs.node_of(node) for node in self.ray.nodes() if node["Alive"]}

    def kill(self, member: Member) -> None:
        with contextlib.suppress(Exception):  # it is already gone
            self.ray.kill(member.actor)


def opened(address: str) -> contextlib.closing[Pool]:
    """The pool of the cluster at this address, `auto` or `host:port`, until the block ends."""
    return contextlib.closing(Pool(address))
