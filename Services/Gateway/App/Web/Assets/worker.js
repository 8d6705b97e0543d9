// The service worker: it stores the last pages and pictures, so that the page opens without a network.

const assets = "assets-1";
const pages = "pages-1";
const images = "images-2";

/** Shown in place of a page that is not stored. */
const offline = registration.scope + "offline";

/** How long a reader waits for the network when a copy of a page or a picture is stored. */
const patience = 3_000;

/** How many pages and pictures are stored; the oldest leave first. */
const limits = { [assets]: 20, [pages]: 100, [images]: 300 };

/**
 * How many entries more than the limit a cache may have before the oldest leave. To list a cache makes an object for each of its
 * entries, so it is not listed for each entry that is stored.
 */
const surplus = { [assets]: 5, [pages]: 20, [images]: 50 };

/** The entries that this worker has stored since it last listed the cache; a worker that has just started has listed none. */
const storedSinceListing = { ...surplus };

/** The requests for pictures under way, and the pages that wait for them. A browser that cancels a page's request leaves the worker's. */
const loading = new Set();

addEventListener("install", () => skipWaiting());

addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    const known = Object.keys(limits);
    for (const name of await caches.keys()) if (!known.includes(name)) await caches.delete(name);
    await clients.claim();
  })());
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const name = cacheFor(request);
  if (name === assets) event.respondWith(storedFirst(event, name));
  else if (name || request.mode === "navigate" && request.method === "GET") event.respondWith(networkFirst(event, name));
});

/** A page sends what it has loaded before this worker could see it, and which picture it does not want any more; without a URL, all of them. */
addEventListener("message", (event) => {
  const { store = [], cancels, url } = event.data;
  if (cancels) for (const one of loading) if (one.page === event.source.id && one.url === (url ?? one.url)) one.controller.abort();
  event.waitUntil((async () => {
    for (const url of store) {
      const request = new Request(url, { headers: { Accept: url.includes("/data") ? "image/*" : "text/html" } });
      const name = cacheFor(request);
      // The offline page follows the settings of the reader.
      if (!name || url !== offline && await caches.match(url, { cacheName: name })) continue;
      const response = await fetch(request).catch(() => null);
      if (response) await keep(name, request, response);
    }
  })());
});

/** The cache of a request; null for what is never stored. */
function cacheFor(request) {
  const url = new URL(request.url);
  if (request.method !== "GET" || !url.href.startsWith(registration.scope)) return null;
  const path = url.href.slice(registration.scope.length).replace(/[?#].*/, "");
  if (path.startsWith("assets/")) return assets;
  if (/^v1\/image\/[^/]+\/data$/.test(path)) return images;
  const isSetting = ["theme", "layout", "lang"].some((name) => url.searchParams.has(name));
  const isPage = /^(offline|image\/[^/]+(\/picture)?)?$/.test(path);
  return isPage && !isSetting ? pages : null;
}

/** A stored answer. Any size of a picture is better than none. */
async function find(cacheName, { url }) {
  return await caches.match(url, { cacheName }) ?? (cacheName === images ? caches.match(url, { cacheName, ignoreSearch: true }) : undefined);
}

/** Stores an answer with its date. An entry that is stored again is the newest again. */
async function keep(name, request, response) {
  if (response.status !== 200 || response.redirected) return;
  const cache = await caches.open(name);
  const headers = new Headers(response.headers);
  headers.set("X-Stored", new Date().toISOString());
  const body = await response.blob();
  // A page whose comments were late does not replace a copy that has them.
  if (name === pages && (await body.text()).includes('id="late"') && await cache.match(request.url)) return;
  await cache.put(request.url, new Response(body, { status: 200, headers }));
  if (++storedSinceListing[name] <= surplus[name]) return;
  storedSinceListing[name] = 0;
  const keys = await cache.keys();
  for (const old of keys.slice(0, Math.max(0, keys.length - limits[name]))) await cache.delete(old);
}

async function storedFirst(event, name) {
  const stored = await find(name, event.request);
  if (stored) return stored;
  const response = await fetch(event.request);
  event.waitUntil(keep(name, event.request, response.clone()));
  return response;
}

/** The answer of the network, or an empty one that nobody waits for when the page has cancelled its request. */
async function cancellable({ request, clientId }) {
  const one = { page: clientId, url: request.url, controller: new AbortController() };
  loading.add(one);
  try {
    return await fetch(request, { signal: one.controller.signal });
  } catch (error) {
    if (!one.controller.signal.aborted) throw error;
    return new Response(null, { status: 499 });
  } finally {
    loading.delete(one);
  }
}

/** The answer of the network. A stored copy takes its place when it fails, and when the reader waits for a page or a picture too long. */
async function networkFirst(event, name) {
  const { request } = event;
  const isOpened = request.mode === "navigate";
  // A script can wait: it shows a copy already.
  const isWaitedFor = isOpened || name === images;
  const network = name === images ? cancellable(event) : fetch(request);
  // An answer that is too late for the reader is stored nevertheless.
  if (name) event.waitUntil(network.then((response) => keep(name, request, response.clone())).catch(() => {}));
  const answer = network.catch(() => null);
  const response = await Promise.race([answer, ...(isWaitedFor ? [new Promise((done) => setTimeout(done, patience))] : [])]);
  // The gateway answers, but cannot reach its services: a stored copy is better.
  if (response && response.status < 502) return response;
  return (name && await storedCopy(name, request)) ?? await answer ?? (isOpened && await find(pages, { url: offline }) || network);
}

/** A stored answer; a page names the date of the copy, which the script shows. */
async function storedCopy(name, request) {
  const stored = await find(name, request);
  if (!stored || name !== pages) return stored;
  const text = await stored.text();
  const headers = new Headers(stored.headers);
  for (const name of ["Content-Encoding", "Content-Length", "ETag"]) headers.delete(name);
  return new Response(text.replace("<html ", `<html data-stored="${stored.headers.get("X-Stored")}" `), { headers });
}
