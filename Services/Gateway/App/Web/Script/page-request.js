import { texts } from "./document.js";
import { storedCopy } from "./stored-copy.js";

/** A message that the reader can see, and the page that it comes from. */
export class Refusal extends Error {
  constructor(message, page) { super(message); this.page = page; }
}

/** Loads a page of this server as a document that runs and loads nothing. */
export async function fetchPage(url, options) {
  let response, text;
  try {
    response = await fetch(url, { headers: { Accept: "text/html" }, ...options });
    text = await response.text();
  } catch (error) {
    throw error.name === "AbortError" ? error : new Refusal(texts.connection);
  }
  const page = new DOMParser().parseFromString(text, "text/html");
  if (!response.ok) throw new Refusal((page.querySelector("#refusal") ?? page.querySelector("h1"))?.textContent ?? texts.connection, page);
  if (!page.getElementById("content")) throw new Refusal(texts.unreadable);
  page.address = response.url;
  storedCopy.show(page);
  return page;
}
