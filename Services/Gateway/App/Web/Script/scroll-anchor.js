import { list } from "./document.js";

/** The distance of the middle of a row's picture from the top of the window. */
export function middleOf(row) {
  const { top, height } = (row.querySelector(".picture") ?? row).getBoundingClientRect();
  return top + height / 2;
}

/** The picture next to the middle of the window, and its place there. */
export function anchor() {
  const distance = ({ place }) => Math.abs(place - innerHeight / 2);
  // The picture of a row that is not on the screen has no layout yet.
  const rows = [...list.children].map((row) => ({ row, box: row.getBoundingClientRect() }))
    .filter(({ box }) => box.bottom > 0 && box.top < innerHeight).map(({ row }) => ({ id: row.id, place: middleOf(row) }));
  return rows.length ? rows.reduce((one, other) => distance(other) < distance(one) ? other : one) : null;
}

/** The picture that the page has returned to last. */
let returned = null;

/** What the reader looks at: the picture that the page has returned to, while it is still there, or else that in the middle of the window. */
export function lookedAt() {
  const row = document.getElementById(returned?.id);
  return row && Math.abs(middleOf(row) - returned.reached) <= 1 ? returned : anchor();
}

let returning = new AbortController();

/**
 * Scrolls until a picture is at its place again. It takes some steps: rows that were never shown have only an estimated size, and near
 * the end the next page must come first. A later call ends those before.
 */
export function returnTo(anchor) {
  const row = document.getElementById(anchor?.id);
  if (!row) return;
  let [steps, steady] = [0, 0];
  returned = anchor;
  returning.abort();
  const reader = returning = new AbortController();
  // A reader who scrolls decides.
  for (const name of ["wheel", "touchstart", "keydown"]) addEventListener(name, () => reader.abort(), { signal: reader.signal, passive: true });
  const adjust = () => {
    if (reader.signal.aborted) return;
    const difference = middleOf(row) - anchor.place;
    steady = Math.abs(difference) > 0.5 ? 0 : steady + 1;
    if (!steady) scrollBy({ top: difference, behavior: "instant" });
    anchor.reached = middleOf(row);
    if (++steps < 180 && steady < 5) return requestAnimationFrame(adjust);
    reader.abort();
    keep(anchor);
  };
  adjust();
}

/** A picture and its place in a window of a certain height; null at the top of the feed. */
let kept = null;

function keep(anchor) { kept = anchor && scrollY > 0 ? { ...anchor, height: innerHeight } : null; }

/** Keeps what the reader looks at in its place when the width changes, for example because a phone is turned: all rows get another height. */
export function watchWidth() {
  let width = innerWidth;
  addEventListener("scrollend", () => keep(lookedAt()));
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    if (kept) returnTo({ id: kept.id, place: kept.place / kept.height * innerHeight });
  });
}
