// A game in WebAssembly, as `anyzero export GAME --wasm FOLDER` writes it: in a page, in a worker, or in Node.
// All addresses stand in GAME.json; a function is called by the address of its frame.

const KINDS = {
  '<f4': Float32Array, '<f8': Float64Array, '|i1': Int8Array, '|u1': Uint8Array, '<i2': Int16Array, '<u2': Uint16Array,
  '<i4': Int32Array, '<u4': Uint32Array, '<i8': BigInt64Array, '<u8': BigUint64Array,
};

async function read(file, base) {
  const url = new URL(file, base);
  if (url.protocol === 'file:' && globalThis.process) return (await import('node:fs/promises')).readFile(url);
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${file} cannot be read: ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

export async function load(name, base = import.meta.url) { return (await prepare(name, base))(); }

// Reads the files of a module once; what comes back makes a game with a memory of its own each time it is called.
export async function prepare(name, base = import.meta.url) {
  const files = await Promise.all(['json', 'bin', 'wasm'].map((ending) => read(`${name}.${ending}`, base)));
  const plan = JSON.parse(new TextDecoder().decode(files[0]));
  const weights = plan.weights && check(plan.weights, await read(`${name}.weights`, base));
  const module = await WebAssembly.compile(files[2]).catch((error) => {
    throw new Error(`this browser cannot run ${name}.wasm (it may lack vectors): ${error.message}`);
  });
  return async () => {
    const memory = new WebAssembly.Memory({initial: plan.pages});
    const stack = new WebAssembly.Global({value: 'i32', mutable: true}, plan.stack);
    const env = {__linear_memory: memory, __stack_pointer: stack};
    for (const {name: wanted} of WebAssembly.Module.imports(module)) env[wanted] ??= mathematics(wanted);
    const {exports} = await WebAssembly.instantiate(module, {env});
    for (const [address, start, length] of plan.image) {
      new Uint8Array(memory.buffer, address, length).set(files[1].subarray(start, start + length));
    }
    if (weights) unpack(plan.weights, weights, memory);
    return new Game(plan, memory, exports);
  };
}

// --- weights: 16-bit numbers

function check({check: wanted, bytes}, content) {
  if (content.length !== bytes || crc32(content) !== wanted) throw new Error('the weights of the net are damaged: load the page anew, or export it again');
  return content;
}

function crc32(content) {
  const table = Uint32Array.from({length: 256}, (_, byte) => {
    for (let bit = 0; bit < 8; bit += 1) byte = (byte >>> 1) ^ (byte & 1 ? 0xedb88320 : 0);
    return byte;
  });
  let value = 0xffffffff;
  for (const byte of content) value = (value >>> 8) ^ table[(value ^ byte) & 255];
  return ~value >>> 0;
}

// Numbers as they are, or the nine weights of convolutions, which `transform` makes what kernels read.
function unpack({parts, transform}, content, memory) {
  const table = Float32Array.from({length: 65536}, (_, word) => wide(word));
  const words = new Uint16Array(content.buffer, content.byteOffset, content.length / 2);
  let start = 0;
  for (const [address, rows, columns] of parts) {
    const numbers = new Float32Array(columns * (rows || 1));
    for (let index = 0; index < numbers.length; index += 1) numbers[index] = table[words[start + index]];
    start += numbers.length;
    const target = new Float32Array(memory.buffer, address, columns * (rows ? transform.length : 1));
    if (!rows) target.set(numbers);
    else transform.forEach((factors, point) => combine(factors, numbers, target.subarray(point * columns, (point + 1) * columns)));
  }
}

function combine(factors, numbers, target) {
  const sums = new Float64Array(target.length);
  factors.forEach((factor, row) => {
    for (let index = 0; factor && index < sums.length; index += 1) sums[index] += factor * numbers[row * sums.length + index];
  });
  target.set(sums);
}

// A 16-bit number.
function wide(word) {
  const sign = word >> 15 ? -1 : 1, exponent = (word >> 10) & 31, fraction = word & 1023;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : fraction * 2 ** -24);
}

function mathematics(name) {
  if (Math[name]) return Math[name];
  const wide = Math[name.replace(/f$/, '')];
  if (!wide) throw new Error(`there is no function ${name}`);
  return (...numbers) => Math.fround(wide(...numbers));
}

class Game {
  constructor(plan, memory, exports) {
    Object.assign(this, {plan, memory, exports, sizes: plan.sizes});
  }

  // The numbers of an array in memory, or the bytes of records; they change with it.
  array(name) {
    const {address, kind, shape} = this.plan.arrays[name];
    const num = shape.reduce((product, size) => product * size, 1);
    return kind.size ? new Uint8Array(this.memory.buffer, address, num * kind.size)
      : new KINDS[kind](this.memory.buffer, address, num);
  }

  // Numbers that a function is called with, by name.
  write(name, numbers) {
    for (const [argument, number] of Object.entries(numbers)) {
      const [address, kind] = this.plan.slots[`${name}.${argument}`];
      const slot = new KINDS[kind](this.memory.buffer, address, 1);
      slot[0] = slot instanceof BigInt64Array || slot instanceof BigUint64Array ? BigInt(number) : number;
    }
  }

  // Calls a function; arrays are written before and read afterwards.
  call(name, numbers = {}) {
    this.write(name, numbers);
    const frame = this.plan.frames[name], status = this.exports[name](frame);
    if (status !== 0) throw new Error(`${name} ended with the status ${status}`);
    const kind = this.plan.results[name];
    if (!kind) return undefined;
    const result = new KINDS[kind](this.memory.buffer, frame + 8, 1)[0];
    return kind === '<u8' ? result : Number(result);
  }

  // --- positions are bytes of the caller's own; a 64-bit word, as a seed is, comes back as a BigInt

  ask(name, state, numbers) {
    this.array('state').set(state);
    return this.call(name, numbers);
  }

  initialState() {
    this.array('state').fill(0);
    this.call('initial_state');
    return this.array('state').slice();
  }

  // 0 and up, -1 where it is chance's turn, -2 when the game is over.
  seatToMove(state) { return this.ask('seat_to_move', state); }

  // Actions, or outcomes of chance.
  legalActions(state) {
    const num = this.ask('legal_actions', state);
    return Array.from(this.array('actions').subarray(0, num));
  }

  play(state, action) {
    this.ask('play', state, {action});
    return this.array('state').slice();
  }

  payoffs(state) {
    this.ask('payoffs', state);
    return Array.from(this.array('payoffs'));
  }

  // The action of the player that the file was made with; the same seed, the same action.
  search(state, seed = 0) { return this.ask('search', state, {seed}); }
}
