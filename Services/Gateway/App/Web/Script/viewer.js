import { watchKeys } from "./keys.js";
import { loadAhead, openNeighbour } from "./neighbours.js";
import { showPlaceholder } from "./viewer-placeholder.js";
import { watchFailure } from "./viewer-retry.js";

/** Zoom by wheel, pinch and double tap; a tap hides the caption; swipe and arrows lead to the neighbours, Escape and a swipe down close. */
class Viewer {
  #stage = document.getElementById("stage");
  #image = this.#stage.querySelector("img");
  #caption = document.getElementById("stage-caption");
  #pointers = new Map();
  #scale = 1;
  #x = 0;
  #y = 0;
  /** Where the only finger went down; null after a second one. */
  #start = null;
  #lastTap = null;

  constructor() {
    const stage = this.#stage;
    stage.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.#zoom(this.#scale * Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
    }, { passive: false });
    stage.addEventListener("pointerdown", (event) => {
      const control = event.target.closest("a, button, summary");
      // A swipe may begin on the retry sign, which is in the middle. A captured pointer would not press it.
      if (event.button || control && !control.matches(".retry")) return;
      if (!control) stage.setPointerCapture(event.pointerId);
      this.#pointers.set(event.pointerId, event);
      this.#start = this.#pointers.size === 1 ? event : null;
    });
    stage.addEventListener("pointermove", (event) => this.#move(event));
    stage.addEventListener("pointerup", (event) => this.#release(event));
    stage.addEventListener("pointercancel", (event) => { this.#pointers.delete(event.pointerId); this.#start = null; });
    stage.addEventListener("dragstart", (event) => event.preventDefault());
    addEventListener("resize", () => this.#draw());
    const zoom = (factor) => this.#zoom(this.#scale * factor, innerWidth / 2, innerHeight / 2);
    watchKeys({
      "+": () => zoom(1.5),
      "-": () => zoom(1 / 1.5),
      "0": () => zoom(0),
      "c": () => this.#toggleCaption(),
      "Escape": () => this.#close(),
    });
  }

  #close() { document.getElementById("back").click(); }

  #toggleCaption() { this.#caption.classList.toggle("away"); }

  /** Keeps the point under the pointer in its place. */
  #zoom(scale, x, y) {
    const bounded = Math.min(8, Math.max(1, scale));
    const box = this.#image.getBoundingClientRect();
    const factor = bounded / this.#scale - 1;
    this.#x -= (x - box.x - box.width / 2) * factor;
    this.#y -= (y - box.y - box.height / 2) * factor;
    this.#scale = bounded;
    this.#draw();
  }

  /** A side that is longer than the window covers the window; a shorter one is in its middle. */
  #draw() {
    const bounded = (offset, side, window) => {
      const room = Math.max(0, (side * this.#scale - window) / 2);
      return Math.min(room, Math.max(-room, offset));
    };
    this.#x = bounded(this.#x, this.#image.offsetWidth, innerWidth);
    this.#y = bounded(this.#y, this.#image.offsetHeight, innerHeight);
    this.#image.style.transform = `translate(${this.#x}px, ${this.#y}px) scale(${this.#scale})`;
    this.#stage.classList.toggle("zoomed", this.#scale > 1);
  }

  #move(event) {
    const old = this.#pointers.get(event.pointerId);
    if (!old) return;
    const others = [...this.#pointers.values()].filter((pointer) => pointer !== old);
    this.#pointers.set(event.pointerId, event);
    if (others.length === 1) {
      // Two fingers may be at the same point.
      const distance = (pointer) => Math.max(1, Math.hypot(pointer.clientX - others[0].clientX, pointer.clientY - others[0].clientY));
      this.#zoom(this.#scale * distance(event) / distance(old), (event.clientX + others[0].clientX) / 2, (event.clientY + others[0].clientY) / 2);
    } else if (this.#scale > 1) {
      this.#x += event.clientX - old.clientX;
      this.#y += event.clientY - old.clientY;
      this.#draw();
    }
  }

  #release(event) {
    // A finger on a link or a button is none of these.
    if (!this.#pointers.delete(event.pointerId)) return;
    const start = this.#start;
    this.#start = null;
    if (!start) return;
    const [x, y] = [event.clientX - start.clientX, event.clientY - start.clientY];
    if (Math.hypot(x, y) < 10) start.target.closest(".retry") || this.#tap(event);
    else if (this.#scale > 1 || event.pointerType === "mouse") return;
    else if (y > 80 && y > Math.abs(x)) this.#close();
    else if (Math.abs(x) > 60 && Math.abs(x) > Math.abs(y)) openNeighbour(x < 0 ? "next" : "prev");
  }

  /** The second of two taps shows the caption again as it was, and zooms. */
  #tap(event) {
    this.#toggleCaption();
    const isSecond = this.#lastTap && event.timeStamp - this.#lastTap.timeStamp < 300
      && Math.hypot(event.clientX - this.#lastTap.clientX, event.clientY - this.#lastTap.clientY) < 40;
    this.#lastTap = isSecond ? null : event;
    if (isSecond) this.#zoom(this.#scale > 1 ? 1 : 2.5, event.clientX, event.clientY);
  }
}

/** The picture in full size. */
export function startViewer() {
  new Viewer();
  showPlaceholder();
  watchFailure();
  loadAhead();
}
