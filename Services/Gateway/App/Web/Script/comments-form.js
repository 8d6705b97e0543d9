import { list, more, texts } from "./document.js";
import { LoadingState, run } from "./loading-state.js";
import { fetchPage } from "./page-request.js";
import { isShown, rowsOf } from "./rows.js";

/** Sends a comment without leaving the page. What was typed stays until it is stored. */
export function watchForm() {
  const form = document.getElementById("form");
  if (!form) return;
  const button = form.querySelector("button[type=submit]");
  const note = document.getElementById("form-note");
  const state = new LoadingState();
  const update = () => {
    const isOffline = !navigator.onLine;
    button.disabled = isOffline || state.isLoading;
    note.hidden = !isOffline;
    note.textContent = isOffline ? texts.formOffline : "";
  };
  const tokenFields = "label[for=token], #token, #token-hint";
  const refuse = (message, page) => {
    document.getElementById("refusal")?.remove();
    if (!message) return;
    const line = Object.assign(document.createElement("p"), { id: "refusal", className: "refusal", role: "alert", textContent: message });
    const title = form.querySelector("h3");
    title.after(line);
    // The server asks for a token again when the one that it has set is no longer valid.
    const [hint, ...fields] = page?.querySelectorAll(tokenFields) ?? [];
    if (!hint || form.querySelector(tokenFields)) return;
    title.after(hint);
    note.before(...fields);
  };
  let [id, sent] = [null, null];
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const fields = new URLSearchParams(new FormData(form));
    // The id makes a repeated attempt the same comment. Another text is another one.
    const text = JSON.stringify([fields.get("username"), fields.get("message")]);
    if (text !== sent) [id, sent] = [crypto.randomUUID?.(), text];
    if (id) fields.set("id", id);
    refuse(null);
    run(state, async () => {
      update();
      const page = await fetchPage(form.action, { method: "POST", body: fields });
      // Comments between the shown ones and the new one are missing: show the page that has the new one.
      if (more.querySelector("a[rel=next]")) {
        form.reset();
        location.assign(page.address + (id ? "#comment-" + id.toUpperCase() : ""));
        return [];
      }
      const added = rowsOf(page).filter((row) => !isShown(row));
      list.append(...added);
      document.querySelector("#comments > .hint")?.remove();
      const title = page.getElementById("comments-title");
      if (title) document.getElementById("comments-title").replaceWith(title);
      // A browser that stores nothing has to send the token each time.
      if (!page.querySelector(tokenFields)) form.querySelectorAll(tokenFields).forEach((old) => old.remove());
      form.elements.message.value = "";
      sent = null;
      added.at(-1)?.focus();
      return added;
    }, refuse).finally(update);
  });
  addEventListener("online", update);
  addEventListener("offline", update);
  update();
}
