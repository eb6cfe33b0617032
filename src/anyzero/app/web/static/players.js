// Who plays: names for people to read, and the control that chooses one.

import { h, replace } from "./dom.js";
import { HUMAN, OPPONENT } from "./words.js";

// "level:medium" as "Computer, medium", "uct:1000" as "uct, 1000 simulations".
export function playerName(text) {
  if (text === HUMAN) return "Person";
  if (text === "random") return "Random moves";
  const [kind, rest] = split(text);
  if (kind === "level") return `Computer, ${rest}`;
  if (kind === "engine") return rest;
  const [search, network] = rest.split("@");
  const [budget, ...options] = search.split(",");
  const effort = budget.endsWith("s") ? `${budget.slice(0, -1)} s` : `${budget} simulations`;
  return [`${kind.toUpperCase()}, ${effort}`, options.join(", "), network ? `network ${network}` : ""].filter(Boolean).join(", ");
}

function split(text) {
  const at = text.indexOf(":");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

// A control for one player; `value()` is its text. `machines` leaves people out, `searches` random play as well; `engines` are those of the game.
export function playerPicker(lists, { value = OPPONENT, machines = false, searches = false, engines = [], label = "Player", onchange = () => {} } = {}) {
  const kind = h("select", { "aria-label": label });
  const group = (title, entries) => h("optgroup", { label: title }, entries);
  const option = (text, shown) => h("option", { value: text }, shown);
  const people = machines ? [] : [option(HUMAN, "Person")];
  const levels = lists.levels.map((level) => option(`level:${level}`, `Computer, ${level}`));
  const methods = lists.methods.map((method) => option(`method:${method.name}`, `${method.name}: ${method.meaning}`));
  const networks = lists.networks.flatMap((name) => ["puct", "gumbel"].map((method) =>
    option(`network:${method}@${name}`, `${name === "best" ? "the bundled net" : name} (${method})`)));
  replace(kind, people, group("Computer, by strength", levels),
    engines.length ? group("Engines", engines.map((name) => option(`engine:${name}`, name))) : null, searches ? null : option("random", "Random moves"),
    group("Search methods", methods), networks.length ? group("Trained networks", networks) : null);
  const budget = h("input", { type: "text", class: "budget", "aria-label": `${label}: budget`, title: "Simulations, or seconds with an s; options follow after commas" });
  const node = h("span", { class: "picker" }, kind, budget);

  function set(text) {
    const [name, rest] = split(text);
    const [search, network] = rest.split("@");
    if (name === "engine") kind.value = text;
    else if (network !== undefined) kind.value = `network:${name}@${network}`;
    else if (lists.methods.some((method) => method.name === name)) kind.value = `method:${name}`;
    else kind.value = text;
    budget.value = kind.value.startsWith("method:") || kind.value.startsWith("network:") ? search : "1000";
    if (!kind.value) { // no entry says it: a generation of a run, a net that expectimax asks
      kind.append(option(text, playerName(text)));
      kind.value = text;
    }
    adapt();
  }

  const fit = () => { budget.size = Math.max(7, budget.value.length + 1); };

  function adapt() {
    budget.hidden = !kind.value.startsWith("method:") && !kind.value.startsWith("network:");
    if (kind.value.startsWith("network:") && budget.value === "1000") budget.value = "64";
    fit();
  }

  function read() {
    const [start, rest] = split(kind.value);
    if (start === "method") return `${rest}:${budget.value.trim()}`;
    if (start !== "network") return kind.value;
    const at = rest.indexOf("@");
    return `${rest.slice(0, at)}:${budget.value.trim()}${rest.slice(at)}`;
  }

  kind.addEventListener("change", () => {
    adapt();
    onchange(read());
  });
  budget.addEventListener("input", fit);
  budget.addEventListener("change", () => onchange(read()));
  set(value);
  return { node, value: read, set };
}
