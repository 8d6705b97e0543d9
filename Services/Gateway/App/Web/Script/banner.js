import { notices, part } from "./document.js";

/** The error banner. It hides on tap and on the next reload; the rows stay. */
export const banner = {
  element: null,
  show(message) {
    this.hide();
    this.element = part(".banner", message);
    this.element.addEventListener("click", () => this.hide());
    notices.append(this.element);
  },
  hide() { this.element?.remove(); this.element = null; },
};
