"""Games as they are kept and taken up again: `GameRecord` (one form for all games), its files, and `GameInProgress`."""
