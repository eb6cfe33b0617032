"""For people and other programs: games on paper, engine protocols, the web page, the commands."""
