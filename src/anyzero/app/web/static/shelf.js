// The tables of an exported page, in the browser's own database; without one they last as long as the page.

const NAME = "anyzero";

export class Shelf {
  // Each folder has its own tables: pages of one host share a database.
  static async open(folder) {
    const shelf = new Shelf();
    shelf.folder = folder;
    shelf.rows = new Map();
    shelf.database = await new Promise((resolve) => {
      const asked = globalThis.indexedDB?.open(NAME, 1);
      if (!asked) return resolve(null);
      asked.onupgradeneeded = () => asked.result.createObjectStore("tables", { keyPath: "key" });
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => resolve(null);
    });
    return shelf;
  }

  ask(mode, act) {
    return new Promise((resolve, reject) => {
      const asked = act(this.database.transaction("tables", mode).objectStore("tables"));
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(new Error(`the browser could not save the game: ${asked.error.message}`));
    });
  }

  async keep(row) {
    if (!this.database) this.rows.set(row.id, structuredClone(row));
    else await this.ask("readwrite", (store) => store.put({ ...row, key: `${this.folder} ${row.id}` }));
  }

  async find(id) {
    const row = this.database ? await this.ask("readonly", (store) => store.get(`${this.folder} ${id}`)) : this.rows.get(id);
    if (!row) throw new Error(`there is no game ${id} here`);
    return row;
  }

  // The games with moves that were changed last.
  async list(most = 50) {
    const range = this.database && IDBKeyRange.bound(`${this.folder} `, `${this.folder} \uffff`);
    const rows = this.database ? await this.ask("readonly", (store) => store.getAll(range)) : [...this.rows.values()];
    return rows.filter((row) => row.num_moves).sort((one, other) => other.changed - one.changed).slice(0, most);
  }
}
