// Play: choose a game, sit down, and move by mouse, finger, keyboard or text.

import { announce, ask, button, h, replace, toast, worth } from "./dom.js";
import { Board } from "./board.js";
import { Evaluation, percent } from "./evaluation.js";
import { catalog, get, isExported, link } from "./link.js";
import { moveList, moveNumber } from "./moves.js";
import { askFile, askNewGame, askSeats, defaultSeats, gameCards, splitGame, tableRow } from "./newgame.js";
import { losses, mark, mistakes, sweep } from "./review.js";
import { showRules } from "./rules.js";
import { seatRole } from "./shapes.js";
import { capital, caption, gameSoFar, joinTable, positionLink, preparing, quickMove, resultLine, seatName, shareLink } from "./table.js";
import { hintOverlay } from "./overlay.js";
import { HUMAN, UNFINISHED } from "./words.js";

export async function render(section, { rest, query }) {
  if (rest[0]) return renderTable(section, rest[0]);
  if (query.get("game")) return openShared(query);
  return renderStart(section);
}

export async function begin(message, page = "play") {
  const view = await link.ask(message);
  location.hash = `#/${page}/${view.table}`;
}

async function tryBegin(message, page) {
  try {
    await begin(message, page);
  } catch (error) {
    toast(error.message);
  }
}

async function openShared(query) {
  const lists = await catalog();
  const game = query.get("game");
  const known = lists.games.find((one) => one.name === splitGame(game).name);
  const seats = query.get("seats") ? query.get("seats").split(" ") : known ? defaultSeats(known) : [HUMAN, HUMAN];
  const message = { type: "new", game, seats, moves: (query.get("moves") || "").split(" ").filter(Boolean) };
  if (query.get("seed")) message.seed = Number(query.get("seed"));
  if (query.get("position")) message.position = query.get("position");
  const view = await link.ask(message);
  history.replaceState(null, "", `#/play/${view.table}`);
  dispatchEvent(new Event("hashchange"));
}

// --- the start

async function renderStart(section) {
  const [lists, { tables: all }] = await Promise.all([catalog(), get("/api/tables")]);
  const tables = all.filter((table) => table.seats.includes(HUMAN)); // the others are for watching
  replace(section,
    h("div", { class: "page-head" }, h("h1", {}, "Choose a game"),
      h("div", { class: "row" },
        button("Options …", async () => {
          const message = await askNewGame(lists);
          if (message) tryBegin(message);
        }, { class: "main" }),
        button("Load a file", loadFile))),
    gameCards(lists, (game) => (game.num_seats === 1 ? "one player" : "against the computer"),
      (game) => tryBegin({ type: "new", game: game.name, seats: defaultSeats(game) })),
    tableList(lists, "Continue a game", tables.filter((table) => table.termination === UNFINISHED)),
    tableList(lists, "Finished games", tables.filter((table) => table.termination !== UNFINISHED)));
}

function tableList(lists, title, tables) {
  if (!tables.length) return null;
  const rows = h("ul", { class: "games" }, tables.slice(0, 12).map((table) =>
    tableRow(lists, table, (...words) => h("a", { href: `#/play/${table.id}` }, words))));
  return title.startsWith("Continue") ? [h("h2", {}, title), rows] : h("details", { class: "past" }, h("summary", {}, title), rows);
}

export async function loadFile() {
  const file = await askFile();
  if (file) tryBegin({ type: "load", ...file });
}

// --- the table

async function renderTable(section, id) {
  const board = new Board({ onMove: (move) => table.move(move) });
  const [table, lists] = await Promise.all([joinTable(id, () => update()), catalog()]);
  const panel = makePanel(table, board, lists);
  replace(section, h("div", { class: "table" }, board.node, panel.node));
  const keys = (event) => pressKey(event, table, { board, hint: panel.hint });
  addEventListener("keydown", keys);
  let shownPly = -1;

  function update() {
    const view = table.shown;
    if (shownPly !== view.ply) board.setOverlay(null);
    shownPly = view.ply;
    board.show(view, table.isOpen);
    panel.update();
    document.title = `${caption(table.view)} · anyzero`;
  }

  update();
  announce(caption(table.view));
  return () => {
    removeEventListener("keydown", keys);
    table.leave();
    document.title = "anyzero";
  };
}

function pressKey(event, table, { board, hint }) {
  if (event.target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "u" && table.view.can_undo) table.act("undo");
  else if (event.key === "r" && table.view.can_redo) table.act("redo");
  else if (event.key === "h" && table.isOpen) hint();
  else if (event.key === "f") board.flip();
  else if (event.key === "b") board.takeFocus();
  else if (event.key === "[") table.step(-1);
  else if (event.key === "]") table.step(1);
}

