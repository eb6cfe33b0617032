// A table of an exported page: moves made, taken back and made again, and the machines that sit there.
// `records/in_progress.py` and `web/room.py` are the same for a server.

import { CHANCE, OVER } from "./game.js";
import { search } from "./search.js";
import { AGREEMENT, HUMAN, RULES, UNFINISHED } from "./words.js";


export class Room {
  // `row` is what is kept of a table; `keep` writes it, `tell` shows it.
  constructor(game, row, { site, keep, tell }) {
    Object.assign(this, { game, row, site, keep, tell, line: [], trouble: "", turn: null });
    for (const ply of row.line) this.line.push(this.ply(ply.action, ply));
    this.num = Math.min(row.num_plies, this.line.length);
    this.draw();
  }

  ply(action, { seat = null, seconds = null, value = null, simulations = null, termination = UNFINISHED } = {}) {
    const state = this.line.at(-1)?.state ?? this.game.start();
    const played = action >= 0;
    const about = { action, seconds, value, simulations, termination, seat: seat ?? this.game.seat(state) };
    return { ...about, state: played ? this.game.after(state, action) : state, move: played ? this.game.text(state, action) : "" };
  }

  // --- what is on the table

  get states() { return [this.game.start(), ...this.line.slice(0, this.num).map((ply) => ply.state)]; }
  get actions() { return this.line.slice(0, this.num).map((ply) => ply.action); }
  get state() { return this.num ? this.line[this.num - 1].state : this.game.start(); }
  get declared() { return this.num && this.line[this.num - 1].action < 0 ? this.line[this.num - 1] : null; }
  get seat() { return this.declared ? OVER : this.game.seat(this.state); }
  get isOver() { return this.seat === OVER; }
  get lastDecision() { return this.line.slice(0, this.num).findLastIndex((ply) => ply.seat !== CHANCE); }
  get termination() { return this.declared ? this.declared.termination : this.isOver ? RULES : UNFINISHED; }

  get machine() {
    const { seat } = this;
    return seat < 0 || this.row.seats[seat] === HUMAN ? null : this.row.seats[seat];
  }

  get payoffs() {
    if (!this.isOver) return null;
    if (!this.declared) return this.game.payoffs(this.state).map((payoff) => payoff + 0);
    const { seats } = this.row;
    if (this.declared.termination === AGREEMENT) return seats.map(() => 0);
    return seats.map((_, seat) => (seat === this.declared.seat ? -1 : 1 / (seats.length - 1)));
  }

  values() {
    const { about } = this.game;
    const { id, seats, paused, pace } = this.row;
    const shown = this.game.position(this.states, this.actions);
    const moves = this.line.slice(0, this.num).map((ply) => ({
      seat: ply.seat, move: ply.move || ply.termination, text: ply.move || ply.termination, played: ply.action >= 0,
      value: ply.value, simulations: ply.simulations, seconds: ply.seconds,
    }));
    return {
      type: "table", table: id, game: about.name, num_seats: about.num_seats, opposed: about.opposed, best_score: about.best_score,
      seats, seat_names: about.seat_names, paused, pace, thinking: this.machine !== null && !paused, preparing: false, quick: false, trouble: this.trouble, ...shown,
      start: null, ply: this.num, plies: this.line.length, moves, can_undo: this.lastDecision >= 0, can_redo: this.num < this.line.length,
      seat: this.seat, over: this.isOver, termination: this.termination, payoffs: this.payoffs, legal: this.isOver ? [] : shown.legal,
    };
  }

  // The game as a file that anyzero reads everywhere.
  record() {
    const moves = this.line.slice(0, this.num).filter((ply) => ply.action >= 0);
    return {
      format: 1, ...this.game.about.record, players: this.row.players ?? this.row.seats, date: this.row.date, seed: this.row.seed, start: null,
      moves: moves.map((ply) => ply.move), clocks: moves.map((ply) => ply.seconds),
      evaluations: moves.map(({ value, simulations }) => (value === null ? null : { value, simulations })),
      result: { payoffs: this.payoffs, termination: this.termination }, tags: this.row.tags ?? {},
    };
  }

