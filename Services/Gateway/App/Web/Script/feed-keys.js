import { bar, list, more } from "./document.js";
import { watchKeys } from "./keys.js";
import { virtualRows } from "./virtual-rows.js";

/** The keys of the ARIA feed pattern, J and K for its next and previous row, and R for reload. */
export function watchFeedKeys(reload) {
  const focused = () => document.activeElement?.closest?.("#list > .item");
  const show = (row) => {
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "start", behavior: "instant" });
  };
  const step = (side) => {
    if (!focused()) return false;
    virtualRows.unfold(focused()[side]);
    show(focused()[side]);
  };
  const firstOnScreen = () => [...list.children].find((row) => row.getBoundingClientRect().bottom > bar.offsetHeight);
  // Without a focus, the reader begins with what is on the screen.
  const move = (side) => { if (step(side) === false) show(firstOnScreen()); };
  const leave = (target) => {
    if (!focused()) return false;
    if (target === more) more.tabIndex = -1;
    target.focus();
  };
  watchKeys({
    "j": () => move("nextElementSibling"),
    "k": () => move("previousElementSibling"),
    "PageDown": () => step("nextElementSibling"),
    "PageUp": () => step("previousElementSibling"),
    "Ctrl+Home": () => leave(document.getElementById("reload")),
    "Ctrl+End": () => leave(more.querySelector("a, button") ?? more),
    "Enter": ({ target }) => {
      if (target !== focused()) return false;
      target.querySelector(".cover").click();
    },
    "r": () => reload.now(),
  });
}
