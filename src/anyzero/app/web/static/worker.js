// The back end of an exported page, in a worker: it answers the messages that a server would answer.
// `web/client.py` is the same with a socket.

import { Game, OVER } from "./game.js";
import { Room } from "./room.js";
import { readPlayer, search } from "./search.js";
import { Shelf } from "./shelf.js";
import { DECLARED, HUMAN, UNFINISHED } from "./words.js";

const HOME = new URL("./", import.meta.url);
const games = new Map();
const rooms = new Map();
const lanes = new Map();
const tabs = new BroadcastChannel(`anyzero ${HOME.pathname}`);
const tell = (message) => postMessage(message);
const site = fetch(new URL("site.json", HOME)).then((answer) => answer.json()).catch(() => {
  throw new Error("this page is not whole: site.json cannot be read");
});
const shelf = Shelf.open(HOME.pathname);

async function findGame(text) {
  const { games: known } = await site;
  const [name, ...options] = text.split(/[:,]/);
  const about = known.find((one) => one.name === name);
  if (!about) throw new Error(`there is no game ${text} here; known: ${known.map((one) => one.name).join(", ")}`);
  const own = Object.entries(about.record.rules.options).map((option) => option.join("="));
  if (options.some((option) => !own.includes(option))) throw new Error(`this page has ${about.record.game}, not ${text}`);
  if (!games.has(about.name)) games.set(about.name, Game.open(about, HOME));
  games.get(about.name).catch(() => games.delete(about.name));
  return games.get(about.name);
}

function playMoves(game, moves) {
  const line = { states: [game.start()], actions: [] };
  for (const move of moves) {
    line.actions.push(game.find(line.states.at(-1), move));
    line.states.push(game.after(line.states.at(-1), line.actions.at(-1)));
  }
  return line;
}

// --- tables

async function newRoom(row) {
  const [game, about, shelves] = [await findGame(row.game), await site, await shelf];
  const keep = (kept) => shelves.keep(kept).then(() => tabs.postMessage(kept.id));
  return new Room(game, row, { site: about, keep, tell });
}

// Other tabs of this page may show the same table: one that changes it tells the others, which read it anew.
tabs.onmessage = async ({ data: id }) => {
  if (!rooms.has(id)) return;
  (await rooms.get(id)).stop();
  rooms.delete(id);
  const room = await enter(id);
  tell(room.values());
  room.drive();
};

function enter(id) {
  if (!rooms.has(id)) rooms.set(id, shelf.then((shelves) => shelves.find(id)).then(newRoom));
  rooms.get(id).catch(() => rooms.delete(id));
  return rooms.get(id);
}

async function checkSeats(seats, game) {
  if (seats.length !== game.about.num_seats) throw new Error(`${game.about.title} has ${game.about.num_seats} seats, not ${seats.length}`);
  const about = await site;
  seats.filter((seat) => seat !== HUMAN).forEach((seat) => readPlayer(seat, game, about));
  return seats;
}

// What comes after the message is from a file; `notes` are the times and evaluations of its moves.
async function makeRoom({ game: text, seats, seed, moves = [], position, paused = false, pace = 0 }, { players = seats, end = [], notes = [], date, tags, result } = {}) {
  const game = await findGame(text);
  if (!Number.isSafeInteger(seed ?? 0) || seed < 0) throw new Error(`a seed here is a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`);
  if (position) throw new Error("this page begins at the start: give the moves instead of a position");
  const random = crypto.getRandomValues(new Uint32Array(3));
  const line = playMoves(game, moves).actions.map((action, index) => ({ ...notes[index], action })).concat(end);
  const room = await newRoom({
    id: Array.from(random.subarray(1), (word) => word.toString(36)).join(""), game: game.about.name, seats: await checkSeats(seats, game), players,
    seed: seed ?? random[0], line, num_plies: line.length, paused, pace,
    date: date ?? new Date().toISOString().slice(0, 10), tags,
  });
  if (result) checkResult(room, result);
  await room.save();
  rooms.set(room.row.id, Promise.resolve(room));
  return room;
}

// Moves that end the game by the rules may come without a result.
function checkResult({ game, state, declared, termination, payoffs: found }, { termination: wanted, payoffs }) {
  const isSame = payoffs?.length === found?.length && !payoffs?.some((payoff, seat) => Math.abs(payoff - found[seat]) > 1e-9);
  const isTwice = declared && game.seat(state) === OVER;
  if ((wanted !== UNFINISHED || payoffs) && (wanted !== termination || isTwice || !isSame)) throw new Error("the result in the file is not that of its moves");
}

