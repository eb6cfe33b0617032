// Runs: how training goes, live, and the games that it played.

import { button, h, number, replace, toast } from "./dom.js";
import { Board } from "./board.js";
import { lineChart } from "./chart.js";
import { get, link } from "./link.js";
import { moveList } from "./moves.js";
import { begin } from "./play.js";
import { HUMAN } from "./players.js";

const REFRESH_MS = 5000;
const CHARTS = [
  ["Elo", "elo", "elo_low", "elo_high"],
  ["Benchmark", "benchmark_score_mean", "benchmark_score_low", "benchmark_score_high"],
  ["Policy loss", "policy_loss"],
  ["Value loss", "value_loss"],
  ["Gate score", "gate_score"],
  ["Simulations a second", "simulations_per_second"],
];

export async function render(section, { rest }) {
  const { runs, broken } = await get("/api/runs");
  const list = h("ul", { class: "list" }, runs.map((run) => h("li", {},
    h("a", { href: `#/runs/${encodeURIComponent(run.name)}`, "aria-current": run.name === rest[0] ? "true" : undefined },
      h("b", {}, run.name), h("br"), h("span", { class: "muted" }, `${run.game} · ${generations(run)}`)))),
    broken.map((run) => h("li", { class: "muted" }, `${run.name}: ${run.error}`)));
  const main = h("div", {});
  replace(section, h("div", { class: "page-head" }, h("h1", {}, "Training runs")),
    runs.length || broken.length ? h("div", { class: "two" }, list, main)
      : h("p", { class: "muted" }, "There are no runs in the folder runs. ", h("code", {}, "anyzero train"), " makes one."));
  if (!rest[0]) {
    if (runs.length) main.append(h("p", { class: "muted" }, "Choose a run."));
    return () => {};
  }
  const charts = h("div", { class: "charts" });
  const head = h("p", {});
  const games = h("div", {});
  replace(main, head, charts, h("h2", {}, "Games of self-play"), games);
  let known = "";

  async function refresh() {
    const run = await get(`/api/runs/${encodeURIComponent(rest[0])}`);
    const now = JSON.stringify([run.history, run.blocks]);
    if (now === known) return;
    const first = known === "";
    known = now;
    drawRun(run, head, charts);
    if (first) gamePicker(run, games);
  }

  await refresh();
  const timer = setInterval(() => refresh().catch(() => {}), REFRESH_MS);
  return () => clearInterval(timer);
}

function generations(run) {
  return run.generations === null ? "no generation yet" : `generation ${run.generations}`;
}

function drawRun(run, head, charts) {
  const last = run.history.at(-1);
  head.textContent = [run.game, generations(run), run.champion === null ? "" : `champion ${run.champion}`,
    last ? `${number(last.total_seconds / 60, 1)} minutes` : "", run.elo ? `Elo ${Math.round(run.elo[0])} (${Math.round(run.elo[1])} to ${Math.round(run.elo[2])})` : ""].filter(Boolean).join(" · ");
  replace(charts, CHARTS.filter(([, key]) => run.history.some((row) => row[key] !== null)).map(([title, key, low, high]) => {
    const column = (name) => run.history.map((row) => [row.generation, row[name]]);
    const series = { name: "generation", points: column(key), low: low && column(low), high: high && column(high) };
    return h("div", { class: "card-box" }, h("h3", {}, title), lineChart([series], { label: `${title} by generation` }));
  }));
}

function gamePicker(run, box) {
  if (!run.blocks.length) {
    replace(box, h("p", { class: "muted" }, "No games yet."));
    return;
  }
  const blocks = h("select", { "aria-label": "Block of games" }, run.blocks.map((block, index) =>
    h("option", { value: index }, `generation ${block.generation}, block ${block.block}`)));
  const numbers = h("select", { "aria-label": "Game" });
  const replay = h("div", {});
  const address = () => {
    const block = run.blocks[Number(blocks.value)];
    return `/api/runs/${encodeURIComponent(run.name)}/games/${block.generation}/${block.block}`;
  };
  const fill = async () => {
    try {
      const { games } = await get(address());
      replace(numbers, games.map((game, index) => h("option", { value: index },
        `${index + 1}: ${game.names.join(" – ")}, ${game.plies} plies, ${game.payoffs.map((payoff) => number(payoff, 2)).join(" : ")}`)));
    } catch (error) {
      toast(error.message);
    }
  };
  const open = async () => {
    try {
      replace(replay, await replayBox(await get(`${address()}/${numbers.value}`)));
    } catch (error) {
      toast(error.message);
    }
  };
  blocks.value = String(run.blocks.length - 1);
  blocks.addEventListener("change", fill);
  replace(box, h("div", { class: "row" }, blocks, numbers, button("Replay", open, { class: "main" })), replay);
  fill();
}

// A finished game to step through, anything with moves.
async function replayBox(game) {
  const board = new Board();
  const line = {
    view: { moves: game.moves.map((move) => ({ move, seat: 0, value: null, played: true })), ply: game.moves.length },
    shown: null,
    async look(ply) {
      const message = { type: "look", game: game.game, moves: game.moves.slice(0, Math.max(0, ply)) };
      if (game.position) message.position = game.position;
      line.shown = await link.ask(message);
      board.show(line.shown, false);
      list.update();
    },
  };
  const list = moveList(line);
  await line.look(0);
  const analyse = button("Analyse", () => begin({ type: "new", game: game.game, seats: game.names.map(() => HUMAN), moves: game.moves.slice(0, line.shown.ply) }, "analyse")
    .catch((error) => toast(error.message)));
  return h("div", { class: "table" }, board.node, h("div", { class: "panel" },
    h("p", {}, `${game.names.join(" – ")}: ${game.payoffs.join(" : ")} by ${game.end}`), list.node, h("div", { class: "row" }, analyse)));
}
