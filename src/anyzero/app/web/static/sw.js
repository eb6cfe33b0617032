// Keeps the files of an exported page in the browser: after the first visit it needs no network.
// What `SITE` is, its version and its files, is written above this when the page is exported.

const MINE = `anyzero ${registration.scope} `;
const CACHE = MINE + SITE.version;

addEventListener("install", (event) => event.waitUntil((async () => {
  const cache = await caches.open(CACHE);
  await cache.addAll(SITE.files.map((file) => new Request(encodeURI(file), { cache: "reload" })));
  await skipWaiting();
})()));

addEventListener("activate", (event) => event.waitUntil((async () => {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(MINE) && name !== CACHE).map((name) => caches.delete(name)));
  await clients.claim();
})()));

addEventListener("fetch", (event) => event.respondWith((async () => {
  const cache = await caches.open(CACHE);
  return (await cache.match(event.request, { ignoreSearch: true })) || fetch(event.request);
})()));
