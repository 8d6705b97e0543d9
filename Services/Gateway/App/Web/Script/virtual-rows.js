import { inert, list, root } from "./document.js";
import { pictures } from "./pictures.js";

/** Folds rows that are far away: the row stays with its space, what is in it becomes text. So thousands of rows stay light. */
class VirtualRows {
  /** How many rows may stay unfolded. */
  static #limit = 120;

  #contents = new WeakMap();
  #near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) this.unfold(target);
  }, { rootMargin: "300% 0px" });

  fold() {
    const rows = [...list.children].filter((row) => !this.#contents.has(row));
    if (rows.length <= VirtualRows.#limit) return;
    const boxes = rows.map((row) => row.getBoundingClientRect());
    rows.forEach((row, index) => {
      const { top, bottom, height } = boxes[index];
      if ((bottom >= -5 * innerHeight && top <= 6 * innerHeight) || row.contains(document.activeElement)) return;
      // In the grid its ratio gives a row its height.
      if (root.dataset.layout === "list") row.style.setProperty("--height", `${height}px`);
      this.#contents.set(row, pictures.restored(row).innerHTML);
      pictures.forget(row);
      row.replaceChildren();
      this.#near.observe(row);
    });
  }

  unfold(row) {
    const html = this.#contents.get(row);
    if (html === undefined) return;
    this.#contents.delete(row);
    this.#near.unobserve(row);
    row.style.removeProperty("--height");
    const content = inert.createElement("div");
    content.innerHTML = html;
    pictures.prepare(content);
    row.append(...content.childNodes);
    pictures.watch(row);
  }

  /** The row as the server sent it, for storing. */
  restored(row) {
    const copy = pictures.restored(row);
    if (this.#contents.has(row)) copy.innerHTML = this.#contents.get(row);
    copy.style.removeProperty("--height");
    return copy;
  }
}

export const virtualRows = new VirtualRows();
