"""The whole campaign at any size: `python -m tests.faults.campaign --size 1 --minutes 60 --workers
12`.

Its table must have nothing in the columns silent, traceback and signal; then the exit code is 0.
Names of parts (`files texts`) run these alone. Size 1 is 500 damages of each kind of file, a
million texts, kills and full disks at every write of a generation, and all faulty games in every
command. What a part has not done in its minutes is said. `--table FILE` keeps the figures now and
then, and adds to those that the file holds already: runs with other seeds add up.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType

from tests.faults import kept, own_games, records, runs, texts, writes
from tests.faults.table import SAVE_EVERY_S, Table

PLACE = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Files in memory are written at once."""
GRACE_S = 60.0
"""A worker that does not end by itself this long after its minutes is ended."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class OutOfTime(BaseException):
    """A part has used up its minutes."""


def damage_files(place: Path, table: Table, size: float) -> None:
    runs.run_campaign(runs.make_runs(place), place, table, tries=max(1, round(500 * size)))


def disturb_writes(place: Path, table: Table, size: float) -> None:
    writes.run_campaign(place, table, generations=1, every=max(1, round(1 / size)))


def damage_texts(place: Path, table: Table, size: float) -> None:
    texts.run_campaign(place, table, times=texts.TIMES * size)


def damage_records(place: Path, table: Table, size: float) -> None:
    records.run_campaign(place, table, tries=max(1, round(500 * size)))


def damage_kept(place: Path, table: Table, size: float) -> None:
    kept.run_campaign(place, table, tries=max(1, round(500 * size)))


def play_faulty_games(place: Path, table: Table, size: float) -> None:
    own_games.run_campaign(place, table, every=max(1, round(1 / size)))


PARTS: dict[str, Callable[[Path, Table, float], None]] = {
    "files": damage_files,
    "writes": disturb_writes,
    "texts": damage_texts,
    "records": damage_records,
    "kept": damage_kept,
    "games": play_faulty_games,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; by default all")
    parser.add_argument("--size", type=float, default=0.01)
    parser.add_argument("--minutes", type=float, default=60.0, help="for each part")
    parser.add_argument(
        "--workers", type=int, default=1, help="processes that share the turns of a part"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--table", type=Path, help="a JSON file that the figures are added to, now and then"
    )
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--place", type=Path, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    signal.signal(signal.SIGTERM, out_of_time)
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # ignored in a script's background, and then by children
    if wanted.worker is not None:
        return work(wanted)
    wrong = 0
    for part in wanted.parts or PARTS:
        with tempfile.TemporaryDirectory(dir=PLACE, ignore_cleanup_errors=True) as place:
            wrong += share_out(part, wanted, Path(place))
    if wanted.table:
        print(f"all in {wanted.table}\n{add_up([wanted.table])}")
    return 1 if wrong else 0


def share_out(part: str, wanted: argparse.Namespace, place: Path) -> int:
    """Run a part in its workers, and say what they found; how many verdicts must not be."""
    words = [
        part,
        *(f"--{name}={getattr(wanted, name)}" for name in ("size", "minutes", "workers", "seed")),
    ]
    command = [sys.executable, "-m", "tests.faults.campaign", *words, f"--place={place}"]
    environment = os.environ | (ONE_THREAD if wanted.workers > 1 else {})
    if wanted.table and wanted.table.exists():
        shutil.copy(wanted.table, place / "before.json")
    workers = [
        subprocess.Popen([*command, f"--worker={one}"], env=environment)
        for one in range(wanted.workers)
    ]
    end = time.monotonic() + 60 * wanted.minutes + GRACE_S
    try:
        while any(worker.poll() is None for worker in workers) and time.monotonic() < end:
            time.sleep(SAVE_EVERY_S / 5)
            add_up(place.glob("*.json"), wanted.table)
    finally:
        ended = [end_worker(worker) for worker in workers]
    own = add_up(place.glob("worker*.json"))
    add_up(place.glob("*.json"), wanted.table)
    died = [f"worker {number} ended with {code}" for number, code in enumerate(ended) if code]
    state = "done" if own.done == own.planned and not died else "out of time"
    print(
        "\n".join([f"{part}: {state}, {own.done:,} of {own.planned:,} turns", str(own), *died]),
        end="\n\n",
        flush=True,
    )
    return len(own.wrong) + len(died)


def add_up(paths: Iterable[Path], into: Path | None = None) -> Table:
    table = Table(path=into)
    for path in paths:
        table.include(path)
    table.save()
    return table


def end_worker(worker: "subprocess.Popen[bytes]") -> int:
    if worker.poll() is None:
        worker.kill()
    return worker.wait()


def work(wanted: argparse.Namespace) -> int:
    """One worker's turns of one part, until its time is up."""
    folder = wanted.place / f"worker{wanted.worker}"
    folder.mkdir()
    table = Table(
        worker=wanted.worker,
        workers=wanted.workers,
        seed=wanted.seed,
        path=folder.with_suffix(".json"),
    )
    signal.signal(signal.SIGALRM, out_of_time)
    # a server's searches are nice: beside other workers that are not, they would wait for minutes
    os.nice(19)
    try:
        signal.alarm(max(1, round(60 * wanted.minutes)))
        PARTS[wanted.parts[0]](folder, table, wanted.size)
    except OutOfTime:
        pass
    finally:
        signal.alarm(0)
        table.save()
    return 0


def out_of_time(_number: int, _frame: FrameType | None) -> None:
    raise OutOfTime


if __name__ == "__main__":
    sys.exit(main())
