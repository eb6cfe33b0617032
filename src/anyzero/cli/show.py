"""`anyzero show`: a position as a picture."""

from pathlib import Path
from typing import Annotated

import typer

from anyzero.cli.output import GameText, Json, MovesText, StateText, load_position, print_json

EXAMPLES = 'Examples: anyzero show hex:size=7 --moves "d4 c3"    anyzero show chess --svg board.svg'


def show(
    game: GameText,
    state: StateText = None,
    moves: MovesText = "",
    svg: Annotated[Path | None, typer.Option("--svg", help="Write the picture to this file.")] = None,
    json: Json = False,
) -> None:
    """Show a position in the terminal, or write it as SVG."""
    from anyzero.errors import AnyzeroError

    loaded, position = load_position(game, state, moves)
    picture = loaded.show(position)
    if svg is not None:
        try:
            svg.write_text(picture.svg, encoding="utf-8")
        except OSError as error:
            raise AnyzeroError(f"cannot write {svg}: {error.strerror}") from None
    if json:
        text = loaded.format_state(position) if loaded.has("format_state") else None
        legal = loaded.legal_moves(position)
        seat = loaded.seat_to_move(position)
        print_json(
            {"game": loaded.text, "state": text, "seat_to_move": seat, "legal_moves": legal, "text": picture.text}
        )
    else:
        print(picture.text)
