"""`anyzero check`: whether a game keeps the laws."""

import typer

from anyzero.cli.output import GameText, Json, print_json, print_table

EXAMPLES = "Examples: anyzero check hex:size=5    anyzero check ./my_game.py"


def check(game: GameText, json: Json = False) -> None:
    """Check a game against the laws of the contract on random play; exit code 1 if one is broken."""
    from anyzero.games.apart import check_apart
    from anyzero.games.laws import check_game
    from anyzero.games.load import load

    loaded = load(game)
    results = check_apart(loaded.text) if loaded.is_from_file else check_game(loaded)
    ok = all(result.ok for result in results)
    if json:
        print_json({"game": loaded.text, "ok": ok, "laws": [result._asdict() for result in results]})
    else:
        print_table(
            ("", "law", ""), [("ok" if result.ok else "BROKEN", result.law, result.detail) for result in results]
        )
        broken = sum(not result.ok for result in results)
        print(f"{loaded.text}: " + (f"{broken} of {len(results)} laws broken" if broken else "all laws hold"))
    raise typer.Exit(0 if ok else 1)
