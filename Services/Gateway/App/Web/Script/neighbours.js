import { watchKeys } from "./keys.js";

/** Replaces the page by that of the neighbouring image, so that one "back" leaves both. */
export function openNeighbour(rel) {
  const link = document.querySelector(`.neighbour[rel=${rel}]`);
  if (link) location.replace(link.href);
}

export function watchNeighbours() {
  document.querySelectorAll(".neighbour").forEach((link) => link.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    openNeighbour(link.rel);
  }));
  watchKeys({ "ArrowLeft": () => openNeighbour("prev"), "ArrowRight": () => openNeighbour("next") });
}

/** Loads the pictures of the neighbours when that of the page is there. */
export async function loadAhead() {
  await document.querySelector("#stage img").decode().catch(() => {});
  for (const { dataset } of document.querySelectorAll("[data-ahead]")) Object.assign(new Image(), { fetchPriority: "low", src: dataset.ahead });
}
