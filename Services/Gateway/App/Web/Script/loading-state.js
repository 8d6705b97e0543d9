import { texts } from "./document.js";
import { Refusal } from "./page-request.js";

/** The state of a part that can be loaded, as `LoadingState` in Presentation; both run the same table of transitions. */
export class LoadingState {
  resource = null;
  error = null;
  isLoading = false;

  /** Begins a load, which hides the error. Returns false while a load is running. */
  start() {
    if (this.isLoading) return false;
    this.error = null;
    this.isLoading = true;
    return true;
  }

  finish(resource) { if (this.isLoading) { this.resource = resource; this.isLoading = false; } }

  /** What was shown stays. */
  fail(message) { if (this.isLoading) { this.error = message; this.isLoading = false; } }

  cancel() { this.isLoading = false; }

  hideError() { this.error = null; }
}

/** Runs one load of a state. `work` loads, shows and returns the resource. */
export async function run(state, work, onFailure) {
  if (!state.start()) return;
  try {
    state.finish(await work());
  } catch (error) {
    if (error.name === "AbortError") return state.cancel();
    if (!(error instanceof Refusal)) console.error(error);
    state.fail(error instanceof Refusal ? error.message : texts.unreadable);
    onFailure(state.error, error.page);
  }
}
