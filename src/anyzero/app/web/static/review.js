// What a game was worth from move to move: the curve, and the moves that cost the most.

import { lineChart } from "./chart.js";
import { inPoints } from "./dom.js";
import { link } from "./link.js";
import { OPPONENT } from "./words.js";

const GLANCE = OPPONENT;
const REVIEWER = "level:hard";
const MARKS = [[0.3, "??"], [0.15, "?"]];
const LEAST_LOSS = 0.1;
const MOST_SHOWN = 3;

// What the position is worth: the mean over all simulations, which a few lucky ones hardly change.
export function meanValue(result) {
  const known = result.children.filter((child) => child.visits > 0 && child.value !== null);
  const visits = known.reduce((sum, child) => sum + child.visits, 0);
  if (result.proven || !visits) return result.value;
  return known.reduce((sum, child) => sum + child.visits * child.value, 0) / visits;
}

// A value of the seat to move after some plies, as one of the first seat; as it is where there are not two.
export function forFirst(view, ply, value) {
  const move = view.moves[ply];
  const seat = ply === view.ply ? view.seat : move ? move.seat : 0;
  return view.opposed && seat === 1 ? -value : value;
}

// What the players of a game told of its value, by ply, for the first seat.
export function toldValues(view) {
  return new Map(view.moves.flatMap((move, ply) => (move.value === null ? [] : [[ply, forFirst(view, ply, move.value)]])));
}

export function valueTitle(view) {
  return view.num_seats > 1 ? "Value for the first player" : view.best_score ? "Points" : "Value";
}

// The curve of such values, in points where the game counts them.
export function valueChart(view, values, properties) {
  const best = view.best_score;
  const points = [...values].filter(([ply, value]) => value !== null && ply <= view.ply).sort(([one], [other]) => one - other);
  return lineChart([{ name: "move", points: points.map(([ply, value]) => [ply, best ? inPoints(value, best) : value]) }],
    { range: best ? [0, best] : [-1, 1], label: `${valueTitle(view)} over the game`, ...properties });
}

// One brief search of a position of a table; resolves to its result, or to null.
export function glance(table, ply, { lane, player = GLANCE }) {
  return new Promise((resolve, reject) => link.stream({ type: "analyse", lane, player, table, ply }, (answer) => {
    if (answer.done) resolve(answer.result);
  }, (error) => reject(new Error(error))));
}

// Searches every position of a game briefly, from the first to the last; `tell` hears of each.
export async function sweep(table, tell) {
  for (let ply = 0; ply <= table.view.ply; ply += 1) {
    const played = table.view.moves[ply];
    if (played ? played.seat < 0 || !played.played : table.view.over) continue;
    tell(ply, await glance(table.id, ply, { lane: "sweep", player: REVIEWER }));
  }
}

// The share of a win that each move gave away, from what was found before and after it; `results` by ply.
export function losses(view, results) {
  const worth = (ply) => {
    if (ply === view.ply && view.over && view.payoffs) return view.payoffs[0];
    return results.has(ply) ? forFirst(view, ply, results.get(ply).value) : null;
  };
  return view.moves.flatMap((move, ply) => {
    const found = results.get(ply);
    if (!found || !move.played || found.best_move === move.move) return [];
    const loss = view.opposed ? swing(worth(ply), worth(ply + 1), move.seat) : gap(found, move.move);
    return loss > 0 ? [{ ply, move, loss, best: found.best_move, ghosts: found.ghosts[0] || [] }] : [];
  });
}

function swing(before, after, seat) {
  return before === null || after === null ? 0 : ((before - after) * (seat === 0 ? 1 : -1)) / 2;
}

// Where nobody answers, what the same search thought of the move and of the best one.
function gap(found, move) {
  const played = found.children.find((child) => child.move === move);
  return played && played.value !== null && played.visits > 0 ? (found.value - played.value) / 2 : 0;
}

// The worst moves first.
export function mistakes(found) {
  return found.filter((one) => one.loss >= LEAST_LOSS).sort((one, other) => other.loss - one.loss).slice(0, MOST_SHOWN);
}

export function mark(loss) {
  return (MARKS.find(([least]) => loss >= least) || [0, ""])[1];
}
