import { longer, pauses } from "./backoff.js";
import { base } from "./document.js";

/** The page in place of one that is not stored. */
export function startOffline() {
  document.querySelector(".actions .button").href = location.href;
  // A reader may also open this page itself.
  if (location.pathname !== base + "/offline") returnOnline();
  showStored();
}

/** Opens the page that the reader wants as soon as the network answers. */
function returnOnline() {
  let timer = null;
  const retry = async (pause = pauses.first) => {
    clearTimeout(timer);
    // Only the network answers a request for the head.
    if (await fetch(location.href, { method: "HEAD" }).catch(() => null)) return location.reload();
    timer = setTimeout(retry, pause, longer(pause));
  };
  addEventListener("online", () => retry());
  retry();
}

/** Shows the stored pages of images. */
async function showStored() {
  const section = document.getElementById("stored");
  const pages = await caches.open("pages-1");
  const addresses = (await pages.keys()).map(({ url }) => url).filter((url) => /\/image\/[^/?]+$/.test(url)).reverse();
  for (const url of addresses.slice(0, 24)) {
    const page = new DOMParser().parseFromString(await (await pages.match(url)).text(), "text/html");
    const link = page.querySelector(".picture .cover");
    if (!link) continue;
    Object.assign(link, { href: url, ariaLabel: page.querySelector("h1").textContent, title: "" }).replaceChildren();
    const picture = link.closest(".picture");
    picture.querySelectorAll(".neighbour").forEach((neighbour) => neighbour.remove());
    section.append(picture);
    section.hidden = false;
  }
}

