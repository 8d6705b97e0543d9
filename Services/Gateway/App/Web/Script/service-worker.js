import { base } from "./document.js";

/**
 * The service worker stores pages and pictures. It learns what it could not see: what was requested before it controlled this page,
 * also if the answer comes later.
 */
async function register() {
  await navigator.serviceWorker.register(base + "/worker.js");
  const { active } = await navigator.serviceWorker.ready;
  active.postMessage({ store: [location.href, new URL(base + "/offline", location).href] });
  new PerformanceObserver((list) => {
    const unseen = list.getEntries().filter((entry) => entry.workerStart === 0 && entry.name.startsWith(location.origin + base + "/"));
    if (unseen.length) active.postMessage({ store: unseen.map((entry) => entry.name) });
  }).observe({ type: "resource", buffered: true });
}

export function registerWorker() { if ("serviceWorker" in navigator) register().catch(() => {}); }

/** A browser that cancels the request of a page does not cancel that of the worker behind it. Without a URL: all pictures of this page. */
export function cancelInWorker(url) { navigator.serviceWorker?.controller?.postMessage({ cancels: true, url }); }
