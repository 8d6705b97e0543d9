import { kind, list } from "./document.js";
import { pictures } from "./pictures.js";

/** The rows of a document or of the page. */
export function rowsOf(page) { return [...page.querySelectorAll("#list > *")]; }

export function isShown(row) { return document.getElementById(row.id) !== null; }

/** Inserts rows of another document before `next`, without those that are shown already. */
export function insert(rows, next) {
  const added = rows.filter((row) => !isShown(row));
  added.forEach((row) => pictures.prepare(row));
  const fragment = document.createDocumentFragment();
  fragment.append(...added);
  list.insertBefore(fragment, next);
  added.forEach((row) => pictures.watch(row));
  return added;
}

/** Numbers the rows for screen readers. */
export function number() {
  if (kind === "feed") [...list.children].forEach((row, index) => { row.ariaPosInSet = index + 1; });
}

/** An element that rows push down counts as a shift of the layout; one that is put there anew does not, but it loses the focus. */
export function putAnew(...elements) {
  for (const element of elements) {
    if (element && !element.contains(document.activeElement)) element.parentNode.insertBefore(element, element.nextSibling);
  }
}
