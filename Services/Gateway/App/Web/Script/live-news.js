import { banner } from "./banner.js";
import { announce, base, list, notices, part, root } from "./document.js";
import { EventStream } from "./event-stream.js";
import { fetchPage } from "./page-request.js";
import { pictures } from "./pictures.js";
import { showProblem } from "./problem.js";
import { insert, isShown, number, rowsOf } from "./rows.js";
import { anchor } from "./scroll-anchor.js";
import { storedCopy } from "./stored-copy.js";
import { virtualRows } from "./virtual-rows.js";

/** New items: a pill announces them and moves nothing. */
export class LiveNews {
  #ids = new Set();
  #pill = null;

  constructor(pager) {
    this.pager = pager;
    new EventStream(({ name, data }) => {
      if (name === "published") this.#add(JSON.parse(data).items.map((item) => item.id));
      else if (name === "removed") this.#remove(JSON.parse(data).ids);
      else this.check();
    });
  }

  clear() { this.#ids.clear(); this.#update(); }

  /** Compares a newer page with the rows, after events may have been missed, or while a copy is shown. It moves nothing. */
  async check() {
    const isFirst = "first" in list.dataset;
    if (!isFirst && !storedCopy.date) return;
    const page = await fetchPage(isFirst ? base + "/" : location.href).catch(() => null);
    if (!page) return;
    if (isFirst) {
      const above = await this.#rowsAbove(page).catch(() => null);
      this.#add((above ?? this.#newRows(page)).map((row) => row.dataset.id));
    }
    const newer = new Map(rowsOf(page).map((row) => [row.id, row]));
    const shown = [...list.children];
    const known = shown.slice(0, shown.findLastIndex((row) => newer.has(row.id)) + 1);
    this.#remove(known.filter((row) => row.dataset.id && !newer.has(row.id)).map((row) => row.dataset.id));
    showProblem(page);
    for (const row of known) if (newer.has(row.id)) this.#renewWords(row, newer.get(row.id));
  }

  /** Shows the words of a newer page, unless the reader has opened or focused them. */
  #renewWords(row, newer) {
    virtualRows.unfold(row);
    const [old, caption] = [row, newer].map((one) => one.querySelector(".caption"));
    const isInUse = old.contains(document.activeElement) || old.querySelector(".whole");
    if (!isInUse && old.innerHTML !== caption.innerHTML) old.replaceWith(caption);
  }

  #newRows(page) {
    const rows = rowsOf(page);
    const known = rows.findIndex(isShown);
    return known < 0 ? rows : rows.slice(0, known);
  }

  /** All rows that are newer than those that are shown, from the first page on; null when there are too many to insert. */
  async #rowsAbove(page) {
    const rows = [];
    for (let pages = 0; pages <= 8; pages++) {
      const newer = this.#newRows(page);
      rows.push(...newer);
      const next = page.querySelector("#more a[rel=next]")?.getAttribute("href");
      if (newer.length < rowsOf(page).length || !next) return rows;
      if (pages < 8) page = await fetchPage(next);
    }
    return null;
  }

  #add(ids) {
    ids.map((id) => id.toUpperCase()).filter((id) => !isShown({ id: "i-" + id })).forEach((id) => this.#ids.add(id));
    this.#update();
  }

  /** A removed row leaves when it is not on the screen; in the grid when it is below it, because all rows after it move. */
  #remove(ids) {
    for (const id of ids.map((id) => id.toUpperCase())) {
      this.#ids.delete(id);
      const row = document.getElementById("i-" + id);
      if (!row) continue;
      row.classList.add("gone");
      new IntersectionObserver(([entry], observer) => {
        const movesOthers = root.dataset.layout === "grid" && entry.boundingClientRect.top < 0;
        if (entry.isIntersecting || movesOthers || row.contains(document.activeElement)) return;
        observer.disconnect();
        pictures.forget(row);
        row.remove();
        number();
      }).observe(row);
    }
    this.#update();
  }

  #update() {
    const count = this.#ids.size;
    if (!count) { this.#pill?.remove(); this.#pill = null; return; }
    if (!this.#pill) {
      this.#pill = part(".pill");
      this.#pill.addEventListener("click", () => this.show());
      notices.append(this.#pill);
    }
    const { one, other } = this.#pill.dataset;
    const message = (count === 1 ? one : other).replace("%@", count.toLocaleString(root.lang));
    this.#pill.querySelector(".message").textContent = message;
    announce(message);
  }

  /** Inserts the new rows above, and leads to them; "back" leads to where the reader was. */
  async show() {
    banner.hide();
    let rows;
    try {
      rows = await this.#rowsAbove(await fetchPage(base + "/"));
    } catch (error) {
      banner.show(error.message);
      return;
    }
    // A reload or another click may have shown them.
    if (!this.#pill) return;
    if (!rows) { location.assign(base + "/"); return; }
    const place = anchor();
    document.querySelectorAll("main > .empty").forEach((old) => old.remove());
    const added = insert(rows, list.firstElementChild);
    number();
    history.replaceState({ ...history.state, place }, "");
    history.pushState({ key: crypto.randomUUID?.() ?? String(Math.random()) }, "");
    this.clear();
    scrollTo({ top: 0, behavior: "instant" });
    (added[0] ?? list.firstElementChild)?.focus({ preventScroll: true });
  }
}
