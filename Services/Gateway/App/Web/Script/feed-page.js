import { list } from "./document.js";
import { watchFeedKeys } from "./feed-keys.js";
import { LiveNews } from "./live-news.js";
import { Pager } from "./paging.js";
import { pictures } from "./pictures.js";
import { Reload } from "./reload.js";
import { Restoration } from "./restoration.js";
import { rowsOf } from "./rows.js";
import { watchWidth } from "./scroll-anchor.js";
import { replaceCopy } from "./stored-copy.js";
import { virtualRows } from "./virtual-rows.js";

/** The feed: endless scrolling, live news, reload and keys. */
export function startFeed() {
  const restoration = new Restoration();
  restoration.restore();
  rowsOf(document).forEach((row) => pictures.watch(row));
  const pager = new Pager();
  const news = new LiveNews(pager);
  watchFeedKeys(new Reload(pager, news));
  replaceCopy(() => news.check());
  addEventListener("pagehide", () => pager.cancel());
  // Once the frame at the end of the scrolling is painted: a change of the layout scrolls too, and the reader waits for its frame.
  addEventListener("scrollend", () => setTimeout(() => virtualRows.fold()));
  watchWidth();
  list.addEventListener("click", showWhole);
}

/** Shows the rest of a long text in its row. */
function showWhole(event) {
  const link = event.target.closest(".more");
  if (!link || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  const row = link.closest(".item");
  row.querySelector(".text").classList.add("whole");
  row.focus({ preventScroll: true });
  link.remove();
}