  // --- changes: done, kept, shown, and then the machines go on

  async change(work) {
    this.trouble = "";
    work();
    await this.save();
    const ply = this.num;
    this.drive();
    return ply;
  }

  async save() {
    const line = this.line.map(({ state, move, ...ply }) => ply);
    const num_moves = this.actions.filter((action) => action >= 0).length;
    Object.assign(this.row, { line, num_plies: this.num, num_moves, termination: this.termination, changed: Date.now() / 1000 });
    await this.keep(this.row);
  }

  // In place of what was taken back.
  push(action, about) {
    this.line.length = this.num;
    this.line.push(this.ply(action, about));
    this.num += 1;
  }

  play(action, about) {
    if (this.isOver) throw new Error("the game is over");
    if (!this.game.legal(this.state).includes(action)) throw new Error(`${action} is not a legal action here`);
    this.push(action, about);
    this.draw();
  }

  // What chance does until a seat is to move.
  draw() {
    while (this.seat === CHANCE) this.push(this.game.chance(this.state, this.row.seed, this.num));
  }

  move({ move, action, ply, seconds = null }) {
    if (ply !== undefined && ply !== this.num) throw new Error("the game has moved on; look again");
    this.checkTurn();
    this.play(move === undefined ? action : this.game.find(this.state, move), { seconds });
  }

  checkTurn() { if (this.machine !== null) throw new Error(`it is ${this.machine}'s turn`); }

  resign() {
    if (this.isOver) throw new Error("it cannot be ended, the game is over");
    this.checkTurn();
    this.push(-1, { seat: this.seat, termination: "resign" });
  }

  // A person who stays keeps the name that a file gave.
  sit(seats) {
    const { players = this.row.seats } = this.row;
    this.row.players = seats.map((name, seat) => (name === this.row.seats[seat] ? players[seat] : name));
    this.row.seats = seats;
  }

  // Back to the last decision of a person; machines among themselves go back one move and wait.
  undo() { this.step(() => this.lastDecision, () => this.lastDecision >= 0, "there is no move to take back"); }

  redo() {
    this.step(() => {
      const next = this.line.findIndex((ply, index) => index > this.num && ply.seat !== CHANCE);
      return next < 0 ? this.line.length : next;
    }, () => this.num < this.line.length, "there is no move to redo");
  }

  step(next, can, refusal) {
    if (!can()) throw new Error(refusal);
    const people = this.row.seats.includes(HUMAN);
    do this.num = next(); while (people && this.machine !== null && can());
    this.row.paused = !people;
  }

  // --- machines

  stop() { this.turn = null; }

  // Lets the machines move; one that thinks about an older position is left alone, and nobody hears of it.
  async drive() {
    const turn = (this.turn = {});
    while (this.turn === turn && this.machine !== null && !this.row.paused) {
      const start = performance.now();
      try {
        const seed = this.game.seed(this.row.seed, this.num);
        const { action, result } = await search(this.game, this.state, this.machine, { seed, site: this.site, isStopped: () => this.turn !== turn });
        const seconds = (performance.now() - start) / 1000;
        if (this.row.pace > seconds) await new Promise((resolve) => setTimeout(resolve, 1000 * (this.row.pace - seconds)));
        if (this.turn !== turn) return;
        const thought = result && { value: Math.max(-1, Math.min(1, result.value)), simulations: result.simulations };
        this.play(action, { seconds: Math.round(1000 * seconds) / 1000, ...thought });
      } catch (error) {
        if (this.turn !== turn) return;
        this.trouble = error.message;
        this.row.paused = true;
      }
      await this.save();
      this.tell(this.values());
    }
  }
}
