"""Lines that no GUI would send: good ones with letters, words and halves of them changed."""

import random

UCI_LINES = (
    "uci",
    "isready",
    "ucinewgame",
    "position startpos",
    "position startpos moves e2e4 e7e5 g1f3 b8c6",
    "position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4",
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1",
    "position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "setoption name Seed value 7",
    "setoption name MultiPV value 2",
    "setoption name Method value uct",
    "setoption name Hash value 16",
    "setoption name Network value runs/none",
    "setoption name Ponder value true",
    "go nodes 5",
    "go wtime 100 btime 100 winc 1 binc 1 movestogo 40",
    "go movetime 1 searchmoves e2e4",
    "go infinite",
    "go ponder nodes 3",
    "go depth 1",
    "stop",
    "ponderhit",
    "debug on",
)
GTP_LINES = (
    "protocol_version",
    "7 name",
    "known_command play",
    "boardsize 3",
    "boardsize 4 4",
    "clear_board",
    "komi 6.5",
    "play b a1",
    "play w b2",
    "12 play black c3",
    "play w swap-pieces",
    "play b resign",
    "genmove b",
    "genmove w",
    "reg_genmove w",
    "undo",
    "showboard",
    "all_legal_moves",
    "time_settings 0 1 100",
    "time_left b 1 100",
    "final_score",
    "# nothing",
)
ODD = (
    "",
    "\x00",
    "\t",
    "ä",
    "٣",
    "-1",
    "1e9",
    "99999999999999999999",
    "moves",
    "value",
    "name",
    "fen",
    "nan",
    "\u2028",
)


def mutated(rng: random.Random, lines) -> str:
    """A line of these, mostly with something wrong."""
    line = rng.choice(lines)
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        line = rng.choice(CHANGES)(rng, line, lines)
    return line


def change_letter(rng, line, lines):
    place = rng.randrange(len(line) + 1)
    return line[:place] + chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x3000)))) + line[place + 1 :]


def drop_letter(rng, line, lines):
    place = rng.randrange(len(line) + 1)
    return line[:place] + line[place + 1 :]


def change_word(rng, line, lines):
    words = line.split(" ")
    others = rng.choice(lines).split(" ")
    words[rng.randrange(len(words))] = rng.choice((*others, *ODD))
    return " ".join(words)


def add_word(rng, line, lines):
    words = line.split(" ")
    words.insert(rng.randrange(len(words) + 1), rng.choice((*ODD, *words)))
    return " ".join(words)


def join_halves(rng, line, lines):
    other = rng.choice(lines)
    return line[: rng.randrange(len(line) + 1)] + other[rng.randrange(len(other) + 1) :]


def repeat(rng, line, lines):
    return " ".join([line] * rng.randrange(2, 5))


CHANGES = (change_letter, drop_letter, change_word, add_word, join_halves, repeat)
