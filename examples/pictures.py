"""A picture of every game in mid-game: `python examples/pictures.py FOLDER`."""

import random
import sys
from pathlib import Path

from anyzero.games.load import BUILT_IN, load

PLIES = {"tic_tac_toe": 5, "connect_four": 14, "hex": 50, "take_it_easy": 23, "chess": 30}
DEFAULT_PLIES = 20


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in BUILT_IN:
        game, choose = load(name), random.Random(7)
        state = game.initial_state()
        for _ in range(PLIES.get(name, DEFAULT_PLIES)):
            if not game.is_over(state):
                state = game.play(state, choose.choice(game.legal_actions(state)))
        (folder / f"{name}.svg").write_text(game.show(state).svg, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
