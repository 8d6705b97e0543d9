import { list, root } from "./document.js";
import { lookedAt, returnTo } from "./scroll-anchor.js";

function cookie(name) {
  return document.cookie.split("; ").find((pair) => pair.startsWith(name + "="))?.slice(name.length + 1);
}

/** The rows on the screen while the layout changes. */
let shown = [];

/**
 * Lays out only the rows on the screen until they are painted: the browser would lay out all that were near before, and all that are near
 * now, which are several screens.
 */
function showFirst(change) {
  shown.forEach((row) => row.classList.remove("shown"));
  list.classList.add("changing");
  change();
  shown = [...list.children].filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    // The heights are estimates, so the rows on the screen may turn out to be less high.
    return bottom > -innerHeight / 4 && top < innerHeight * 1.25;
  });
  const now = shown;
  shown.forEach((row) => row.classList.add("shown"));
  // In a task after the next frame.
  requestAnimationFrame(() => setTimeout(() => {
    if (shown !== now) return;
    list.classList.remove("changing");
    now.forEach((row) => row.classList.remove("shown"));
    shown = [];
  }));
}

/** Theme and layout change at once; the server keeps the setting in a cookie. */
export function watchSettings() {
  const systemTheme = () => matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const apply = () => {
    root.dataset.theme = cookie("theme") ?? root.dataset.theme;
    root.dataset.layout = cookie("layout") ?? root.dataset.layout;
  };
  document.querySelector(".tools")?.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-theme], a[data-layout]");
    if (!link) return;
    event.preventDefault();
    const setting = link.dataset.theme ? "theme" : "layout";
    // Each reading of a position after the change lays out all rows, so positions are read before.
    const place = setting === "layout" ? lookedAt() : null;
    const url = new URL(link.href);
    if (link.dataset.theme === systemTheme()) url.searchParams.set("theme", "auto");
    const change = () => {
      root.dataset[setting] = url.searchParams.get(setting);
      document.querySelector(`.tool[data-${setting}]:not([data-${setting}="${link.dataset[setting]}"])`).focus({ preventScroll: true });
      returnTo(place);
    };
    setting === "layout" ? showFirst(change) : change();
    fetch(url, { redirect: "manual" }).catch(() => {});
  });
  const menu = document.querySelector(".menu");
  addEventListener("click", (event) => { if (menu?.open && !menu.contains(event.target)) menu.open = false; });
  menu?.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { menu.open = false; menu.querySelector("summary").focus(); }
  });
  apply();
  addEventListener("pageshow", apply);
}
