"""The words of files and messages are the same on the page as in the library."""

import re

from anyzero.app.records.record import REASON_WORDS
from anyzero.app.records.seats import HUMAN, OPPONENT
from anyzero.app.web.app import STATIC

PAGE = (STATIC / "words.js").read_text()
WORDS = dict(re.findall(r'export const (\w+) = "([^"]+)";', PAGE))

REPEATED = r'^[^/]*"(human|forfeit|agreement|unfinished)"'


def test_the_page_has_the_terminations_of_records():
    table = re.search(r"DECLARED = \{(.*?)\};", PAGE)[1]
    declared = [WORDS.get(name.strip("[]"), name) for name in re.findall(r"([\[\]\w]+): ", table)]
    assert {*declared, WORDS["RULES"], WORDS["UNFINISHED"]} == set(REASON_WORDS.values())


def test_the_page_has_the_same_person_and_opponent():
    assert (WORDS["HUMAN"], WORDS["OPPONENT"]) == (HUMAN, OPPONENT)


def test_no_other_file_of_the_page_repeats_them():
    for path in STATIC.glob("*.js"):
        if path.name != "words.js":
            assert not re.search(
                r'^[^/]*"(human|forfeit|agreement|unfinished)"', path.read_text(), re.M
            )
