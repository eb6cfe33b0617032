// A game of an exported page: its rules in WebAssembly, its texts and pictures, and the memory of its searches.

import { load, prepare } from "./anyzero.js";
import { assemble, cellsOf, readFields } from "./picture.js";

export const CHANCE = -1;
export const OVER = -2;

export class Game {
  constructor(about, rules, base) {
    Object.assign(this, { about, rules, base, board: about.board, makers: new Map(), idle: new Map() });
  }

  static async open(about, site) {
    const base = new URL(`games/${about.name}/`, site);
    return new Game(about, await load("rules", base), base);
  }

  start() { return this.rules.initialState(); }
  seat(state) { return this.rules.seatToMove(state); }
  legal(state) { return this.seat(state) === OVER ? [] : this.rules.legalActions(state); }
  after(state, action) { return this.rules.play(state, action); }
  payoffs(state) { return this.rules.payoffs(state); }
  seed(seed, ply) { return this.rules.call("move_seed", { seed, ply }); }
  chance(state, seed, ply) { return this.rules.ask("draw_chance", state, { seed, ply }); }

  scores(state) {
    return this.about.scored ? this.about.seat_names.map((_, seat) => this.rules.ask("score", state, { seat })) : null;
  }

  // --- texts and pictures

  number(state, action) { return this.board ? this.rules.ask("move_number", state, { action }) : action; }

  text(state, action) {
    if (!this.board) return String(action);
    const texts = this.seat(state) === CHANCE ? this.board.outcomes : this.board.moves;
    return texts.length ? texts[this.seat(state) === CHANCE ? action : this.number(state, action)] : String(action);
  }

  find(state, move) {
    const wanted = move.trim().toLowerCase();
    const legal = this.legal(state);
    const action = legal.find((one) => this.text(state, one).toLowerCase() === wanted);
    if (action !== undefined) return action;
    const some = legal.slice(0, 12).map((one) => this.text(state, one)).join(", ");
    throw new Error(`${move} is not a legal move here${some ? `; legal: ${some}${legal.length > 12 ? ", …" : ""}` : ": the game is over"}`);
  }

  shown(state) {
    this.rules.array("shown").fill(0);
    this.rules.ask("draw", state);
    return readFields(this.rules.array("shown"), this.rules.plan.arrays.shown.kind);
  }

  cells(state, action) {
    if (!this.board || action < 0 || this.seat(state) < 0) return [];
    return cellsOf(this.board, this.shown(state), this.number(state, action));
  }

  // The last of some positions, with the actions between them, as `web/forms.py` tells it.
  position(states, actions) {
    const state = states.at(-1);
    const seat = this.seat(state);
    const shown = this.board && this.shown(state);
    const last = actions.findLastIndex((_, index) => this.seat(states[index]) !== CHANCE);
    return {
      seat,
      scene: this.board && assemble(this.board, shown),
      fields: this.board ? null : readFields(state, this.rules.plan.arrays.state.kind),
      position: null,
      scores: this.scores(state),
      last: last < 0 ? [] : this.cells(states[last], actions[last]),
      legal: this.legal(state).map((action) => ({
        action,
        move: this.text(state, action),
        cells: shown && seat >= 0 ? cellsOf(this.board, shown, this.number(state, action)) : [],
      })),
    };
  }

  // --- searches

  // A module with a memory of its own; `giveBack` makes it free for the next search.
  async borrow(family) {
    if (!this.makers.has(family)) this.makers.set(family, prepare(family, this.base));
    const free = this.idle.get(family) || [];
    this.idle.set(family, free);
    try {
      const make = await this.makers.get(family);
      const module = free.pop() || (await make());
      return { module, giveBack: () => free.push(module) };
    } catch (error) {
      this.makers.delete(family);
      throw error;
    }
  }
}
