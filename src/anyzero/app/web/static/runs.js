// Runs: how training goes, live, and the games that it played.

import { button, h, number, plural, replace, toast } from "./dom.js";
import { Board } from "./board.js";
import { lineChart } from "./chart.js";
import { catalog, get, link } from "./link.js";
import { moveList } from "./moves.js";
import { gameWords, splitGame } from "./newgame.js";
import { begin } from "./play.js";
import { HUMAN } from "./words.js";

const REFRESH_MS = 2000;
const LIVE_SECONDS = 60;
const MOST_COMPARED = 2;
const CHARTS = [
  ["Elo", "elo", "elo_low", "elo_high"],
  ["Benchmark", "benchmark_score_mean", "benchmark_score_low", "benchmark_score_high"],
  ["Policy loss", "policy_loss"],
  ["Value loss", "value_loss"],
  ["Gate score", "gate_score"],
  ["Simulations per second", "simulations_per_second"],
];

export async function render(section, { rest, query }) {
  const [lists, { runs, broken }] = await Promise.all([catalog(), get("/api/runs")]);
  const words = (run) => `${gameWords(lists, run.game).filter(Boolean).join(", ")} · ${generations(run)}`;
  const others = (query.get("with") || "").split(" ").filter((name) => name && name !== rest[0]);
  const compare = (name) => {
    const chosen = others.includes(name) ? others.filter((one) => one !== name) : [...others, name].slice(-MOST_COMPARED);
    location.hash = `#/runs/${encodeURIComponent(rest[0])}${chosen.length ? `?${new URLSearchParams({ with: chosen.join(" ") })}` : ""}`;
  };
  const list = h("ul", { class: "list" }, runs.map((run) => h("li", { class: "run-entry" },
    rest[0] && run.name !== rest[0] ? h("input", { type: "checkbox", checked: others.includes(run.name), "aria-label": `Compare ${run.name}`, title: "Compare", onchange: () => compare(run.name) }) : null,
    h("a", { href: `#/runs/${encodeURIComponent(run.name)}`, "aria-current": run.name === rest[0] ? "true" : undefined },
      h("b", {}, run.name), h("br"), h("span", { class: "muted" }, words(run))))),
    broken.map((run) => h("li", { class: "muted" }, `${run.name}: ${run.error}`)));
  const main = h("div", {});
  replace(section, h("div", { class: "page-head" }, h("h1", {}, "Training runs")),
    runs.length || broken.length ? h("div", { class: "two" }, list, main)
      : h("p", { class: "muted" }, "There are no runs in the folder “runs” yet. ", h("code", {}, "anyzero train"), " creates one."));
  if (!rest[0]) {
    if (runs.length) main.append(h("p", { class: "muted" }, "Choose a run."));
    return () => {};
  }
  const entry = list.querySelector("[aria-current] .muted");
  return renderRun(main, lists, [rest[0], ...others], (run) => {
    if (entry) entry.textContent = words(run);
  });
}

// The first of these runs, the curves of the others beside its own; `tell` is called with it whenever it was looked at.
async function renderRun(main, lists, [name, ...others], tell) {
  const facts = h("dl", { class: "facts" });
  const charts = h("div", { class: "charts" });
  const games = gamePicker(name);
  const now = h("div", { class: "now-box now" });
  const play = button("Play the champion", () => {}, { class: "main" });
  let known = "";

  async function refresh() {
    const [run, ...more] = await Promise.all([name, ...others].map((one) => get(`/api/runs/${encodeURIComponent(one)}`)));
    tell(run);
    drawFacts(run, facts);
    drawNow(run, now);
    play.hidden = !run.player;
    play.onclick = () => begin({ type: "new", game: run.game, seats: championSeats(lists, run) }).catch((error) => toast(error.message));
    const seen = JSON.stringify([run, ...more].map((one) => one.history));
    if (seen !== known) drawCharts([run, ...more], charts);
    known = seen;
    games.update(run.blocks);
  }

  await refresh(); // before it is shown: what can be clicked works
  replace(main, h("div", { class: "page-head" }, facts, play), now, charts, h("h2", {}, "Self-play games"), games.node);
  const timer = setInterval(() => refresh().catch(() => {}), REFRESH_MS);
  return () => clearInterval(timer);
}

function generations(run) {
  return run.generations === null ? "no generation yet" : `generation ${run.generations}`;
}

function drawFacts(run, box) {
  const seconds = Math.max(0, Date.now() / 1000 - run.changed);
  const live = seconds < LIVE_SECONDS;
  const between = ([value, low, high]) => [h("b", {}, String(Math.round(value))), h("small", {}, ` ${Math.round(low)} to ${Math.round(high)}`)];
  const whose = (title, generation) => (generation === run.champion ? title : `${title}, generation ${generation}`);
  const facts = [
    ["Generation", h("b", {}, run.generations === null ? "none yet" : String(run.generations))],
    run.champion === null ? null : ["Champion", h("b", {}, String(run.champion))],
    run.elo ? [whose("Elo", run.elo_generation), between(run.elo)] : null,
    run.benchmark ? [whose("Benchmark", run.benchmark_generation), between(run.benchmark)] : null,
    ["Time", h("b", {}, `${number(run.minutes, 1)} min`)],
    [live ? "Live" : "Last updated", h("b", { class: live ? "live" : undefined }, ago(seconds))],
  ];
  replace(box, facts.filter(Boolean).map(([title, value]) => h("div", {}, h("dt", {}, title), h("dd", {}, value))));
}

