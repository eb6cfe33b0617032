// The board: drawn from a scene alone, played by click, drag or keyboard.

import { ask, button, calm, h, replace, s } from "./dom.js";
import { box, centre, draw, points } from "./shapes.js";

const DRAG_PIXELS = 6;
const FEW = 24;
const FINGER_PIXELS = 27;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Board {
  // `onMove(move)` gets one of the view's legal moves.
  constructor({ onMove = null, label = "Board" } = {}) {
    this.onMove = onMove;
    this.sign = 1;
    this.picked = [];
    this.view = null;
    this.overlay = null;
    this.focused = null;
    this.svg = s("svg", { class: "board-svg", role: "group", "aria-label": label });
    this.choices = h("div", { class: "choices" });
    this.zoom = button("Zoom in", () => this.toggleZoom(), { class: "zoom", hidden: true });
    this.node = h("div", { class: "board" }, this.svg, this.choices, this.zoom);
    new ResizeObserver(() => this.offerZoom()).observe(this.node);
    this.svg.addEventListener("keydown", (event) => this.press(event));
    this.svg.addEventListener("pointerdown", (event) => this.lift(event));
  }

  // What is shown: {scene, legal, last}; `open` says whether moves can be made.
  show(view, open) {
    const before = this.view;
    this.view = view;
    this.open = Boolean(open && this.onMove && view.legal.length);
    this.picked = [];
    this.node.dataset.ply = view.ply;
    this.render(before);
  }

  flip() {
    this.sign = -this.sign;
    this.render(this.view);
  }

  // Cells too small for a finger can be enlarged; the board is then moved about in its frame.
  offerZoom() {
    if (!this.view || !this.view.scene || this.node.classList.contains("zoomed")) return;
    const [, , width, height] = this.view.scene.box;
    this.zoom.hidden = Math.min(this.svg.clientWidth / width, this.svg.clientHeight / height) >= FINGER_PIXELS;
  }

  toggleZoom() {
    const zoomed = this.node.classList.toggle("zoomed");
    this.zoom.textContent = zoomed ? "Zoom out" : "Zoom in";
    this.node.scrollLeft = (this.node.scrollWidth - this.node.clientWidth) / 2;
    this.node.scrollTop = (this.node.scrollHeight - this.node.clientHeight) / 2;
  }

  // A function from the board to SVG nodes: those of the class warm-cell lie under the pieces, all others over everything.
  setOverlay(overlay) {
    this.overlay = overlay;
    if (this.layers) this.drawOverlay();
  }

  place(name) {
    const [x, y] = centre(this.cells.get(name));
    return [this.sign * x, this.sign * y];
  }

  outline(name) {
    return this.cells.get(name).outline.map(([x, y]) => [this.sign * x, this.sign * y]);
  }

  // --- drawing

  render(before) {
    const { scene } = this.view;
    if (!scene) {
      this.renderWords();
      return;
    }
    this.cells = new Map(scene.cells.map((cell) => [cell.name, cell]));
    this.pieces = new Map(scene.pieces.map((piece) => [piece.cell, piece]));
    this.svg.setAttribute("viewBox", box(scene, this.sign).join(" "));
    this.svg.style.setProperty("--units", scene.box[2]);
    const layer = (name, ...children) => s("g", { class: name }, ...children);
    this.layers = {
      under: layer("under", scene.under.map((shape) => draw(shape, this.sign))),
      cells: layer("cells", scene.cells.map((cell) => this.drawCell(cell))),
      last: layer("last"),
      heat: layer("heat"),
      pieces: layer("pieces", scene.pieces.map((piece) => this.drawPiece(piece))),
      over: layer("over", scene.over.map((shape) => draw(shape, this.sign))),
      marks: layer("marks"),
      overlay: layer("overlay"),
      hits: layer("hits", scene.cells.map((cell) => this.drawHit(cell))),
    };
    const hadFocus = this.svg.contains(document.activeElement);
    replace(this.svg, Object.values(this.layers));
    if (this.node.firstChild !== this.svg) replace(this.node, this.svg, this.choices, this.zoom);
    replace(this.choices, this.buttons(this.view.legal.filter((move) => !move.cells.length)));
    this.drawMarks();
    this.drawOverlay();
    this.setFocus(this.focused && this.cells.has(this.focused) ? this.focused : scene.cells[0].name, hadFocus);
    if (before && before.scene && before !== this.view) this.animate(before);
  }

  // A game without a picture: what its state holds, and its moves as buttons.
  renderWords() {
    const show = (value) => (Array.isArray(value) ? value.map((one) => (Array.isArray(one) ? one.join(" ") : one)).join(Array.isArray(value[0]) ? "\n" : " ") : String(value));
    replace(this.node, h("div", { class: "words" },
      h("dl", { class: "state-fields" }, Object.entries(this.view.fields).flatMap(([name, value]) => [h("dt", {}, name.replaceAll("_", " ")), h("dd", {}, show(value))])),
      h("div", { class: "choices" }, this.buttons(this.view.legal))));
  }

  // Moves that no click on a cell can make.
  buttons(moves) {
    return this.open ? moves.map((move) => button(move.move, () => this.onMove(move))) : [];
  }

  drawCell(cell) {
    return draw({ kind: "polygon", points: cell.outline, fill: cell.fill, line: cell.line, width: 0.025 }, this.sign);
  }

  drawPiece(piece) {
    const [x, y] = this.place(piece.cell);
    const inner = s("g", {}, piece.shapes.map((shape) => draw(shape)));
    return s("g", { transform: `translate(${x} ${y})`, "data-piece": piece.cell }, inner);
  }

  drawHit(cell) {
    return s("polygon", {
      points: points(this.outline(cell.name)),
      class: "hit",
      "data-cell": cell.name,
      role: "button",
      tabindex: "-1",
      "aria-label": this.words(cell.name),
    });
  }

  words(name) {
    const piece = this.pieces.get(name);
    const parts = [name, piece ? piece.name : "empty"];
    if (this.view.last.includes(name)) parts.push("last move");
    if (this.picked.includes(name)) parts.push("chosen");
    else if (this.open && this.next().has(name)) parts.push(this.picked.length ? "possible" : "playable");
    return parts.join(", ");
  }

  drawMarks() {
    const { last, marks, hits } = this.layers;
    replace(last,
      this.view.last.map((name) => s("polygon", { class: "last-cell", points: points(this.outline(name)) })),
      this.picked.map((name) => s("polygon", { class: "picked", points: points(this.outline(name)) })));
    const next = this.open ? this.next() : new Set();
    const few = this.picked.length > 0 || (next.size <= FEW && !this.longer());
    replace(marks, few ? [...next].map((name) => this.target(name)) : []);
    for (const hit of hits.children) {
      const name = hit.dataset.cell;
      hit.classList.toggle("can", next.has(this.meant(name, next)));
      hit.setAttribute("aria-label", this.words(name));
      const drags = this.open && this.longer() && next.has(name);
      hit.classList.toggle("drags", drags);
    }
  }

  target(name) {
    const [cx, cy] = this.place(name);
    if (this.pieces.has(name)) return s("polygon", { class: "target-ring", points: points(this.outline(name)) });
    if (this.isLabelled(name)) return s("circle", { class: "target", cx, cy: cy + 0.42, r: 0.08 });
    return s("circle", { class: "target", cx, cy, r: 0.13 });
  }

  // Whether the game writes something into the middle of a cell.
  isLabelled(name) {
    const [x, y] = this.place(name);
    return this.view.scene.over.some((one) => one.kind === "label" && Math.hypot(this.sign * one.x - x, this.sign * one.y - y) < 0.3);
  }

  drawOverlay() {
    this.svg.classList.toggle("covered", Boolean(this.overlay));
    const nodes = this.overlay && this.view.scene ? this.overlay(this) : [];
    const isUnder = (node) => node.classList.contains("warm-cell");
    replace(this.layers.heat, nodes.filter(isUnder));
    replace(this.layers.overlay, nodes.filter((node) => !isUnder(node)));
  }

  animate(before) {
    if (calm()) return;
    const old = new Map(before.scene.pieces.map((piece) => [piece.cell, piece.name]));
    const [from, to] = [this.view.last[0], this.view.last.at(-1)];
    for (const group of this.layers.pieces.children) {
      const name = group.dataset.piece;
      const piece = this.pieces.get(name);
      if (old.get(name) === piece.name) continue;
      if (name === to && from !== to && old.get(from) === piece.name && this.cells.has(from)) {
        const [x0, y0] = this.place(from);
        const [x1, y1] = this.place(to);
        group.firstChild.animate([{ transform: `translate(${x0 - x1}px, ${y0 - y1}px)` }, { transform: "none" }],
          { duration: 180, easing: "ease-out" });
      } else {
        group.firstChild.animate([{ transform: "scale(0.6)", opacity: 0 }, { transform: "none", opacity: 1 }],
          { duration: 140, easing: "ease-out" });
      }
    }
  }

  // --- choosing a move

  candidates(cells = this.picked) {
    return this.view.legal.filter((move) => cells.every((name, index) => move.cells[index] === name));
  }

  // The cells that a click may name next.
  next() {
    const depth = this.picked.length;
    return new Set(this.candidates().map((move) => move.cells[depth]).filter((name) => name !== undefined));
  }

  longer() {
    return this.view.legal.some((move) => move.cells.length > this.picked.length + 1);
  }

  // A cell may stand for another one, as any of a column does for the one that a stone falls to.
  meant(name, next = this.next()) {
    return next.has(name) ? name : this.view.scene.aliases[name] ?? name;
  }

  async pick(clicked) {
    if (!this.open) return;
    const name = this.meant(clicked);
    let cells = [...this.picked, name];
    if (!this.candidates(cells).length) cells = this.picked.at(-1) === name ? [] : [name];
    const found = cells.length ? this.candidates(cells) : [];
    const whole = found.filter((move) => move.cells.length === cells.length);
    this.picked = found.length ? cells : [];
    this.drawMarks();
    if (!whole.length || whole.length < found.length) return;
    const move = whole.length === 1 ? whole[0] : await this.choose(whole);
    this.picked = [];
    this.drawMarks();
    if (move) this.onMove(move);
  }

  choose(moves) {
    return ask("Which move?", (close) => h("div", { class: "choices" },
      moves.map((move, index) => button(move.move, () => close(move), { "data-first": index === 0 }))));
  }

  // --- pointer

  lift(event) {
    const name = event.target.dataset && event.target.dataset.cell;
    if (!name || event.button > 0) return;
    event.preventDefault();
    this.setFocus(name, true);
    const drag = this.open && this.next().has(name) && this.longer() && !this.picked.length;
    const start = [event.clientX, event.clientY];
    let moved = false;
    const group = [...this.layers.pieces.children].find((one) => one.dataset.piece === name);
    const follow = (now) => {
      const [dx, dy] = [now.clientX - start[0], now.clientY - start[1]];
      if (!moved && Math.hypot(dx, dy) < DRAG_PIXELS) return;
      if (!moved) {
        moved = true;
        this.picked = [name];
        this.drawMarks();
        if (group) group.classList.add("lifted");
      }
      const unit = this.svg.getScreenCTM().a;
      if (group) group.firstChild.setAttribute("transform", `translate(${dx / unit} ${dy / unit})`);
    };
    const drop = (now) => {
      removeEventListener("pointermove", follow);
      removeEventListener("pointerup", drop);
      removeEventListener("pointercancel", drop);
      if (group) {
        group.firstChild.removeAttribute("transform");
        group.classList.remove("lifted");
      }
      const under = document.elementFromPoint(now.clientX, now.clientY);
      const target = under && under.dataset ? under.dataset.cell : null;
      if (!moved) {
        if (target === name) this.pick(name);
      } else if (target && target !== name && this.next().has(target)) this.pick(target);
      else {
        this.picked = [];
        this.drawMarks();
      }
    };
    if (drag) addEventListener("pointermove", follow);
    addEventListener("pointerup", drop);
    addEventListener("pointercancel", drop);
  }

  // --- keyboard

  setFocus(name, take) {
    this.focused = name;
    for (const hit of this.layers.hits.children) {
      const mine = hit.dataset.cell === name;
      hit.setAttribute("tabindex", mine ? "0" : "-1");
      if (mine && take) hit.focus({ preventScroll: true });
    }
  }

  takeFocus() {
    if (this.cells) this.setFocus(this.focused, true);
  }

  // To the next cell that can be chosen, round the board.
  stepFocus(step) {
    const names = [...this.cells.keys()];
    const next = this.open ? this.next() : new Set();
    const here = names.indexOf(this.focused);
    const found = names.map((_, index) => names[(here + step * (index + 1) + names.length * 2) % names.length]).find((name) => next.has(name));
    if (found) this.setFocus(found, true);
  }

  press(event) {
    const name = event.target.dataset && event.target.dataset.cell;
    if (!name) return;
    if (event.key === "Enter" || event.key === " ") this.pick(name);
    else if (event.key === "Escape" && this.picked.length) {
      this.picked = [];
      this.drawMarks();
    } else if (event.key === "n" || event.key === "p") this.stepFocus(event.key === "n" ? 1 : -1);
    else if (ARROWS[event.key]) this.setFocus(this.neighbour(name, ARROWS[event.key]), true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // The nearest cell in a direction, no further aside than along it.
  neighbour(name, [dx, dy]) {
    const [x, y] = this.place(name);
    let best = name;
    let least = Infinity;
    for (const other of this.cells.keys()) {
      const [ox, oy] = this.place(other);
      const along = (ox - x) * dx + (oy - y) * dy;
      const aside = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
      const cost = along + 0.9 * aside;
      if (along > 0.2 && aside <= 1.2 * along && cost < least) [best, least] = [other, cost];
    }
    return best;
  }
}
