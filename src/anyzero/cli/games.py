"""`anyzero games`: what can be played."""

from anyzero.cli.output import Json, print_json, print_table

EXAMPLES = "Example: anyzero games --json"


def games(json: Json = False) -> None:
    """List the games with their options."""
    from anyzero.games.load import game_names, load

    found = [load(name) for name in game_names()]
    if json:
        print_json(
            [
                {
                    "name": game.name,
                    "options": dict(game.options),
                    "num_seats": game.num_seats,
                    "num_actions": game.num_actions,
                }
                for game in found
            ]
        )
        return
    rows = [
        (game.name, " ".join(f"{key}={value}" for key, value in game.options.items()), game.num_seats, game.num_actions)
        for game in found
    ]
    print_table(("game", "options", "seats", "actions"), rows)
