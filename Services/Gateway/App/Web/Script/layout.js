import { root } from "./document.js";
import { lookedAt, returnTo } from "./scroll-anchor.js";

function cookie(name) {
  return document.cookie.split("; ").find((pair) => pair.startsWith(name + "="))?.slice(name.length + 1);
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
    root.dataset[setting] = url.searchParams.get(setting);
    document.querySelector(`.tool[data-${setting}]:not([data-${setting}="${link.dataset[setting]}"])`).focus({ preventScroll: true });
    returnTo(place);
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
