import { banner } from "./banner.js";
import { showComments } from "./comments.js";
import { watchForm } from "./comments-form.js";
import { LoadingState, run } from "./loading-state.js";
import { fetchPage } from "./page-request.js";
import { Pager } from "./paging.js";
import { pictures } from "./pictures.js";
import { showProblem } from "./problem.js";
import { replaceCopy } from "./stored-copy.js";

/** An image with its comments. */
export function startImage() {
  document.querySelectorAll(".detail > .item").forEach((row) => pictures.watch(row));
  restoreFocus();
  const pager = new Pager();
  watchForm();
  const state = new LoadingState();
  const renew = () => run(state, async () => {
    const page = await fetchPage(location.href);
    const hadForm = document.getElementById("form") !== null;
    showComments(page);
    showProblem(page);
    pager.reset();
    if (!hadForm) watchForm();
    return page;
  }, (message) => banner.show(message));
  replaceCopy(renew);
  if (document.getElementById("late")) renew().then(() => document.getElementById(location.hash.slice(1))?.scrollIntoView());
}

/** A reader who comes back from the picture in full size has the focus where it was opened. */
function restoreFocus() {
  const cover = document.querySelector(".cover");
  cover?.addEventListener("click", () => history.replaceState({ ...history.state, isOpened: true }, ""));
  const type = performance.getEntriesByType("navigation")[0]?.type;
  if (type === "back_forward" && history.state?.isOpened) cover?.focus({ preventScroll: true });
}
