"""`anyzero nets`: the trained nets that come with the package."""

from anyzero.cli.output import Json, print_result

EXAMPLES = "Examples: anyzero nets    anyzero play connect_four --seat1 gumbel:64@best"


def nets(json: Json = False) -> None:
    """List the nets in the box with what each was measured to be worth."""
    from anyzero.networks.box import nets as find_nets

    print_result(find_nets(), json=json)
