// The parts of the document that every page has.

export const root = document.documentElement;
export const kind = root.dataset.kind;

/** The path in front of those of the site; mostly empty. */
export const base = root.dataset.base;

const parts = document.getElementById("parts").content;

/** The texts of messages, in the language of the page. */
export const texts = parts.querySelector(".texts").dataset;

export const list = document.getElementById("list");
export const more = document.getElementById("more");
export const notices = document.querySelector(".notices");

/** A document in which pictures load nothing. */
export const inert = document.implementation.createHTMLDocument();

/** A copy of a part of the template, with a message. */
export function part(name, message) {
  const copy = parts.querySelector(name).cloneNode(true);
  if (message !== undefined) copy.querySelector(".message").textContent = message;
  return copy;
}

/** Tells a screen reader, and changes nothing on the screen. */
export function announce(message) { document.getElementById("status").textContent = message; }

/** Notices are under the bar, which has two lines with large text. */
export const bar = document.querySelector(".bar");
if (bar) new ResizeObserver(() => notices.style.setProperty("--bar-height", `${bar.offsetHeight}px`)).observe(bar);
