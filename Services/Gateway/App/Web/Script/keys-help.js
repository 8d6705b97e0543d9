import { part } from "./document.js";
import { watchKeys } from "./keys.js";

/** Lists the keys of the page, for the key "?" and for a button in the foot. */
export function watchKeysHelp() {
  const dialog = part("dialog.keys");
  document.body.append(dialog);
  const show = () => {
    dialog.showModal();
    // The focus is on the button at the end.
    dialog.scrollTop = 0;
  };
  watchKeys({ "?": show });
  dialog.addEventListener("click", ({ target }) => { if (target === dialog || target.closest("button")) dialog.close(); });
  const button = part(".keys-button");
  button.addEventListener("click", show);
  document.querySelector(".foot")?.append(button);
}
