"""Games as they are kept and taken up again: `GameRecord` (one form for every game), its files, and `Table`."""

from anyzero.records.fields import TERMINATIONS, BadRecordError, Evaluation
from anyzero.records.files import read_record, read_records, write_record
from anyzero.records.record import GameRecord
from anyzero.records.table import Table

__all__ = [
    "TERMINATIONS",
    "BadRecordError",
    "Evaluation",
    "GameRecord",
    "Table",
    "read_record",
    "read_records",
    "write_record",
]
