import { list, more } from "./document.js";
import { putAnew, rowsOf } from "./rows.js";

/** Shows the comments of a newer page. The form stays, with what is typed into it. */
export function showComments(page) {
  const section = document.getElementById("comments");
  const kept = [list, more, document.getElementById("form")];
  [...section.children].filter((child) => !kept.includes(child)).forEach((child) => child.remove());
  let next = null;
  for (const child of [...page.getElementById("comments").children].reverse()) {
    const own = kept.find((one) => one && one.id === child.id);
    if (!own) section.insertBefore(child, next);
    next = own ?? child;
  }
  const newer = rowsOf(page);
  const ids = newer.map((row) => row.id);
  const shown = [...list.children].map((row) => row.id);
  // A reader who has loaded further comments keeps them.
  const hasFurther = page.querySelector("#more a[rel=next]") && shown.some((id) => !ids.includes(id));
  if (!hasFurther && ids.join() !== shown.join()) list.replaceChildren(...newer.map((row) => document.getElementById(row.id) ?? row));
  if (!hasFurther) more.replaceChildren(...page.getElementById("more").childNodes);
  putAnew(document.querySelector(".foot"));
}
