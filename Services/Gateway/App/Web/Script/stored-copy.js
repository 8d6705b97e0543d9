import { longer, pauses } from "./backoff.js";
import { notices, part, root, texts } from "./document.js";
import { relativeDate } from "./relative-date.js";

/** The bar that shows that the page is a copy, or that there is no network. */
export const storedCopy = {
  element: null,
  /** Takes from a page when its copy was stored: by the gateway, or else by the service worker, which may have stored that copy. */
  show(page) {
    const line = page.querySelector("[data-cached]");
    this.date = line?.dataset.cached || page.documentElement.dataset.stored;
    document.querySelectorAll("[data-cached]").forEach((line) => line.remove());
    this.update();
  },
  update() {
    const words = navigator.onLine ? texts.cached : texts.offlineCached;
    const message = this.date ? words.replace("%@", relativeDate(new Date(this.date))) : navigator.onLine ? null : texts.offline;
    if ((this.element?.textContent.trim() ?? "") === (message ?? "")) return;
    this.element ??= notices.appendChild(part(".offline"));
    this.element.querySelector(".message").textContent = message;
    // The space of its line stays: what the reader looks at would move.
    this.element.classList.toggle("past", !message);
  },
};

/**
 * Replaces a copy that is shown as soon as the network is back, or now when the service worker has shown it: the network may answer
 * still. A network that is back may not answer at once.
 * @param renew Loads what the page shows again, and moves nothing.
 */
export function replaceCopy(renew) {
  let timer = null;
  const replace = async (pause = pauses.first) => {
    clearTimeout(timer);
    if (!storedCopy.date || !navigator.onLine) return;
    await renew();
    clearTimeout(timer);
    timer = setTimeout(replace, pause, longer(pause));
  };
  addEventListener("online", () => replace());
  if (root.dataset.stored) replace();
}
