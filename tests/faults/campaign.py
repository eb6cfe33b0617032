"""The whole campaign at any size: `python -m tests.faults.campaign --size 1 --minutes 60`.

Its table must have nothing in the columns silent, traceback and signal; then the exit code is 0. Names of parts (`files
texts`) run these alone. Size 1 is 500 damages of each kind of file and of a match's record, a million texts, kills and
full disks at every write of a generation, and all faulty games in every command. What a part has not done in its
minutes is left out.
"""

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from tests.faults import own_games, records, runs, texts, writes
from tests.faults.table import Table

PLACE = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Files in memory are written at once."""


class OutOfTime(BaseException):
    """A part has used up its minutes."""


def damage_files(place: Path, table: Table, size: float) -> None:
    runs.run_campaign(runs.make_run(place / "whole"), place, table, tries=max(1, round(500 * size)))


def disturb_writes(place: Path, table: Table, size: float) -> None:
    writes.run_campaign(place, table, generations=1, every=max(1, round(1 / size)))


def damage_texts(place: Path, table: Table, size: float) -> None:
    texts.run_campaign(place, table, times=texts.TIMES * size)


def damage_records(place: Path, table: Table, size: float) -> None:
    records.run_campaign(place, table, tries=max(1, round(500 * size)))


def play_faulty_games(place: Path, table: Table, size: float) -> None:
    own_games.run_campaign(place, table, every=max(1, round(1 / size)))


PARTS: dict[str, Callable[[Path, Table, float], None]] = {
    "files": damage_files,
    "writes": disturb_writes,
    "texts": damage_texts,
    "records": damage_records,
    "games": play_faulty_games,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; by default all")
    parser.add_argument("--size", type=float, default=0.01)
    parser.add_argument("--minutes", type=float, default=60.0, help="for each part")
    wanted, table = parser.parse_args(), Table()
    signal.signal(signal.SIGALRM, out_of_time)
    for part in wanted.parts or PARTS:
        with tempfile.TemporaryDirectory(dir=PLACE, ignore_cleanup_errors=True) as place:
            try:
                signal.alarm(max(1, round(60 * wanted.minutes)))
                PARTS[part](Path(place), table, wanted.size)
                ended = "done"
            except OutOfTime:
                ended = "out of time"
            finally:
                signal.alarm(0)
        print(f"{part}: {ended}\n{table}\n", flush=True)
    return 1 if table.wrong else 0


def out_of_time(_number: int, _frame: FrameType | None) -> None:
    raise OutOfTime


if __name__ == "__main__":
    sys.exit(main())