// In the colour of the seat's pieces.
function disc(view, seat) {
  const node = h("i", { class: "disc" });
  node.style.background = `var(--role-${view.num_seats > 1 ? seatRole(view.scene, seat) : "accent"})`;
  return node;
}

export function seatCards(view) {
  return view.seats.map((name, seat) => {
    const turn = !view.over && view.seat === seat;
    const won = view.over && view.payoffs && view.payoffs.length > 1 && view.payoffs[seat] === Math.max(...view.payoffs) && new Set(view.payoffs).size > 1;
    return h("div", { class: `seat-card${turn ? " turn" : ""}${won ? " won" : ""}` },
      disc(view, seat),
      h("span", { class: "seat-name" }, seatName(view, seat), view.seats.length > 1 && seatName(view, seat) !== capital(view.seat_names[seat])
        ? h("small", { class: "muted" }, ` ${view.seat_names[seat]}`) : null),
      turn && view.thinking ? h("span", { class: `thinking${view.preparing ? " preparing" : ""}`, role: "status" }, view.preparing ? preparing(view) : "thinking") : null,
      won ? h("span", { class: "badge" }, "won") : null,
      view.scores ? h("b", { class: "score" }, String(view.scores[seat])) : null);
  });
}

function makePanel(table, board, lists) {
  const evaluation = new Evaluation(table);
  const marks = new Map();
  const after = afterGame(table, board, marks, () => update());
  const playOn = button("Play on from here", () => copyTo(table, "play", table.view.seats), { class: "main" });
  const seats = h("div", { class: "seats" });
  const status = h("h1", { class: "status" });
  const words = h("p", { class: "hint-words", role: "status" });
  const list = moveList(table, marks);
  const undo = button("Undo", () => table.act("undo"));
  const redo = button("Redo", () => table.act("redo"));
  const askForHint = () => askHint(table, board, words);
  const hint = button("Hint", askForHint);
  const resign = button("Resign", () => table.act("resign"));
  const goOn = button("Resume", () => table.act("pace", { paused: false, pace: table.view.pace }), { class: "main" });
  const input = h("input", { type: "text", "aria-label": "Type a move", placeholder: "Type a move", autocomplete: "off", spellcheck: "false" });
  const form = h("form", { class: "row type-move" }, input, h("button", { type: "submit" }, "Play"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (input.value.trim() && (await table.move(input.value.trim()))) input.value = "";
  });
  const node = h("aside", { class: "panel", "aria-label": "Game" }, status, seats, evaluation.node, after.node, words,
    h("div", { class: "row tools" }, undo, redo, hint, button("Flip", () => board.flip()),
      button("Rules", () => showRules(lists, table.view.game)), goOn, playOn),
    form, list.node, menu(table, lists, resign), keyHelp());

  function update() {
    const { view } = table;
    replace(seats, seatCards(view));
    status.textContent = table.looking ? `Move ${table.looking.ply} of ${view.ply}` : caption(view);
    if (!table.looking) status.append(...resultLine(view));
    undo.disabled = !view.can_undo;
    redo.disabled = !view.can_redo;
    hint.disabled = !table.isOpen;
    resign.disabled = view.over || view.num_seats < 2 || view.seats[view.seat] !== HUMAN;
    goOn.hidden = !view.paused || view.over;
    form.hidden = !table.isOpen;
    playOn.hidden = !table.looking;
    words.textContent = view.trouble || (view.quick && !view.over ? quickMove(view) : "");
    evaluation.update();
    after.update();
    list.update();
  }

  return { node, update, hint: askForHint };
}

const KEYS = [
  ["← ↑ → ↓", "move between cells"], ["Enter", "select a cell"], ["Esc", "clear the selection"], ["N  P", "next or previous playable cell"], ["B", "go to the board"],
  ["U  R", "undo, redo"], ["H", "hint"], ["F", "flip"], ["[  ]", "one move back or forward"],
];

function keyHelp() {
  return h("details", { class: "keys" }, h("summary", {}, "Keyboard"), h("dl", {}, KEYS.map(([key, meaning]) => [
    h("dt", {}, key.split("  ").map((one) => h("kbd", {}, one))), h("dd", {}, meaning)]).flat()));
}

