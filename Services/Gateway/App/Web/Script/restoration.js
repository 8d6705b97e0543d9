import { base, list, more } from "./document.js";
import { pictures } from "./pictures.js";
import { number, rowsOf } from "./rows.js";
import { anchor, returnTo } from "./scroll-anchor.js";
import { virtualRows } from "./virtual-rows.js";

/** Stores the rows and the position when the reader leaves, and restores them when the reader returns. */
export class Restoration {
  constructor() {
    history.scrollRestoration = "manual";
    if (!history.state?.key) history.replaceState({ ...history.state, key: crypto.randomUUID?.() ?? String(Math.random()) }, "");
    addEventListener("pagehide", () => this.save());
    addEventListener("popstate", ({ state }) => {
      returnTo(state?.place);
      document.getElementById(state?.place?.id)?.focus({ preventScroll: true });
    });
  }

  get #name() { return "feed:" + history.state?.key; }

  /** Whether the page was opened by "back" and its rows are stored. */
  restore() {
    const type = performance.getEntriesByType("navigation")[0]?.type;
    const stored = type === "back_forward" ? this.#read() : null;
    if (!stored) return;
    const page = new DOMParser().parseFromString(stored.html, "text/html");
    const rows = rowsOf(page);
    rows.forEach((row) => pictures.prepare(row));
    list.replaceChildren(...rows);
    more.replaceChildren(...document.adoptNode(page.getElementById("more")).childNodes);
    document.querySelectorAll("main > .pager").forEach((old) => { if (stored.isFirst) old.remove(); });
    number();
    returnTo(stored.place);
    document.getElementById(stored.focus)?.focus({ preventScroll: true });
  }

  /** Null without an entry, and when the browser permits no storage. */
  #read() {
    try { return JSON.parse(sessionStorage.getItem(this.#name)); } catch { return null; }
  }

  /** Stores all rows, or those around the reader when the browser has no space for all. */
  save() {
    const place = anchor();
    const rows = [...list.children];
    const middle = rows.findIndex((row) => row.id === place?.id);
    const entry = {
      place, focus: document.activeElement?.closest(".item")?.id ?? place?.id, isFirst: "first" in list.dataset,
    };
    for (const reach of [Infinity, 400, 100]) {
      const near = rows.slice(Math.max(0, middle - reach), middle + reach);
      const isCut = near.length < rows.length;
      const html = near.map((row) => virtualRows.restored(row).outerHTML).join("");
      const end = isCut ? this.#linkAfter(near.at(-1)) : more.innerHTML;
      try {
        this.#forgetOthers();
        sessionStorage.setItem(this.#name, JSON.stringify({ ...entry, html: `<div id="list">${html}</div><div id="more">${end}</div>` }));
        return;
      } catch { /* No space: store fewer rows. */ }
    }
  }

  #linkAfter(row) {
    const link = document.createElement("a");
    Object.assign(link, { rel: "next", href: base + "/?after_id=" + row.dataset.id });
    return link.outerHTML;
  }

  /** Only the last positions are worth their space. */
  #forgetOthers() {
    const names = Object.keys(sessionStorage).filter((name) => name.startsWith("feed:") && name !== this.#name);
    names.slice(0, -2).forEach((name) => sessionStorage.removeItem(name));
  }
}
