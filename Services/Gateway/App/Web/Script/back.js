import { base } from "./document.js";

/** Back leads to the page that the reader came from, with its position. */
export function watchBack() {
  document.getElementById("back")?.addEventListener("click", (event) => {
    const isOwn = document.referrer.startsWith(location.origin + base + "/") && history.length > 1;
    if (!isOwn || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    history.back();
  });
}
