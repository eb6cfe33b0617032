// Words of files and messages, the same as in `app/records/seats.py` and `app/records/record.py`: a test compares them.

export const HUMAN = "human";
export const OPPONENT = "level:medium"; // who plays against a person if nobody was named
export const UNFINISHED = "unfinished";
export const RULES = "rules";
export const AGREEMENT = "agreement";

// How a game ended other than by its rules, with the sentence for people; all but an agreement are a seat's doing.
export const DECLARED = { resign: "resigned", forfeit: "forfeited", [AGREEMENT]: "A draw was agreed" };

// Who ended the game and how; only for a game that was not ended by its rules.
export function endWords({ termination, payoffs }, nameOf) {
  return termination === AGREEMENT ? DECLARED[AGREEMENT] : `${nameOf(payoffs.indexOf(-1))} ${DECLARED[termination]}`;
}
