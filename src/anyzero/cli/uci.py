"""`anyzero uci`: the chess engine for GUIs and other programs."""

EXAMPLES = "Example: anyzero uci    and then, line by line: isready    position startpos moves e2e4    go movetime 1000"


def uci() -> None:
    """Play chess by UCI: give a GUI the command `anyzero uci`."""
    from anyzero.child import read_lines, take_output
    from anyzero.protocols.uci import UciEngine

    engine = UciEngine(take_output())
    for line in read_lines():
        if not engine.handle(line):
            return
    engine.handle("quit")
