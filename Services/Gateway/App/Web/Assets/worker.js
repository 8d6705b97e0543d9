// The service worker: it stores the last pages and pictures, so that the page opens without a network.

const assets = "assets-1";
const pages = "pages-1";
const images = "images-1";

/** How many pages and pictures are stored; the oldest leave first. */
const limits = { [assets]: 20, [pages]: 100, [images]: 300 };

/**
 * How many entries more than the limit a cache may have before the oldest leave. To list a cache makes an object for each of its
 * entries, so it is not listed for each entry that is stored.
 */
const surplus = { [assets]: 5, [pages]: 20, [images]: 50 };

/** The entries that this worker has stored since it last listed the cache; a worker that has just started has listed none. */
const storedSinceListing = { ...surplus };

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
  if (!name) return;
  event.respondWith(name === assets ? storedFirst(event, name) : networkFirst(event, name));
});

/** A page sends what it has loaded before this worker could see it. */
addEventListener("message", (event) => {
  event.waitUntil((async () => {
    for (const url of event.data.store ?? []) {
      const request = new Request(url, { headers: { Accept: url.includes("/data") ? "image/*" : "text/html" } });
      const name = cacheFor(request);
      if (!name || await find(name, request)) continue;
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
  const isPage = path === "" || /^image\/[^/]+(\/picture)?$/.test(path);
  return isPage && !isSetting ? pages : null;
}

/** The key of a stored answer: one for all sizes of a picture, so that any size is better than none. */
function keyOf(name, request) {
  const url = new URL(request.url);
  url.hash = "";
  if (name === images) url.search = "";
  return url.href;
}

async function find(name, request) { return (await caches.open(name)).match(keyOf(name, request)); }

/** Stores an answer with its date. A small size never replaces a picture that is stored. */
async function keep(name, request, response) {
  if (response.status !== 200 || response.redirected) return;
  const cache = await caches.open(name);
  const key = keyOf(name, request);
  const headers = new Headers(response.headers);
  headers.set("X-Stored", new Date().toISOString());
  const copy = new Response(await response.blob(), { status: 200, headers });
  // An entry that is stored again is the newest again.
  await cache.delete(key);
  await cache.put(key, copy);
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

async function networkFirst(event, name) {
  try {
    const response = await fetch(event.request);
    event.waitUntil(keep(name, event.request, response.clone()));
    // The gateway answers, but cannot reach its services: a stored copy is better.
    if (response.status < 502) return response;
    return await storedCopy(name, event.request) ?? response;
  } catch (error) {
    if (event.request.signal.aborted) throw error;
    const stored = await storedCopy(name, event.request);
    if (!stored) throw error;
    return stored;
  }
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
