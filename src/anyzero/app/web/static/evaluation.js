// Who stands better, while a game is played: a bar between two seats, or the points to expect. It can be switched off.

import { button, h, replace, worth } from "./dom.js";
import { forFirst, glance, meanValue } from "./review.js";
import { seatRole } from "./shapes.js";
import { seatName } from "./table.js";

const isOn = () => localStorage.getItem("evaluation") !== "off";

export function percent(share) {
  return `${Math.round(100 * share)} %`;
}

export class Evaluation {
  constructor(table) {
    this.table = table;
    this.node = h("div", { class: "evaluation" });
    this.values = new Map();
    this.asked = new Set();
  }

  // What is known of the position on the screen; a brief search is asked for where nothing is.
  update() {
    const { view } = this.table;
    if (!view.opposed && !view.best_score) return;
    const { ply } = this.table.shown;
    if (view.moves.length < this.length) this.forget();
    this.length = view.moves.length;
    if (isOn() && !this.values.has(ply) && !this.asked.has(ply) && !this.isClosed(ply)) this.search(ply);
    this.draw(ply);
  }

  // Moves were taken back: other positions may follow.
  forget() {
    this.values.clear();
    this.asked.clear();
  }

  // Whether somebody else thinks about the position already, or nobody can.
  isClosed(ply) {
    const { view } = this.table;
    if (ply === view.ply) return view.over || view.seat < 0 || view.thinking;
    return view.moves[ply].seat < 0;
  }

  async search(ply) {
    const { view } = this.table;
    this.asked.delete(this.pending); // a new search of this lane ends the old one
    this.asked.add((this.pending = ply));
    try {
      const result = await glance(view.table, ply, { lane: "bar" });
      this.values.set(ply, forFirst(this.table.view, ply, meanValue(result)));
    } catch {
      this.asked.delete(ply);
    }
    this.draw(this.table.shown.ply);
  }

  // The value of a position, or of the last one before it that has one.
  known(ply) {
    const { view } = this.table;
    if (ply === view.ply && view.over && view.payoffs) return view.payoffs[0];
    for (let earlier = ply; earlier >= 0; earlier -= 1) {
      if (this.values.has(earlier)) return this.values.get(earlier);
    }
    return null;
  }

  draw(ply) {
    const toggle = button(isOn() ? "Hide" : "Show evaluation", () => {
      localStorage.setItem("evaluation", isOn() ? "off" : "on");
      this.update();
    }, { class: "quiet small" });
    const value = isOn() ? this.known(ply) : null;
    replace(this.node, value === null ? h("span", { class: "muted" }, isOn() ? "Evaluation …" : "") : this.table.view.best_score ? this.words(value) : this.bar(value), toggle);
  }

  words(value) {
    return h("span", {}, "Expected: ", h("b", {}, `${worth(value, this.table.view.best_score)} points`));
  }

  bar(value) {
    const { view } = this.table;
    const share = (value + 1) / 2;
    const part = (seat, width) => {
      const node = h("i", {});
      node.style.width = `${100 * width}%`;
      node.style.background = `var(--role-${seatRole(view.scene, seat)})`;
      return node;
    };
    const label = `${seatName(view, 0)} ${percent(share)}, ${seatName(view, 1)} ${percent(1 - share)}`;
    return h("div", { class: "win-bar", role: "img", "aria-label": `Chance to win: ${label}`, title: label },
      h("b", {}, percent(share)), h("span", { class: "parts" }, part(0, share), part(1, 1 - share)), h("b", {}, percent(1 - share)));
  }
}
