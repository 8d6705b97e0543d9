import { notices } from "./document.js";

/** Shows the line of a newer page about its missing parts in place of the earlier one. */
export function showProblem(page) {
  const [old, newer] = [document, page].map((one) => one.getElementById("problem"));
  if (old && newer) old.replaceWith(newer);
  else if (newer) notices.append(newer);
  // The space of its line stays: what the reader looks at would move.
  else old?.classList.add("past");
}
