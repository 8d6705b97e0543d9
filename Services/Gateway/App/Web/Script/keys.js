/** The key of an event. Keyboards for other scripts have the Latin letter of their position. */
function keyOf({ key, code, ctrlKey }) {
  const name = /^[^\W\d_]$/.test(key) || !/^\p{L}$/u.test(key) ? key : code.replace("Key", "");
  return (ctrlKey ? "Ctrl+" : "") + (name.length === 1 ? name.toLowerCase() : name);
}

/**
 * Runs the action of a key, unless the reader types, has a dialog open or holds a modifier key that the name does not have. An action
 * that returns false leaves the key to the browser.
 */
export function watchKeys(actions) {
  addEventListener("keydown", (event) => {
    const isElsewhere = event.target.closest?.("input, textarea, select, .menu[open]") || document.querySelector("dialog[open]");
    // A sign such as "?" may need Shift.
    const isModified = event.altKey || event.metaKey || event.shiftKey && /^(\p{L}|..+)$/u.test(event.key);
    if (isElsewhere || isModified || event.defaultPrevented) return;
    const action = actions[keyOf(event)];
    if (action && action(event) !== false) event.preventDefault();
  });
}
