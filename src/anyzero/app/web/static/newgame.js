// The dialogs that begin a game: which game, its options, who sits where; or a file.

import { ask, button, field, h, plural, replace } from "./dom.js";
import { isExported, link } from "./link.js";
import { playerPicker } from "./players.js";
import { showRules } from "./rules.js";
import { thumbnail } from "./shapes.js";
import { seatName } from "./table.js";
import { HUMAN, OPPONENT, UNFINISHED } from "./words.js";

export function defaultSeats(game) {
  return game.num_seats === 1 ? [HUMAN] : [HUMAN, ...Array(game.num_seats - 1).fill(OPPONENT)];
}

export function gameText(name, options) {
  const written = Object.entries(options).map(([key, value]) => `${key}=${value}`).join(",");
  return written ? `${name}:${written}` : name;
}

export function splitGame(text) {
  const [name, rest = ""] = text.split(":");
  const options = Object.fromEntries(rest.split(",").filter(Boolean).map((part) => part.split("=")));
  return { name, options };
}

// "hex:size=7,swap=false" as "Hex, size 7": the title, and the options that differ from the defaults.
export function gameWords(lists, text) {
  const { name, options } = splitGame(text);
  const game = lists.games.find((one) => one.name === name);
  if (!game) return [name, ""];
  const changed = game.options.filter((option) => String(options[option.name] ?? option.default) !== String(option.default));
  return [game.title, changed.map((option) => `${option.name.replaceAll("_", " ")} ${options[option.name]}`).join(", ")];
}

function seatNames(lists, { game, seats }) {
  const found = lists.games.find((one) => one.name === splitGame(game).name);
  return seats.map((_, seat) => (found ? found.seat_names[seat] : `${["first", "second", "third", "fourth"][seat]} seat`));
}

// A table of the shelf in one line; `link` is its name as a link or a button.
export function tableRow(lists, table, link) {
  const [title, words] = gameWords(lists, table.game);
  const state = `${table.termination === UNFINISHED ? "" : "finished, "}${plural(table.num_moves, "move")}`;
  return h("li", {}, link(h("b", {}, title), words ? `, ${words}` : ""),
    h("span", { class: "muted" }, ` ${state} · ${table.seats.map((seat, index) => seatName({ ...table, seat_names: seatNames(lists, table) }, index)).join(" – ")}`));
}

// Every game with its picture; `act` is told which was chosen.
export function gameCards(lists, words, act) {
  return h("div", { class: "cards" }, lists.games.map((game) => {
    const picture = h("div", { class: "card-picture" });
    const node = button("", () => act(game), { class: "card" });
    node.append(picture, h("span", { class: "card-title" }, game.title), h("span", { class: "muted" }, words(game)));
    link.ask({ type: "look", game: game.name }).then(({ scene }) =>
      replace(picture, scene ? thumbnail(scene) : h("span", { class: "muted" }, "no picture"))).catch(() => replace(picture));
    return node;
  }));
}

function optionControl(option, value) {
  if (option.choices.length) {
    return h("select", {}, option.choices.map((one) => h("option", { value: one, selected: one === String(value) }, one.replaceAll("_", " "))));
  }
  if (option.kind === "bool") return h("input", { type: "checkbox", checked: String(value) === "true" });
  if (option.kind === "int") return h("input", { type: "number", step: 1, value });
  if (option.kind === "float") return h("input", { type: "number", step: "any", value });
  return h("input", { type: "text", value });
}

// Resolves to the message that makes the game, or null.
export function askNewGame(lists, { game = "hex", seats = null, machines = false } = {}) {
  return ask("New game", (close) => {
    const start = splitGame(game);
    const names = h("select", {}, lists.games.map((one) => h("option", { value: one.name }, one.title)));
    names.value = lists.games.some((one) => one.name === start.name) ? start.name : lists.games[0].name;
    const optionBox = h("div", { class: "fields" });
    const seatBox = h("div", { class: "fields" });
    const seed = h("input", { type: "text", inputmode: "numeric", pattern: "[0-9]*", placeholder: "random" });
    const position = h("input", { type: "text", placeholder: "the start", spellcheck: "false" });
    const positionField = field("Position", position);
    let controls = {};
    let pickers = [];

    function rebuild(given, who) {
      const chosen = lists.games.find((one) => one.name === names.value);
      controls = Object.fromEntries(chosen.options.map((option) =>
        [option.name, optionControl(option, given[option.name] ?? option.default)]));
      replace(optionBox, Object.entries(controls).map(([name, control]) => field(name.replaceAll("_", " "), control)));
      const fitting = who && who.length === chosen.num_seats ? who : machines ? Array(chosen.num_seats).fill("level:easy") : defaultSeats(chosen);
      pickers = fitting.map((value, seat) => playerPicker(lists, { value, machines, engines: chosen.engines, label: chosen.seat_names[seat] }));
      positionField.hidden = !chosen.position;
      replace(seatBox, pickers.map((picker, seat) => seatField(picker, chosen.seat_names[seat])));
    }

    function read(event) {
      event.preventDefault();
      const options = Object.fromEntries(Object.entries(controls).map(([name, control]) =>
        [name, control.type === "checkbox" ? control.checked : control.value]));
      const message = { type: "new", game: gameText(names.value, options), seats: pickers.map((picker) => picker.value()) };
      if (seed.value.trim()) message.seed = Number(seed.value);
      if (position.value.trim()) message.position = position.value.trim();
      close(message);
    }

    names.addEventListener("change", () => rebuild({}, null));
    rebuild(start.options, seats);
    return h("form", { onsubmit: read, class: "form" },
      field("Game", names), optionBox, seatBox,
      h("details", {}, h("summary", {}, "Position and seed"), h("div", { class: "fields" }, positionField, field("Seed", seed))),
      h("div", { class: "row end" }, button("Rules", () => showRules(lists, names.value), { class: "quiet" }), button("Cancel", () => close(null), { class: "quiet" }),
        h("button", { type: "submit", class: "main" }, "Start")));
  });
}

const seatField = (picker, name) => h("div", { class: "field" }, h("span", {}, name), picker.node);

export function askSeats(lists, { game, seats, seat_names: names }) {
  return ask("Seats", (close) => {
    const { engines } = lists.games.find((one) => one.name === splitGame(game).name) || {};
    const pickers = seats.map((value, seat) => playerPicker(lists, { value, engines, label: names[seat] }));
    return h("form", { class: "form", onsubmit: (event) => { event.preventDefault(); close(pickers.map((picker) => picker.value())); } },
      pickers.map((picker, seat) => seatField(picker, names[seat])),
      h("div", { class: "row end" }, h("button", { type: "submit", class: "main" }, "Apply")));
  });
}

// A file's text and form, or null.
export function askFile() {
  return new Promise((resolve) => {
    const input = h("input", { type: "file", accept: isExported ? ".json" : ".json,.pgn,.sgf" });
    input.addEventListener("change", async () => {
      const [file] = input.files;
      resolve(file ? { text: await file.text(), form: file.name.split(".").pop().toLowerCase() } : null);
    });
    input.addEventListener("cancel", () => resolve(null));
    input.click();
  });
}
