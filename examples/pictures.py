"""The rules of every game on its page, with two pictures: `python examples/pictures.py`.

Writes `docs/pictures/GAME-start.svg` and `docs/pictures/GAME.svg`, and the part of
`docs/games/GAME.md` between the heading Rules and the pictures.
"""

import re
from pathlib import Path
from textwrap import fill

from anyzero import rules
from anyzero.core.game.load import BUILT_IN

DOCS = Path(__file__).parent.parent / "docs"
WIDTH = 120
RULES = re.compile(r"(?<=^## Rules\n\n).*?!\[[^\n]*\n", re.DOTALL | re.MULTILINE)


def rules_part(name: str) -> str:
    """What stands under the heading Rules: the sentences, and a line of pictures."""
    found = rules(name)
    captions = [picture.caption or found.game.title for picture in found.pictures]
    files = [f"../pictures/{name}{end}.svg" for end in ("-start", "")]
    pictures = " ".join(
        f"![{caption}]({file})" for caption, file in zip(captions, files, strict=True)
    )
    return "\n\n".join(fill(part, WIDTH) for part in found.paragraphs) + f"\n\n{pictures}\n"


def main() -> None:
    for name in BUILT_IN:
        start, telling = rules(name).pictures
        (DOCS / "pictures" / f"{name}-start.svg").write_text(start.svg, encoding="utf-8")
        (DOCS / "pictures" / f"{name}.svg").write_text(telling.svg, encoding="utf-8")
        page = DOCS / "games" / f"{name}.md"
        page.write_text(
            RULES.sub(lambda _, name=name: rules_part(name), page.read_text(encoding="utf-8")),
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
