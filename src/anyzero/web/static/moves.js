// The list of moves, with the way through it.

import { button, h, replace } from "./dom.js";

// `table` is a Table or anything with `view`, `shown` and `look(ply)`.
export function moveList(table) {
  const list = h("ol", { class: "moves", "aria-label": "Moves" });
  const steps = [
    ["«", "First position", () => table.look(0)],
    ["‹", "One move back", () => table.look(table.shown.ply - 1)],
    ["›", "One move forward", () => table.look(Math.min(table.view.ply, table.shown.ply + 1))],
    ["»", "Last position", () => table.look(table.view.ply)],
  ].map(([sign, label, act]) => button(sign, act, { class: "quiet", "aria-label": label, title: label }));
  const node = h("div", { class: "move-box" }, list, h("div", { class: "row steps" }, steps));

  function update() {
    const { moves } = table.view;
    const now = table.shown.ply;
    replace(list, moves.map((move, index) => h("li", {},
      button(move.move, () => table.look(index + 1), {
        class: `move seat${move.seat}${index + 1 === now ? " now" : ""}`,
        "aria-current": index + 1 === now ? "true" : undefined,
        title: move.value === null ? undefined : `value ${move.value.toFixed(2)} for its player`,
      }))));
    if (!moves.length) replace(list, h("li", { class: "muted" }, "No moves yet"));
    const shown = list.querySelector(".now");
    if (shown) list.scrollTop = shown.offsetTop - list.clientHeight / 2;
    steps[0].disabled = steps[1].disabled = now === 0;
    steps[2].disabled = steps[3].disabled = now === table.view.ply;
  }

  return { node, update };
}
