// The moves of a game: a click shows the position after a move. In games of two the moves stand in pairs.

import { button, h, replace, worth } from "./dom.js";

// `table` has `view`, `shown`, `look(ply)` and `step(by)`; `marks` are signs behind moves, by ply.
export function moveList(table, marks = new Map()) {
  const list = h("ol", { class: "moves", "aria-label": "Moves" });
  const steps = [
    ["«", "First position", () => table.look(0)],
    ["‹", "One move back", () => table.step(-1)],
    ["›", "One move forward", () => table.step(1)],
    ["»", "Last position", () => table.look(table.view.ply)],
  ].map(([sign, label, act]) => button(sign, act, { class: "quiet", "aria-label": label, title: label }));
  const node = h("div", { class: "move-box" }, list, h("div", { class: "row steps" }, steps));

  function entry(move, index) {
    const best = table.view.best_score;
    const now = index + 1 === table.shown.ply;
    const sign = marks.get(index) || "";
    return button([move.text ?? move.move, sign ? h("b", { class: "mistake" }, sign) : null], () => table.look(index + 1), {
      class: `move seat${move.seat}${now ? " now" : ""}`,
      "aria-current": now ? "true" : undefined,
      title: move.value === null ? undefined : best ? `about ${worth(move.value, best)} points` : `value ${worth(move.value)} for its player`,
    });
  }

  function update() {
    const { moves } = table.view;
    const now = table.shown.ply;
    const rows = inRows(moves);
    list.classList.toggle("pairs", rows.some((row) => row.length > 1));
    replace(list, rows.map((row) => h("li", {}, row.map((index) => (index === null ? h("span", {}, "…") : entry(moves[index], index))))));
    if (!moves.length) replace(list, h("li", { class: "muted" }, "No moves yet"));
    const shown = list.querySelector(".now");
    if (shown) list.scrollTop = shown.offsetTop - list.clientHeight / 2;
    steps[0].disabled = steps[1].disabled = now === 0;
    steps[2].disabled = steps[3].disabled = now === table.view.ply;
  }

  return { node, update };
}

// Indices of moves, two a row where two seats take turns; null where the second seat began.
function inRows(moves) {
  if (moves.some((move) => move.seat < 0 || move.seat > 1) || !moves.some((move) => move.seat === 1)) return moves.map((_, index) => [index]);
  const rows = [];
  moves.forEach((move, index) => {
    const last = rows.at(-1);
    if (move.seat === 0) rows.push([index]);
    else if (last && last.length === 1) last.push(index);
    else rows.push([null, index]);
  });
  return rows;
}

// The number of a move in that list: "12.", or "12. …" for the second of a row.
export function moveNumber(moves, ply) {
  const rows = inRows(moves);
  const place = rows.findIndex((row) => row.includes(ply));
  return `${place + 1}.${rows[place].indexOf(ply) === 1 ? " …" : ""}`;
}
