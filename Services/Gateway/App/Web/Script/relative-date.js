import { root } from "./document.js";

/** The number of whole months between two dates, in UTC: one from January 31 to the last day of February. */
function wholeMonths(from, to) {
  const [year, month] = [to.getUTCFullYear(), to.getUTCMonth()];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const isOver = new Date(from).setUTCFullYear(year, month, Math.min(from.getUTCDate(), lastDay)) <= to;
  return 12 * (year - from.getUTCFullYear()) + month - from.getUTCMonth() - (isOver ? 0 : 1);
}

/** "2 hours ago" in the language of the page, in the units of `RelativeDate` in Presentation. */
export function relativeDate(date) {
  const now = new Date();
  const seconds = Math.max(0, (now - date) / 1000);
  const months = seconds && wholeMonths(date, now);
  const ages = [
    ["year", months / 12], ["month", months], ["week", seconds / 604_800], ["day", seconds / 86_400], ["hour", seconds / 3_600],
    ["minute", seconds / 60], ["second", seconds],
  ];
  const [unit, count] = ages.find(([, count]) => count >= 1) ?? ["second", 0];
  return new Intl.RelativeTimeFormat(root.lang, { numeric: count ? "always" : "auto" }).format(-Math.floor(count), unit);
}