// What each part of a record may be, as in `records/record.py`.
const isText = (it) => typeof it === "string" && !/[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(it);
const isIn = (low, high) => (it) => typeof it === "number" && it >= low && it <= high;
const isList = (is) => (it) => Array.isArray(it) && it.every(is);
const maybe = (is) => (it) => it == null || is(it);
const isColumn = (is) => (it, { moves }) => it == null || (isList(maybe(is))(it) && it.length === moves.length);
const RECORD = {
  format: (it) => it === 1, rules: (it) => isText(it?.name), players: isList(isText), moves: isList(isText),
  date: maybe((it) => it === "" || (isText(it) && new Date(it).toJSON()?.slice(0, 10) === it)),
  clocks: isColumn(isIn(0, 1e9)),
  evaluations: isColumn((it) => isIn(-1, 1)(it.value) && Number.isInteger(it.simulations) && it.simulations >= 0),
  result: (it) => isText(it?.termination) && maybe(isList(isIn(-1, 1)))(it.payoffs),
  tags: maybe((it) => typeof it === "object" && !Array.isArray(it) && Object.entries(it).flat().every(isText)),
};

// The game of a file; a player that is not here is a person.
async function loadRoom({ text, form, seats }) {
  if (form !== "json") throw new Error("this page reads games as .json; the server's page reads .pgn and .sgf as well");
  const record = await Promise.resolve(text).then(JSON.parse).catch(() => { throw new Error("the file is not a JSON object"); });
  const fault = Object.keys(RECORD).find((name) => !RECORD[name](record?.[name], record));
  if (fault) throw new Error(`the file is not the record of a game: there is a fault in its ${fault}`);
  const { rules, players, moves, clocks, evaluations, seed, start, date, tags, result, result: { payoffs, termination } } = record;
  const game = await findGame(rules.name);
  const options = (about) => JSON.stringify(Object.entries(about.options || {}).sort());
  if (start) throw new Error("this page begins at the start: the file's game begins elsewhere");
  if (options(rules) !== options(game.about.record.rules)) throw new Error(`the file is of another ${game.about.title}: ${record.game}`);
  const sit = (name) => checkSeats(Array(game.about.num_seats).fill(name), game).then(() => name, () => HUMAN);
  const end = Object.hasOwn(DECLARED, termination) ? [{ action: -1, seat: Math.max(0, payoffs?.indexOf(-1) ?? 0), termination }] : [];
  const notes = moves.map((_, index) => ({ value: evaluations?.[index]?.value, simulations: evaluations?.[index]?.simulations, seconds: clocks?.[index] }));
  const who = seats || await Promise.all(players.map(sit));
  return makeRoom({ game: game.about.name, seats: who, seed: seed ?? undefined, moves }, { players: seats || players, end, notes, date, tags, result });
}

const CHANGES = {
  move: (room, message) => room.move(message),
  undo: (room) => room.undo(),
  redo: (room) => room.redo(),
  resign: (room) => room.resign(),
  sit: (room, { seats }) => room.sit(seats),
  pace: (room, { paused, pace = 0 }) => Object.assign(room.row, { paused, pace }),
};

async function change(message) {
  const room = await enter(message.table);
  if (message.type === "sit") await checkSeats(message.seats, room.game);
  const ply = await room.change(() => CHANGES[message.type](room, message));
  tell({ type: "done", request: message.request, table: message.table, ply });
  tell(room.values());
}

// --- positions and searches

async function findPosition({ table, ply, game: text, moves = [], position }) {
  if (table === undefined) {
    if (position) throw new Error("this page begins at the start: give the moves instead of a position");
    const game = await findGame(text);
    return { game, ...playMoves(game, moves) };
  }
  const room = await enter(table);
  const num = ply ?? room.num;
  if (num > room.line.length) throw new Error(`the game has ${room.line.length} plies, not ${num}`);
  const plies = room.line.slice(0, num);
  return { game: room.game, states: [room.game.start(), ...plies.map((one) => one.state)], actions: plies.map((one) => one.action) };
}

async function start(message) {
  const lane = message.type === "hint" ? "hint" : message.lane ?? "a";
  const turn = {};
  lanes.set(lane, turn);
  const { game, states, actions } = await findPosition(message);
  if (game.seat(states.at(-1)) < 0) throw new Error("there is nothing to search: the game is over or it is chance's turn");
  const player = message.player ?? "level:hard";
  if (readPlayer(player, game, await site).method === "random") throw new Error(`${player} does not search; name a method like uct:1000 or a level`);
  const about = { type: message.type === "hint" ? "hint" : "analysis", request: message.request, table: message.table, ply: actions.length, lane, player };
  const answer = (result, done) => lanes.get(lane) === turn && tell({ ...about, done, result, preparing: false });
  const live = about.type === "analysis" ? (result) => answer(result, false) : () => {};
  const { result } = await search(game, states.at(-1), player, { seed: BigInt(message.seed ?? 0), site: await site, isStopped: () => lanes.get(lane) !== turn, tell: live });
  answer(result, true);
}

async function list(path) {
  if (path === "/api/games" || path === "/api/players") return site;
  if (path === "/api/tables") return { tables: await (await shelf).list() };
  const [, id] = /^\/api\/tables\/(.*)\/record\.json$/.exec(path) || [];
  if (id) return (await enter(id)).record();
  throw new Error(`there is no ${path} without a server`);
}

// --- messages, one after the other; a search goes on beside them

async function show(room, request) {
  tell({ ...room.values(), request });
  if (!room.turn) room.drive();
}

async function answer(message) {
  const { type, request } = message;
  if (type === "new") return show(await makeRoom(message), request);
  if (type === "load") return show(await loadRoom(message), request);
  if (type === "join") return show(await enter(message.table), request);
  if (type === "leave") return rooms.get(message.table)?.then((room) => room.stop());
  if (type === "stop") return lanes.delete(message.lane ?? "a");
  if (type === "get") return tell({ type, request, values: await list(message.path) });
  if (type === "look") {
    const { game, states, actions } = await findPosition(message);
    return tell({ type, request, ...game.position(states, actions), table: message.table ?? null, ply: actions.length });
  }
  if (type === "hint" || type === "analyse") return start(message);
  if (CHANGES[type]) return change(message);
  throw new Error(`type cannot be ${type}`);
}

onmessage = ({ data }) => answer(data).catch((error) => tell({ type: "error", request: data.request, lane: data.lane, error: error.message }));

// A module with one instruction on vectors.
const VECTORS = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11);
site.then(() => {
  if (!WebAssembly.validate(VECTORS)) throw new Error("this browser is too old for the games: its WebAssembly has no vectors (SIMD)");
  tell({ type: "open" });
}).catch((error) => tell({ type: "failed", error: error.message }));
