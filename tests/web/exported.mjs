// What an exported page would show and find, told by Node: node exported.mjs FOLDER < JSON lines in, JSON lines out.

import { createInterface } from 'node:readline';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

const home = pathToFileURL(`${process.argv[2]}/`);
const { Game } = await import(new URL('game.js', home));
const { search } = await import(new URL('search.js', home));
const site = JSON.parse(await readFile(new URL('site.json', home)));
const games = new Map();
const told = [];

for await (const line of createInterface({ input: process.stdin })) {
  const { game: name, actions, player, seed } = JSON.parse(line);
  if (!games.has(name)) games.set(name, await Game.open(site.games.find((one) => one.name === name), home));
  const game = games.get(name);
  const states = [game.start()];
  for (const action of actions) states.push(game.after(states.at(-1), action));
  const found = player === undefined ? game.position(states, actions)
    : await search(game, states.at(-1), player, { seed: BigInt(seed), site, isStopped: () => false });
  told.push(`${JSON.stringify(found)}\n`);
}
process.stdout.write(told.join(''), () => process.exit(0)); // a search leaves a port open
