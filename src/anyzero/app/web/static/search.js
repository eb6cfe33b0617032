// Searches in WebAssembly, a few milliseconds at a time: what a player's text asks for, and what was found so far.

const PIECE_MS = 20;
const LOOK_MS = 250;
const FIRST_PIECE = 250;
const MOST_GHOSTS = 6;
const LONGEST_LINE = 20;
const ENDLESS = 2 ** 52;
const ANY_CHILD = -1;
const UNKNOWN = 2;  // else a proof is a payoff
const WAITING = 0;
const NAMES = { 1: "win", 0: "draw", [-1]: "loss" };
const RAVE = 2, GRAVE = 3, GUMBEL = 5;

// --- who searches

export function readPlayer(text, game, site) {
  const level = /^level:(.*)$/.exec(text.trim());
  if (level && !game.about.levels[level[1]]) throw new Error(`there is no level ${level[1]}; known: ${site.levels.join(", ")}`);
  const [search, net = ""] = (level ? game.about.levels[level[1]] : text.trim()).split("@");
  const [method, rest = ""] = search.split(":");
  if (method === "random") return { method };
  const about = game.about.methods[method];
  if (!about || Boolean(net) !== (about.family === "net")) {
    throw new Error(`${text} cannot play here; known: ${[...Object.keys(game.about.methods)].join(", ")}${game.about.net ? `, the last two with @${game.about.net}` : ""}`);
  }
  if (net && net !== game.about.net) throw new Error(`there is no network ${net} here; known: ${game.about.net}`);
  const [budget, ...options] = rest.split(",");
  return { method, ...readBudget(text, budget.trim(), site, net && method), options: readOptions(text, options, about, site) };
}

function readBudget(text, budget, { limits }, asks) {
  const [simulations, seconds] = [/^\d+$/.test(budget) ? Number(budget) : null, /^\d*\.?\d+s$/.test(budget) ? parseFloat(budget) : null];
  if (!simulations && !seconds) throw new Error(`${text} needs a budget, as in uct:1000 or uct:2s`);
  const most = asks ? limits.asked : limits.simulations;
  if (simulations > most || seconds > limits.seconds) throw new Error(`${text}: a search here has at most ${most} simulations or ${limits.seconds} s`);
  if (asks === "gumbel" && seconds) throw new Error(`${text}: gumbel plans its simulations and needs their number; by the clock, use puct`);
  return { simulations, seconds };
}

function readOptions(text, parts, about, { finals, evaluators }) {
  const options = {};
  for (const part of parts) {
    const [name, value] = part.split("=").map((word) => word.trim());
    const number = name === "final" ? finals[value] : name === "evaluator" ? evaluators[value] : Number(value);
    const known = [...about.options, "temperature", ...(about.family === "net" ? [] : ["final", "evaluator"])];
    if (!known.includes(name) || value === undefined || !Number.isFinite(number)) throw new Error(`${text}: ${part} is not an option here; known: ${known.join(", ")}`);
    options[name] = number;
  }
  return options;
}

// --- a search under way

// Lets messages in: a timer would make every piece wait for 4 ms.
const channel = new MessageChannel();
const waiting = [];
channel.port1.onmessage = () => waiting.shift()();
const pause = () => new Promise((resolve) => {
  waiting.push(resolve);
  channel.port2.postMessage(null);
});

// Searches until the budget is spent or `isStopped`; `tell` hears now and then what was found so far.
export async function search(game, state, text, { seed, site, isStopped, tell = null }) {
  const player = readPlayer(text, game, site);
  if (player.method === "random") {
    const legal = game.legal(state);
    return { action: legal[Number((seed * BigInt(legal.length)) >> 64n)], result: null };
  }
  const running = await new Search(game, state, player, { seed, site }).begin();
  try {
    let look = performance.now() + LOOK_MS / 4;
    while (running.advance() && !isStopped()) {
      if (tell && performance.now() >= look) {
        tell(running.result());
        look = performance.now() + LOOK_MS;
      }
      await pause();
    }
    const result = running.result();
    return { action: result.best_action, result };
  } finally {
    running.end();
  }
}

class Search {
  constructor(game, state, player, { seed = 0n, site }) {
    const { final, settings, halves } = game.about.methods[player.method];
    const { temperature = 0, final: rule = site.finals[final] ?? 0, ...options } = player.options;
    const looks = player.simulations ? Math.min(4 * player.simulations, site.limits.looks) : site.limits.looks;
    const looking = game.about.methods[player.method].options.includes("look_ahead") ? { look_ahead: looks } : {};
    Object.assign(this, { game, state, player, seed, temperature, rule, byValue: rule === site.finals.value, halves });
    this.settings = { ...settings, ...looking, ...options };
    this.done = 0;
    this.spent = 0;
    this.largest = FIRST_PIECE;
  }

  async begin() {
    const { module, giveBack } = await this.game.borrow(this.game.about.methods[this.player.method].family);
    Object.assign(this, { module, end: giveBack });
    for (const slot of Object.keys(module.plan.slots)) {
      const [kernel, part, name] = slot.split(".");
      if (part === "settings") module.write(kernel, { [`settings.${name}`]: this.settings[name] });
    }
    this.tree = Object.fromEntries(Object.keys(module.plan.arrays).filter((name) => name.startsWith("tree.")).map((name) => [name.slice(5), module.array(name)]));
    this.counters = module.array("scratch.counters");
    const { simulations } = this.player;
    module.ask("begin_search", this.state, { seed: this.seed, simulations: simulations || ENDLESS });
    if (this.settings.formula === GUMBEL) module.call("write_plan", { considered: this.settings.considered, simulations });
    if (module.plan.steps) Object.assign(this, { known: module.array("scratch.known"), planes: module.array("planes") });
    return this;
  }