// What it does just now, and for how long yet.
function drawNow(run, box) {
  box.hidden = !run.now;
  const [, done, total] = /(\d+)\/(\d+)/.exec(run.now) || [];
  replace(box, h("span", {}, run.now),
    Number(total) ? h("progress", { value: Number(done), max: Number(total), "aria-label": "Progress of the generation" }) : null);
}

function span(seconds) {
  const [size, unit] = [[86400, "d"], [3600, "h"], [60, "min"]].find(([least]) => seconds >= least) || [1, "s"];
  return `${Math.floor(seconds / size)} ${unit}`;
}

const ago = (seconds) => `${span(seconds)} ago`;

// A person first; alone, one may watch it.
function championSeats(lists, run) {
  const game = lists.games.find((one) => one.name === splitGame(run.game).name);
  const seats = game ? game.num_seats : 2;
  return seats === 1 ? [run.player] : [HUMAN, ...Array(seats - 1).fill(run.player)];
}

function drawCharts(runs, charts) {
  const measured = (run, key) => run.history.some((row) => row[key] !== null);
  const legend = h("p", { class: "legend" }, runs.map((run, index) => h("span", {}, h("i", { class: `c${index}` }), run.name)));
  replace(charts, CHARTS.filter(([, key]) => runs.some((run) => measured(run, key))).map(([title, key, low, high]) => {
    const series = runs.filter((run) => measured(run, key)).map((run) => {
      const column = (name) => run.history.map((row) => [row.generation, row[name]]);
      const band = low && runs.length === 1 ? { low: column(low), high: column(high) } : {};
      return { name: runs.length > 1 ? `${run.name}, generation` : "generation", colour: runs.indexOf(run), points: column(key), ...band };
    });
    return h("div", { class: "card-box" }, h("h2", {}, title), lineChart(series, { label: `${title} by generation` }),
      runs.length > 1 ? legend.cloneNode(true) : null);
  }));
}

// Chooses a game of a run and replays it; `update` is told the blocks that there are by now.
function gamePicker(run) {
  const blocks = h("select", { "aria-label": "Block of games" });
  const numbers = h("select", { "aria-label": "Game" });
  const replay = h("div", { class: "replay" });
  const none = h("p", { class: "muted" }, "No games yet.");
  const play = button("Replay", () => open(), { class: "main", disabled: true });
  const row = h("div", { class: "row" }, blocks, numbers, play);
  const address = () => `/api/runs/${encodeURIComponent(run)}/games/${blocks.value}`;

  async function fill() {
    play.disabled = true;
    const { games } = await get(address());
    replace(numbers, games.map((game, index) => h("option", { value: index },
      `${index + 1}: ${playersOf(game)}, ${plural(game.plies, "ply", "plies")}, ${game.payoffs.map((payoff) => number(payoff, 2)).join(" : ")}`)));
    play.disabled = false;
  }

  async function open() {
    try {
      replace(replay, await replayBox(await get(`${address()}/${numbers.value}`)));
    } catch (error) {
      toast(error.message);
    }
  }

  function update(found) {
    none.hidden = found.length > 0;
    row.hidden = !found.length;
    if (found.length === blocks.children.length) return;
    const chosen = blocks.value;
    replace(blocks, found.map((block) => h("option", { value: `${block.generation}/${block.block}` }, `generation ${block.generation}, block ${block.block}`)));
    blocks.value = chosen || blocks.lastChild.value;
    if (!chosen) fill().catch((error) => toast(error.message));
  }

  blocks.addEventListener("change", () => fill().catch((error) => toast(error.message)));
  return { node: h("div", {}, none, row, replay), update };
}

// Networks are named by their generation.
function playersOf(game) {
  return game.names.map((name) => (/^\d+$/.test(name) ? `generation ${name}` : name)).join(" – ");
}

// A finished game to step through, anything with moves.
async function replayBox(game) {
  const board = new Board();
  const line = {
    view: { moves: game.moves.map((move) => ({ move, seat: 0, value: null, played: true })), ply: game.moves.length },
    shown: null,
    aim: 0,
    async look(ply) {
      const aim = (line.aim = Math.max(0, Math.min(game.moves.length, ply)));
      const found = await link.ask({ type: "look", game: game.game, position: game.position, moves: game.moves.slice(0, aim) });
      if (line.aim !== aim) return;
      line.shown = found;
      board.show(found, false);
      list.update();
    },
    step: (by) => line.look(line.aim + by),
  };
  const list = moveList(line);
  await line.look(0);
  const analyse = button("Analyse", () => begin({ type: "new", game: game.game, position: game.position, seats: game.names.map(() => HUMAN), moves: game.moves.slice(0, line.shown.ply) }, "analyse")
    .catch((error) => toast(error.message)));
  return h("div", { class: "table" }, board.node, h("div", { class: "panel" },
    h("p", {}, `${playersOf(game)}: ${game.payoffs.join(" : ")} by ${game.end}`), list.node, h("div", { class: "row" }, analyse)));
}
