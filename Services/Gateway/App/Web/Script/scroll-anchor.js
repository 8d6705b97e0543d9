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

let returning = new AbortController();

/**
 * Scrolls until a picture is at its place again. It takes some steps: rows that were never shown have only an estimated size, and near
 * the end the next page must come first. A later call ends those before.
 */
export function returnTo(anchor) {
  const row = document.getElementById(anchor?.id);
  if (!row) return;
  let [steps, steady] = [0, 0];
  returning.abort();
  const reader = returning = new AbortController();
  // A reader who scrolls decides.
  for (const name of ["wheel", "touchstart", "keydown"]) addEventListener(name, () => reader.abort(), { signal: reader.signal, passive: true });
  const adjust = () => {
    if (reader.signal.aborted || ++steps > 180 || steady === 5) return reader.abort();
    anchor.reached = middleOf(row);
    const difference = anchor.reached - anchor.place;
    steady = Math.abs(difference) > 0.5 ? 0 : steady + 1;
    if (!steady) scrollBy({ top: difference, behavior: "instant" });
    requestAnimationFrame(adjust);
  };
  adjust();
}

/** Keeps the picture in the middle of the window when the width changes, for example because a phone is turned: all rows get another height. */
export function watchWidth() {
  let [place, width, height] = [null, innerWidth, innerHeight];
  addEventListener("scrollend", () => { [place, height] = [scrollY > 0 ? anchor() : null, innerHeight]; });
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    if (place) returnTo({ ...place, place: place.place / height * innerHeight });
  });
}
