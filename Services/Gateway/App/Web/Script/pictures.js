import { inert, kind, part } from "./document.js";
import { cancelInWorker } from "./service-worker.js";

/** Requests pictures that are near, and releases those that are far: removing the address of an image cancels its request. */
class Pictures {
  #addresses = new WeakMap();
  /** Observes rows: Chromium does not always report that an image returns which is inside a row with `content-visibility`. */
  #near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      const photo = target.querySelector(".photo");
      isIntersecting ? this.#request(photo, boundingClientRect.width) : this.#release(photo);
    }
  }, { rootMargin: "100% 0px" });

  /**
   * The box of a picture that is near decides which file is sharp. While it is shown it keeps its file when the box shrinks. Another
   * file is chosen after the page is painted, because the choice takes as long as the paint.
   */
  #boxes = new ResizeObserver((entries) => setTimeout(() => {
    for (const { target, contentRect } of entries) if (!(contentRect.width <= parseInt(target.sizes))) this.#fit(target, contentRect.width);
  }));

  /** Takes the address out of a row's picture, before the row is part of the page. */
  prepare(row) {
    const photo = row.querySelector(".photo");
    if (photo) this.#release(photo);
  }

  watch(row) {
    const photo = row.querySelector(".photo");
    if (!photo) return;
    photo.addEventListener("load", () => this.#isBlank(photo) || this.#frame(photo).classList.remove("loading"));
    photo.addEventListener("error", () => this.#isBlank(photo) || this.#fail(photo));
    if (this.#isBlank(photo)) { /* requested when near */ }
    else if (!photo.complete) this.#frame(photo).classList.add("loading");
    else if (!photo.naturalWidth) this.#fail(photo);
    this.#near.observe(row);
  }

  /** Releases the picture of a row that leaves the page. Chromium keeps every image whose `sizes` depend on the window until the page closes, and with it the row. */
  forget(row) {
    const photo = row.querySelector(".photo");
    if (!photo) return;
    this.#near.unobserve(row);
    this.#release(photo);
    photo.removeAttribute("sizes");
  }

  /** A copy of a row with the address of its picture, for storing. */
  restored(row) {
    const copy = inert.importNode(row, true);
    copy.querySelector(".retry")?.remove();
    copy.querySelector(".picture")?.classList.remove("loading", "failed");
    const photo = row.querySelector(".photo");
    if (photo) Object.assign(copy.querySelector(".photo"), this.#addresses.get(photo));
    return copy;
  }

  /** Cancels what has not come while the reader opens another page: it may hold all connections that a browser has to a host. */
  yieldToNavigation() {
    let rows = [];
    const resume = () => {
      rows.forEach((row) => this.#near.observe(row));
      rows = [];
    };
    globalThis.navigation?.addEventListener("navigate", ({ destination, downloadRequest }) => {
      if (destination.sameDocument || downloadRequest !== null || !destination.url.startsWith(location.origin)) return;
      rows = [...document.querySelectorAll(".item:has(> .loading)")];
      for (const row of rows) {
        this.#near.unobserve(row);
        this.#release(row.querySelector(".photo"));
        row.querySelector(".picture").classList.add("loading");
      }
      cancelInWorker();
    });
    globalThis.navigation?.addEventListener("navigateerror", resume);
    addEventListener("pageshow", resume);
  }

  retryFailed() { document.querySelectorAll(".failed .retry").forEach((button) => button.click()); }

  #frame(photo) { return photo.closest(".picture"); }
  #isBlank(photo) { return this.#addresses.has(photo); }

  /** `sizes=auto` would do, but in a row that is not laid out Chromium takes the width of the window, and requests another file. */
  #fit(photo, width) {
    if (kind === "feed" && width) photo.sizes = `${Math.round(width)}px`;
  }

  /** To read a width would lay out all rows, once for each picture. */
  #request(photo, width) {
    this.#fit(photo, width);
    this.#boxes.observe(photo);
    // Chromium loads no lazy picture in a row that is not laid out, however near. A covered one waits until its reader opens it.
    if (!photo.closest(".veil")) photo.loading = "eager";
    const address = this.#addresses.get(photo);
    if (!address) return;
    this.#addresses.delete(photo);
    this.#frame(photo).classList.add("loading");
    Object.assign(photo, address);
  }

  /** The width and height of the image keep its space, so no row moves. */
  #release(photo) {
    if (this.#isBlank(photo)) return;
    this.#boxes.unobserve(photo);
    if (!photo.complete && photo.currentSrc) cancelInWorker(photo.currentSrc);
    this.#addresses.set(photo, { srcset: photo.srcset, src: photo.getAttribute("src") });
    // In this order: without `srcset` the file of `src` would be requested.
    photo.removeAttribute("src");
    photo.removeAttribute("srcset");
    const frame = this.#frame(photo);
    frame.classList.remove("loading", "failed");
    frame.querySelector(".retry")?.remove();
  }

  #fail(photo) {
    const url = photo.currentSrc || photo.src;
    this.#release(photo);
    const frame = this.#frame(photo);
    frame.classList.add("failed");
    const button = part(".retry");
    button.addEventListener("click", () => this.#retry(photo, url));
    frame.append(button);
  }

  /** Requests a picture again without the browser's cache, which may hold the damaged bytes. */
  async #retry(photo, url) {
    const frame = this.#frame(photo);
    const hadFocus = frame.contains(document.activeElement);
    frame.classList.remove("failed");
    frame.querySelector(".retry")?.remove();
    if (hadFocus) photo.closest(".item").focus({ preventScroll: true });
    frame.classList.add("loading");
    await fetch(url, { cache: "reload" }).catch(() => {});
    this.#request(photo, photo.offsetWidth);
  }
}

export const pictures = new Pictures();
