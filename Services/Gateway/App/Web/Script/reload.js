import { banner } from "./banner.js";
import { base, list } from "./document.js";
import { LoadingState, run } from "./loading-state.js";
import { fetchPage } from "./page-request.js";
import { pictures } from "./pictures.js";
import { showProblem } from "./problem.js";
import { number, rowsOf } from "./rows.js";
import { virtualRows } from "./virtual-rows.js";

/** The newest page: reload by button, key and pull. */
export class Reload {
  state = new LoadingState();
  #button = document.getElementById("reload");

  constructor(pager, news) {
    Object.assign(this, { pager, news });
    this.#button.addEventListener("click", (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      this.now();
    });
    this.#pull();
  }

  now() {
    banner.hide();
    return run(this.state, async () => {
      this.#button.ariaBusy = "true";
      const page = await fetchPage(base + "/");
      const shown = new Map([...list.children].map((row) => [row.id, row]));
      rowsOf(page).forEach((row) => shown.has(row.id) && virtualRows.unfold(shown.get(row.id)));
      // A row that is shown keeps its picture; its words may be new.
      const rows = rowsOf(page).map((row) => {
        const old = shown.get(row.id);
        if (!old) { pictures.prepare(row); return row; }
        old.querySelector(".caption").replaceWith(row.querySelector(".caption"));
        return old;
      });
      const hadFocus = list.contains(document.activeElement);
      list.replaceChildren(...rows);
      shown.forEach((row) => row.isConnected || pictures.forget(row));
      rows.filter((row) => !shown.has(row.id)).forEach((row) => pictures.watch(row));
      number();
      document.querySelectorAll("main > .empty, main > .pager").forEach((old) => old.remove());
      const empty = page.querySelector("main > .empty");
      if (empty) list.before(empty);
      // All rows are new, so no space of an earlier line is kept.
      document.getElementById("problem")?.remove();
      showProblem(page);
      this.pager.replaceEnd(page);
      this.pager.reset();
      this.news.clear();
      list.dataset.first = "";
      if (location.search) history.replaceState(history.state, "", base + "/");
      scrollTo({ top: 0, behavior: "instant" });
      if (hadFocus) list.firstElementChild?.focus({ preventScroll: true });
      return rows;
    }, (message) => banner.show(message)).finally(() => { this.#button.ariaBusy = "false"; });
  }

  /** A pull of 80 px at the top reloads. */
  #pull() {
    let start = null;
    addEventListener("touchstart", (event) => { start = scrollY <= 0 && event.touches.length === 1 ? event.touches[0].clientY : null; }, { passive: true });
    addEventListener("touchmove", (event) => {
      const isFar = start !== null && event.touches[0].clientY - start > 80;
      this.#button.classList.toggle("armed", isFar);
    }, { passive: true });
    addEventListener("touchcancel", () => {
      start = null;
      this.#button.classList.remove("armed");
    });
    addEventListener("touchend", () => {
      start = null;
      if (this.#button.classList.contains("armed")) this.now();
      this.#button.classList.remove("armed");
    });
  }
}
