"""A bad engine for tests: `python engines.py uci FAULT` speaks enough UCI to play, and then does
its fault.

With `gtp FAULT` it speaks GTP.
"""

import os
import sys
import time
from pathlib import Path

import chess


def main() -> None:
    protocol, fault = sys.argv[1:3]
    if fault == "silent":
        time.sleep(600)
    if fault == "broken":
        sys.exit("no book found")
    (speak_uci if protocol == "uci" else speak_gtp)(fault)


def speak_uci(fault: str) -> None:
    board = chess.Board()
    for line in sys.stdin:
        words = line.split()
        if words == ["uci"]:
            print("id name bad\noption name UCI_Elo type spin default 1500 min 1300 max 2000")
            print("option name UCI_LimitStrength type check default false")
            print("option name Skill Level type spin default 20 min 0 max 20\nuciok", flush=True)
        elif words == ["isready"]:
            print("readyok", flush=True)
        elif words[:2] == ["position", "fen"]:
            board = chess.Board(" ".join(words[2:8]))
            for move in words[9:]:
                board.push_uci(move)
        elif words[:1] == ["go"]:
            if board.fullmove_number >= 3:
                do_fault(fault)
            print(
                f"info string {line.strip()}\nbestmove {sorted(map(str, board.legal_moves))[0]}",
                flush=True,
            )


def speak_gtp(fault: str) -> None:
    moves = 0
    for line in sys.stdin:
        moves += line.startswith("play")
        if line.startswith("genmove"):
            if moves >= 2:
                do_fault(fault)
            print("= resign\n" if fault == "resign" else "= a1\n", flush=True)
        else:
            print("=\n", flush=True)


def do_fault(fault: str) -> None:
    if fault == "die":
        sys.stderr.write("out of memory\n")
        sys.stderr.flush()
        os._exit(3)
    if fault.startswith("mark="):  # it thinks, and others may know
        Path(fault.removeprefix("mark=")).touch()
    if fault == "hang" or fault.startswith("mark="):
        time.sleep(600)
    if fault == "illegal":
        print("bestmove e2e9", flush=True)
    if fault == "fork":  # a child that would live on
        if os.fork() == 0:
            time.sleep(600)
        time.sleep(600)


if __name__ == "__main__":
    main()
