import { relativeDate } from "./relative-date.js";
import { storedCopy } from "./stored-copy.js";

/** Brings all ages on the page up to date. */
function renewAges() {
  for (const element of document.querySelectorAll("time, .end[data-date]")) {
    const { date = element.dateTime, text = "%@" } = element.dataset;
    const words = text.replace("%@", relativeDate(new Date(date)));
    if (element.textContent !== words) element.textContent = words;
  }
  storedCopy.update();
}

/** Renews the ages each minute, and when the page is shown again: the timers of hidden tabs and of stored pages stand still. */
export function watchAges() {
  renewAges();
  setInterval(renewAges, 60_000);
  document.addEventListener("visibilitychange", renewAges);
  addEventListener("pageshow", renewAges);
}
