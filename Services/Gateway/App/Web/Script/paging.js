import { list, more, part } from "./document.js";
import { LoadingState, run } from "./loading-state.js";
import { fetchPage } from "./page-request.js";
import { insert, number, putAnew, rowsOf } from "./rows.js";
import { virtualRows } from "./virtual-rows.js";

/** Loads the next page of the list when its end is near: 400 px before it is shown. */
export class Pager {
  state = new LoadingState();
  #abort = new AbortController();
  #isNear = false;
  #failedAt = 0;
  #observer = new IntersectionObserver(([entry]) => {
    this.#isNear = entry.isIntersecting;
    if (this.#isNear && !this.state.error) this.load();
  }, { rootMargin: "0px 0px 400px 0px" });

  constructor() {
    this.reset();
    // Chromium does not always report that the end is near again when rows in front of it get their size while they are scrolled.
    addEventListener("scrollend", () => this.#observe(), { passive: true });
    // A reader at the end scrolls to try again.
    for (const name of ["scrollend", "wheel"]) {
      addEventListener(name, () => {
        if (this.state.error && this.#isNear && Date.now() - this.#failedAt > 500) this.load();
      }, { passive: true });
    }
  }

  get link() { return more.querySelector("a[rel=next]"); }

  load() {
    const link = this.link;
    if (!link || this.state.isLoading) return;
    const url = link.href;
    const hadFocus = more.contains(document.activeElement);
    return run(this.state, async () => {
      this.#show(part(".outlines"));
      list.ariaBusy = "true";
      const page = await fetchPage(url, { signal: this.#abort.signal });
      const added = insert(rowsOf(page), null);
      number();
      this.replaceEnd(page);
      putAnew(more, document.querySelector(".foot"));
      // A page that leads to itself is the end.
      if (this.link?.href === url) this.link.remove();
      if (hadFocus) (added[0] ?? more).focus();
      return added;
    }, (message) => {
      this.#failedAt = Date.now();
      const failure = part(".failure", message);
      failure.querySelector("button").addEventListener("click", () => this.load());
      this.#show(failure);
      if (hadFocus) failure.querySelector("button").focus();
    }).finally(() => { list.ariaBusy = "false"; this.#observe(); virtualRows.fold(); });
  }

  /** Takes the links and the end line of a page. */
  replaceEnd(page) { more.replaceChildren(...document.adoptNode(page.getElementById("more")).childNodes); }

  cancel() { this.#abort.abort(); this.#abort = new AbortController(); this.state.cancel(); this.#show(null); }

  reset() { this.cancel(); this.state = new LoadingState(); this.#observe(); }

  /** Shows the state of loading in place of the link, which stays for the next attempt. */
  #show(element) {
    more.querySelectorAll(".outlines, .failure").forEach((old) => old.remove());
    if (element) more.append(element);
    // The focus of a link that is hidden would be lost.
    if (element && more.contains(document.activeElement)) { more.tabIndex = -1; more.focus({ preventScroll: true }); }
    more.querySelectorAll(".pager").forEach((pager) => { pager.hidden = element !== null; });
  }

  /** Observes anew, so that an end that is still near is reported again. */
  #observe() { this.#observer.unobserve(more); this.#observer.observe(more); }
}
