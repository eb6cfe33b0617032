// One search, live: who searches, the board under its heat map, and every move in a table.

import { announce, button, count, grouped, h, number, plural, replace, worth } from "./dom.js";
import { Board } from "./board.js";
import { link } from "./link.js";
import { KINDS, searchOverlay } from "./overlay.js";
import { playerPicker } from "./players.js";
import { capital, preparing } from "./table.js";

const COLUMNS = [
  ["move", "Move", (child) => child.move],
  ["visits", "Visits", (child) => grouped(child.visits)],
  ["value", "Value", (child, best) => worth(child.value, best, 3)],
  ["prior", "Prior", (child) => `${number(100 * child.prior, 1)}%`],
  ["amaf_value", "AMAF", (child, best) => worth(child.amaf_value, best, 3)],
  ["proven", "Proven", (child) => child.proven || ""],
];

export class Lane {
  // `position()` is what is searched, as the parts of a message; `onMove` plays on the board.
  constructor(name, lists, { player, position, onMove, onResult = () => {} }) {
    this.name = name;
    this.position = position;
    this.onResult = onResult;
    this.kind = "visits";
    this.line = true;
    this.sort = "rank";
    this.running = false;
    this.result = null;
    this.board = new Board({ onMove, label: `Board ${name.toUpperCase()}` });
    this.picker = playerPicker(lists, { value: player, machines: true, searches: true, label: `Method ${name.toUpperCase()}` });
    this.toggle = button("Search", () => (this.running ? this.stop() : this.start()), { class: "main" });
    this.summary = h("div", { class: "summary" });
    this.rows = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Moves of method ${name.toUpperCase()}` });
    this.kinds = h("div", { class: "segments", role: "group", "aria-label": "What the board shows" });
    const lineBox = h("input", { type: "checkbox", checked: true, onchange: () => { this.line = lineBox.checked; this.draw(); } });
    this.node = h("div", { class: `lane lane-${name}` },
      h("div", { class: "seen" },
        h("div", { class: "row search" }, this.picker.node, this.toggle),
        this.board.node,
        h("div", { class: "row" }, this.kinds, h("label", { class: "row" }, lineBox, "Principal variation"))),
      h("div", { class: "card-box found" }, this.summary, this.rows));
    this.drawKinds();
    this.end = link.on("closed", () => this.setRunning(false));
  }

  drawKinds() {
    replace(this.kinds, [...Object.entries(KINDS).map(([kind, { title }]) => [kind, title]), [null, "Off"]].map(([kind, title]) =>
      button(title, () => {
        this.kind = kind;
        this.drawKinds();
        this.draw();
      }, { "aria-pressed": String(this.kind === kind) })));
  }

  show(view, open) {
    this.view = view;
    this.board.show(view, open);
    this.draw();
  }

  // The position has changed: what was found belongs to another one.
  forget() {
    const again = this.running;
    if (again) this.stop();
    this.result = null;
    this.draw();
    if (again && this.view.seat >= 0 && this.view.legal.length) this.start();
  }

  start() {
    this.setRunning(true);
    this.result = null;
    const turn = (this.turn = {});
    link.stream({ type: "analyse", lane: this.name, player: this.picker.value(), ...this.position() }, (answer) => {
      if (this.turn !== turn) return;
      if (answer.result) this.result = answer.result;
      this.preparing = answer.preparing;
      this.found = answer;
      if (answer.done) this.setRunning(false);
      this.draw();
      if (answer.done && this.result) announce(`Method ${this.name.toUpperCase()}: ${this.result.best_move}, value ${words(this.result, 2)}`);
      this.onResult(answer);
    }, (error) => {
      if (this.turn !== turn) return;
      this.setRunning(false);
      this.summary.textContent = error;
    });
    this.draw();
  }

  stop() {
    this.turn = null;
    if (this.running) link.say({ type: "stop", lane: this.name });
    this.setRunning(false);
  }

  setRunning(running) {
    this.running = running;
    this.toggle.textContent = running ? "Stop" : "Search";
    this.toggle.classList.toggle("main", !running);
  }

  draw() {
    const { result } = this;
    const fits = result && this.view;
    this.board.setOverlay(fits ? searchOverlay(result, this.view, this.kind, this.line) : null);
    if (!result) {
      this.summary.textContent = this.running ? `${this.preparing ? capital(preparing(this.view)) : "Searching"} …`
        : "“Search” lists what each move is worth, and shows on the board where the search looks.";
      replace(this.rows);
      return;
    }
    const rate = result.simulations / Math.max(result.seconds, 1e-9);
    replace(this.summary,
      h("p", { class: "best-line" }, h("b", {}, result.best_move), h("b", { class: "value" }, words(result, 3)),
        h("span", {}, result.proven ? `a proven ${result.proven}` : `then ${result.principal_variation.slice(1, 10).join(" ") || "the end"}`)),
      h("p", { class: "muted" }, `${plural(result.simulations, "simulation")} in ${number(result.seconds, 1)} s (${count(Math.round(rate))}/s), depth ${result.depth}`),
      this.preparing ? h("p", { class: "muted" }, `${capital(preparing(this.view))} …`) : null);
    replace(this.rows, this.table(result));
  }

  table(result) {
    const children = [...result.children];
    if (this.sort === "move") children.sort((one, other) => one.move.localeCompare(other.move, undefined, { numeric: true }));
    else if (this.sort !== "rank") children.sort((one, other) => rank(other[this.sort]) - rank(one[this.sort]));
    const columns = COLUMNS.filter(([key]) => key === "move" || children.some((child) => child[key] !== null && child[key] !== 0));
    return h("table", {},
      h("thead", {}, h("tr", {}, columns.map(([key, title]) => [key, key === "value" && result.best_score ? "Points" : title]).map(([key, title]) =>
        h("th", { scope: "col", "aria-sort": this.sort === key ? "descending" : undefined },
          button(title, () => { this.sort = this.sort === key ? "rank" : key; this.draw(); }))))),
      h("tbody", {}, children.slice(0, 60).map((child) =>
        h("tr", { class: child.action === result.best_action ? "best" : undefined },
          columns.map(([, , show]) => h("td", {}, show(child, result.best_score)))))));
  }

  leave() {
    this.stop();
    this.end();
  }
}

function words({ value, best_score: best }, digits) {
  return `${worth(value, best, digits)}${best ? " points" : ""}`;
}

function rank(value) {
  if (typeof value === "string") return { win: 3, draw: 2, loss: 1 }[value] || 0;
  return value === null ? -Infinity : value;
}
