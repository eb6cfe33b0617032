"""Games as they are kept and taken up again: `GameRecord` (one form for all games), its files, and `GameInProgress`."""

from anyzero.records.files import read_record, read_records, write_record
from anyzero.records.in_progress import GameInProgress
from anyzero.records.record import TERMINATIONS, BadRecordError, Evaluation, GameRecord

__all__ = [
    "TERMINATIONS",
    "BadRecordError",
    "Evaluation",
    "GameInProgress",
    "GameRecord",
    "read_record",
    "read_records",
    "write_record",
]
