// A table that this page has joined: what it looks like now, and what can be done with it.

import { announce, h, toast } from "./dom.js";
import { link } from "./link.js";
import { playerName } from "./players.js";
import { HUMAN, RULES, endWords } from "./words.js";

const LONGEST_S = 1e6; // that a record has room for, for one move
const HERE = location.href.split("#")[0];

export class Table {
  constructor(view, onChange) {
    this.view = view;
    this.onChange = onChange;
    this.looking = null;
    this.aim = view.ply; // the position asked for last, which may not be on the screen yet
    this.since = performance.now();
    this.ends = [
      link.on("table", (message) => this.hear(message)),
      link.on("open", () => this.rejoin()),
    ];
  }

  get id() {
    return this.view.table;
  }

  // The position on the screen: now, or an earlier one.
  get shown() {
    return this.looking || this.view;
  }

  get isOpen() {
    return !this.looking && !this.view.over && this.view.seats[this.view.seat] === HUMAN;
  }

  hear(message) {
    if (message.table !== this.id) return;
    const before = this.view;
    this.view = message;
    if (message.ply !== before.ply) {
      this.looking = null;
      this.aim = message.ply;
      this.since = performance.now();
      this.speak(before);
    }
    if (message.trouble && message.trouble !== before.trouble) toast(message.trouble);
    this.onChange();
  }

  // The last moves, for those who hear the page.
  speak(before) {
    const fresh = this.view.moves.slice(before.ply);
    const words = fresh.map((move) => (move.seat < 0 ? `drawn: ${move.move}` : `${seatName(this.view, move.seat)}: ${move.move}`));
    announce([...words, caption(this.view)].join(". "));
  }

  async rejoin() {
    try {
      this.hear(await link.ask({ type: "join", table: this.id }));
    } catch (error) {
      toast(error.message);
    }
  }

  async act(type, more = {}) {
    try {
      return await link.ask({ type, table: this.id, ...more });
    } catch (error) {
      toast(error.message);
      return null;
    }
  }

  move(move) {
    const seconds = Math.min((performance.now() - this.since) / 1000, LONGEST_S);
    const name = typeof move === "string" ? { move } : { action: move.action };
    return this.act("move", { ...name, ply: this.view.ply, seconds: Math.round(seconds * 1000) / 1000 });
  }

  // Look at an earlier position; the last one is the game itself.
  async look(ply) {
    const aim = (this.aim = Math.max(0, Math.min(this.view.ply, ply)));
    const found = aim === this.view.ply ? null : await this.act("look", { ply: aim });
    if (this.aim !== aim) return; // another was asked for meanwhile
    this.looking = aim === this.view.ply ? null : found || this.looking;
    this.aim = this.shown.ply;
    this.onChange();
  }

  step(by) { return this.look(this.aim + by); }

  leave() {
    this.ends.forEach((end) => end());
    link.say({ type: "leave", table: this.id });
  }
}

export async function joinTable(id, onChange) {
  return new Table(await link.ask({ type: "join", table: id }), onChange);
}

// Who sits there; people among themselves are called by their seats.
export function seatName(view, seat) {
  const machines = view.seats.filter((name) => name !== HUMAN).length;
  if (view.seats[seat] !== HUMAN) return playerName(view.seats[seat]);
  return machines === view.seats.length - 1 ? "You" : capital(view.seat_names[seat]);
}

export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const title = (view) => (view.scene && view.scene.title) || "the game";

export function preparing(view) {
  return `compiling ${title(view)} for this computer, once`;
}

// Of a move that was made before that was done.
export function quickMove(view) {
  return `A quick move: ${title(view)} is still being compiled for this computer.`;
}

// Whose turn it is, or how it ended.
export function caption(view) {
  const text = view.scene ? view.scene.caption : "";
  if (view.over && view.termination !== RULES) return endWords(view, (seat) => seatName(view, seat));
  if (text) return capital(text);
  if (view.over) return result(view);
  return `${seatName(view, view.seat)} to move`;
}

function result(view) {
  if (!view.over || !view.payoffs) return "";
  if (view.payoffs.length === 1) return view.scores ? `${view.scores[0]} points` : "The end";
  const best = Math.max(...view.payoffs);
  if (view.payoffs.every((payoff) => payoff === best)) return "A draw";
  const winners = view.seats.map((_, seat) => seatName(view, seat)).filter((_, seat) => view.payoffs[seat] === best);
  return `${winners.join(" and ")} won`;
}

// The result as a line below the caption, unless that says so already.
export function resultLine(view) {
  return view.over && result(view) !== caption(view).replace(" has won", " won") ? [h("small", {}, result(view))] : [];
}

// What begins the same game again, as it stood after so many plies.
export function gameSoFar(view, ply = view.ply) {
  const moves = view.moves.slice(0, ply).filter((move) => move.played).map((move) => move.move);
  return { game: view.game, position: view.start, moves };
}

export function shareLink(view, ply = view.ply) {
  const { game, position, moves } = gameSoFar(view, ply);
  const query = new URLSearchParams({ game, seats: view.seats.join(" ") });
  if (position) query.set("position", position);
  if (moves.length) query.set("moves", moves.join(" "));
  return `${HERE}#/play?${query}`;
}

export function positionLink(view, position) {
  return `${HERE}#/play?${new URLSearchParams({ game: view.game, seats: view.seats.join(" "), position })}`;
}