function menu(table, lists, resign) {
  const { name } = splitGame(table.view.game);
  const forms = lists.games.find((one) => one.name === name)?.records || ["json"];
  const path = (form) => `/api/tables/${table.id}/record.${form}`;
  const save = (form) => h("a", { class: "button", href: path(form), download: "" }, `Save .${form}`);
  const saveHere = async () => {
    const file = new Blob([JSON.stringify(await get(path("json")))], { type: "application/json" });
    h("a", { href: URL.createObjectURL(file), download: `${name}.json` }).click();
  };
  return h("div", { class: "row menu" },
    button("New", async () => {
      const message = await askNewGame(await catalog(), { game: table.view.game, seats: table.view.seats });
      if (message) tryBegin(message);
    }, { class: "main" }),
    button("Analyse", () => copyTo(table, "analyse")),
    button("Seats", async () => {
      const seats = await askSeats(await catalog(), table.view);
      if (seats) table.act("sit", { seats });
    }),
    isExported ? button("Save .json", saveHere) : forms.map(save),
    button("Load", loadFile),
    button("Share", () => share(table)),
    resign);
}

// The game up to the move on the screen, by default with people in all seats.
export function copyTo(table, page, seats = table.view.seats.map(() => HUMAN)) {
  return tryBegin({ type: "new", ...gameSoFar(table.view, table.shown.ply), seats }, page);
}

// When a game is over: another one, or what went wrong in this one.
function afterGame(table, board, marks, redraw) {
  const found = h("div", { class: "mistakes", role: "status" });
  const again = (seats) => tryBegin({ type: "new", ...gameSoFar(table.view, 0), seats });
  const review = button("Review", async () => {
    review.disabled = true;
    await reviewGame(table, { board, marks, found, redraw }).catch((error) => toast(error.message));
    review.disabled = false;
  });
  const node = h("div", { class: "after" }, h("div", { class: "row tools" },
    button(table.view.seats.length > 1 ? "Rematch" : "Play again", () => again([...table.view.seats].reverse()), { class: "main" }), review), found);
  const update = () => {
    node.hidden = !table.view.over;
    if (!table.view.over) {
      marks.clear();
      replace(found);
    }
  };
  return { node, update };
}

async function reviewGame(table, { board, marks, found, redraw }) {
  const results = new Map();
  await sweep(table, (ply, result) => {
    results.set(ply, result);
    replace(found, h("p", { class: "muted" }, `Analysing move ${ply + 1} of ${table.view.ply} …`));
  });
  const all = losses(table.view, results);
  marks.clear();
  all.forEach(({ ply, loss }) => marks.set(ply, mark(loss)));
  const worst = mistakes(all);
  const show = async (one) => {
    await table.look(one.ply);
    board.setOverlay(hintOverlay(one.ghosts));
  };
  replace(found, worst.length ? h("p", {}, "The costliest moves:") : h("p", {}, "There were no serious mistakes."),
    h("ul", { class: "list" }, worst.map((one) => h("li", {}, button([h("b", {}, `${moveNumber(table.view.moves, one.ply)} ${one.move.text}${mark(one.loss)}`),
      ` ${seatName(table.view, one.move.seat)}: −${percent(one.loss)}, better ${one.best}`], () => show(one))))));
  redraw();
}

// Links that hold the game, or the position alone: they work on every machine that runs anyzero.
function share(table) {
  const { position } = table.shown;
  const row = (name, text) => {
    const box = h("input", { type: "text", readonly: true, value: text, "aria-label": name });
    const copy = async () => {
      box.select();
      await navigator.clipboard.writeText(text).catch(() => document.execCommand("copy"));
      toast(`${name}: copied`, "good");
    };
    return h("div", { class: "fields" }, h("span", { class: "muted" }, name), h("div", { class: "row type-move" }, box, button("Copy", copy)));
  };
  return ask("Share", () => h("div", { class: "form" },
    row("Link to the game", shareLink(table.view, table.shown.ply)),
    position === null ? null : row("Link to the position", positionLink(table.view, position)),
    position === null ? null : row("Position", position)));
}

function askHint(table, board, words) {
  words.textContent = "Looking for a good move …";
  const ply = table.view.ply;
  link.stream({ type: "hint", table: table.id }, (answer) => {
    if (answer.preparing && table.view.ply === ply) words.textContent = `${capital(preparing(table.view))} …`;
    if (!answer.done || table.view.ply !== ply || !answer.result) return;
    const found = answer.result;
    const { best_score: best } = table.view;
    const value = best ? `: about ${worth(found.value, best)} points` : table.view.opposed ? `: ${percent((found.value + 1) / 2)} to win` : "";
    const then = table.view.opposed ? `; then probably ${found.principal_variation.slice(1, 4).join(" ") || "the end"}` : "";
    words.textContent = `Try ${found.best_move}${value}${then}.`;
    board.setOverlay(hintOverlay(found.ghosts[0] || []));
  }, (error) => {
    words.textContent = error;
  });
}