  // Searches for some milliseconds; false once the budget is spent or the position is proven.
  advance(milliseconds = PIECE_MS) {
    const { simulations, seconds } = this.player;
    const start = (this.start = performance.now());
    const end = start + (seconds ? Math.min(milliseconds, 1000 * seconds - this.spent) : milliseconds);
    let open = true;
    do open = this.module.plan.steps ? this.step() : this.roll(end - performance.now());
    while (open && performance.now() < end);
    this.spent += performance.now() - start;
    return open && (this.halves || (simulations ? this.done < simulations : this.spent < 1000 * seconds));
  }

  // Rollouts, about as many as fit.
  roll(milliseconds) {
    if (!this.order?.num) this.order = this.nextOrder();
    if (!this.order.num) return false;
    const start = performance.now();
    const num = Math.max(1, Math.min(this.order.num, 2 * this.largest, Math.floor(this.rate ? this.rate * milliseconds : FIRST_PIECE)));
    const found = this.module.call("simulate", { num, forced: this.order.child });
    this.rate = num / Math.max(performance.now() - start, 1e-3);
    this.largest = Math.max(this.largest, num);
    this.done += found;
    this.order.num -= num;
    return found === num;
  }

  // One leaf, with what the net says of it.
  step() {
    const { module, known } = this;
    const [select, ...steps] = module.plan.steps;
    const absorb = steps.pop();
    if (!module.call(select)) return false;
    if (known[0] === WAITING) {
      this.planes.fill(0);
      for (const step of steps) module.call(step);
    }
    module.call(absorb);
    this.done = Number(this.counters[0]);
    return true;
  }

  // The next simulations: so many, through any child of the root or through one.
  nextOrder() {
    const { simulations, seconds } = this.player;
    if (!this.halves) return { num: (simulations || ENDLESS) - this.done, child: ANY_CHILD };
    const spent = (this.spent + performance.now() - this.start) / 1000;
    const num = this.module.call("next_order", { budget: simulations || 0, seconds: seconds || 0, spent });
    return { num, child: Number(this.module.array("halving.at").at(-1)) };
  }

  // --- what was found

  result() {
    const { module, tree, game, state } = this;
    const [first, count] = [tree.first[0], tree.num_children[0]];
    const drawn = module.call("rank_moves", { rule: this.rule, temperature: this.temperature, seed: this.seed });
    const scores = module.array("scores");
    const moves = Array.from({ length: count }, (_, index) => this.move(first + index));
    const tie = ({ child }) => (this.settings.formula === GUMBEL ? 0 : this.byValue ? child.visits : child.value ?? -2);
    const order = moves.map((child, index) => ({ child, index, score: scores[index] }))
      .sort((one, other) => (one.index === drawn ? -1 : other.index === drawn ? 1 : 0) || (this.halves ? other.child.prior - one.child.prior : 0) || other.score - one.score || tie(other) - tie(one) || one.index - other.index);
    const children = order.map(({ child }) => ({ move: game.text(state, child.action), ...child }));
    const [best] = children;
    const line = this.line(best.action);
    return {
      best_move: best.move,
      best_action: best.action,
      value: best.value ?? 0,
      best_score: game.about.best_score,
      proven: NAMES[tree.proven[0]] ?? null,
      children,
      ...line,
      simulations: Number(this.counters[0]),
      nodes: Number(tree.used[0]),
      depth: Number(this.counters[1]),
      seconds: this.spent / 1000,
    };
  }

  move(child) {
    const { tree } = this;
    const [visits, proven] = [tree.visits[child], tree.proven[child]];
    const [amafVisits, amafSum] = this.amaf(child);
    return {
      action: tree.action[child],
      visits,
      value: proven !== UNKNOWN ? proven : visits ? tree.value[child] : null,
      prior: tree.prior[child],
      amaf_visits: amafVisits,
      amaf_value: amafVisits ? amafSum / amafVisits : null,
      proven: NAMES[proven] ?? null,
    };
  }

  amaf(child) {
    const { tree, settings, game, state } = this;
    if (settings.formula === RAVE) return [tree.amaf_visits[child], tree.amaf_value[child]];
    if (settings.formula !== GRAVE || tree.table[0] < 0) return [0, 0];
    const [, seats, keys] = this.module.plan.arrays["tree.table_visits"].shape;
    const place = (tree.table[0] * seats + game.seat(state)) * keys + tree.amaf_key[child];
    return [tree.table_visits[place], tree.table_value[place]];
  }

  // The most visited line from an action on, as far as no chance comes in between, and the cells of its first moves.
  line(action) {
    const { tree, game } = this;
    const texts = [], cells = [];
    let [state, node] = [this.state, 0];
    for (let next = action; next !== null && texts.length < LONGEST_LINE;) {
      texts.push(game.text(state, next));
      if (cells.length < MOST_GHOSTS) cells.push(game.cells(state, next));
      state = game.after(state, next);
      if (game.seat(state) < 0) break;
      node = tree.action.indexOf(next, tree.first[node]);
      next = this.best(node);
    }
    return { principal_variation: texts, ghosts: cells };
  }

  best(node) {
    const { tree } = this;
    let [found, most] = [-1, -Infinity];
    for (let child = tree.first[node]; child < tree.first[node] + tree.num_children[node]; child += 1) {
      const certain = tree.proven[child] === UNKNOWN ? 0 : 1e9 * tree.proven[child];
      if (tree.visits[child] + certain > most) [found, most] = [child, tree.visits[child] + certain];
    }
    return found < 0 || (tree.visits[found] === 0 && tree.proven[found] === UNKNOWN) ? null : tree.action[found];
  }
}
