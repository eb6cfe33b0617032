// What a search thinks, drawn over any board: a heat map of its moves, and the line that it expects.

import { count, number, s, worth } from "./dom.js";
import { points, seatRole } from "./shapes.js";

const MOST_ARROWS = 10;
const COLD = 0.015;
const UPON = { "white-piece": "black-piece", "black-piece": "white-piece" };

export const KINDS = {
  visits: { title: "Visits", value: (child) => child.visits, show: (child) => count(child.visits) },
  value: { title: "Value", value: (child) => child.value, show: (child, best) => worth(child.value, best) },
  prior: { title: "Prior", value: (child) => child.prior, show: (child) => `${number(100 * child.prior, 0)}%` },
  amaf: { title: "AMAF", value: (child) => child.amaf_value, show: (child, best) => worth(child.amaf_value, best) },
};

export function hintOverlay(cells) {
  return (board) => [
    ...cells.map((name) => s("polygon", { class: "hint-cell", points: points(board.outline(name)) })),
    ...(cells.length > 1 ? [arrow(board, cells, { class: "hint-arrow", width: 0.12 })] : []),
  ];
}

// `view` tells which cells an action names and whose turn it is; `kind` is one of KINDS, or null for the line alone.
export function searchOverlay(result, view, kind, showLine) {
  const { legal } = view;
  const cells = new Map(legal.map((move) => [move.action, move.cells]));
  const children = result.children.filter((child) => (cells.get(child.action) || []).length);
  const taken = new Set(showLine ? result.ghosts.map((line) => line[0]) : []);
  return (board) => [
    ...(kind ? heat(board, children, cells, KINDS[kind], taken, result.best_score) : []),
    ...(showLine ? ghosts(board, result.ghosts, view) : []),
  ];
}

// Shares from 0 to 1 among the moves that have a number.
function shares(children, kind) {
  const known = children.map((child) => kind.value(child)).filter((value) => value !== null);
  const most = Math.max(...known);
  const least = kind === KINDS.visits || kind === KINDS.prior ? 0 : Math.min(...known);
  return (child) => {
    const value = kind.value(child);
    if (value === null || most === least) return value === null ? null : 1;
    return (value - least) / (most - least);
  };
}

function heat(board, children, cells, kind, taken, best) {
  const share = shares(children, kind);
  const known = children.filter((child) => share(child) !== null);
  const single = known.filter((child) => cells.get(child.action).length === 1);
  const counts = kind === KINDS.visits || kind === KINDS.prior;
  const isTold = (child) => !taken.has(cells.get(child.action)[0]) && !(counts && share(child) <= COLD);
  const longer = known.filter((child) => cells.get(child.action).length > 1)
    .sort((one, other) => share(other) - share(one)).slice(0, MOST_ARROWS).reverse();
  return [
    ...single.flatMap((child) => warmCell(board, cells.get(child.action)[0], share(child), isTold(child) ? kind.show(child, best) : "")),
    ...longer.map((child) => warmArrow(board, cells.get(child.action), share(child), kind.show(child, best))),
  ];
}

// A cell as warm as its share, with a text beside what the game itself writes there.
export function warmCell(board, name, share, text) {
  const [x, y] = board.place(name);
  const labelled = board.isLabelled(name);
  return [
    s("polygon", { class: "warm-cell", points: points(board.outline(name)), "fill-opacity": (0.04 + 0.86 * share).toFixed(3) }),
    s("text", { class: board.pieces.has(name) ? "arrow-text" : "warm-text", x, y: y + (labelled ? 0.5 : 0.09), "font-size": labelled ? 0.3 : 0.25 }, text),
  ];
}

function warmArrow(board, cells, share, text) {
  const [x, y] = board.place(cells.at(-1));
  const strength = share ** 3;
  return s("g", {},
    s("g", { opacity: (0.2 + 0.75 * strength).toFixed(3) }, arrow(board, cells, { class: "warm-arrow", width: 0.05 + 0.13 * strength })),
    strength > 0.2 ? s("text", { x, y: y - 0.28, "font-size": 0.22, class: "arrow-text" }, text) : null);
}

export function arrow(board, cells, { class: name, width, head = Math.min(0.4, 0.14 + 1.6 * width) }) {
  const [x0, y0] = board.place(cells[0]);
  const [x1, y1] = board.place(cells.at(-1));
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
  const away = Math.min(0.3, length / 4);
  const [bx, by] = [x1 - ux * head, y1 - uy * head];
  const tip = [[x1, y1], [bx - uy * head * 0.55, by + ux * head * 0.55], [bx + uy * head * 0.55, by - ux * head * 0.55]];
  return s("g", { class: name },
    s("line", { x1: x0 + ux * away, y1: y0 + uy * away, x2: bx, y2: by, "stroke-width": width }),
    s("polygon", { points: points(tip) }));
}

// The expected line as numbered discs; moves between cells as arrows with their number in the middle.
function ghosts(board, line, { scene, seat, num_seats: numSeats = 2 }) {
  return line.flatMap((cells, index) => {
    if (!cells.length) return [];
    const ends = [cells[0], cells.at(-1)].map((name) => board.place(name));
    const x = cells.length > 1 ? ends[0][0] * 0.4 + ends[1][0] * 0.6 : ends[1][0];
    const y = cells.length > 1 ? ends[0][1] * 0.4 + ends[1][1] * 0.6 : ends[1][1];
    const fade = (1 - index / (line.length + 3)).toFixed(2);
    const role = seatRole(scene, (seat + index) % numSeats);
    const edge = UPON[role] || "page";
    return [s("g", { class: "ghost", opacity: fade },
      cells.length > 1 ? arrow(board, cells, { class: `f-${edge} s-${edge}`, width: 0.13, head: 0.26 }) : null,
      cells.length > 1 ? arrow(board, cells, { class: `f-${role} s-${role} thin`, width: 0.07, head: 0.26 }) : null,
      s("circle", { class: `f-${role} s-${edge}`, cx: x, cy: y, r: 0.21 }),
      s("text", { class: `f-${edge}`, x, y: y + 0.09, "font-size": 0.26 }, String(index + 1)))];
  });
}
