import { part } from "./document.js";

/** Shows a retry sign in place of a picture that fails in full size. */
export function watchFailure() {
  const stage = document.getElementById("stage");
  const image = stage.querySelector("img");
  const fail = () => {
    // The picture may have failed before, and report it after this script begins.
    if (stage.classList.contains("failed")) return;
    stage.classList.add("failed");
    const button = part(".retry");
    button.addEventListener("click", async () => {
      const hadFocus = button === document.activeElement;
      button.remove();
      stage.classList.remove("failed");
      // Without the browser's cache, which may hold the damaged bytes.
      await fetch(image.src, { cache: "reload" }).catch(() => {});
      image.src = image.getAttribute("src");
      if (hadFocus) document.getElementById("back").focus();
    });
    stage.append(button);
  };
  image.addEventListener("error", fail);
  if (image.complete && !image.naturalWidth) fail();
}
