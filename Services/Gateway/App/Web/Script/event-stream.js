import { longer, pauses } from "./backoff.js";
import { base } from "./document.js";

/**
 * The changes of the feed. A browser has few connections to a host, so one visible tab holds the stream of events and passes them to the
 * others; while all tabs are hidden, there is no stream. Whoever may have missed an event gets "reset".
 */
export class EventStream {
  #name = "changes " + base;
  #receive;
  #channel = null;
  #turn = null;

  constructor(receive) {
    this.#receive = receive;
    this.#begin();
    addEventListener("pagehide", () => this.#end());
    addEventListener("pageshow", (event) => { if (event.persisted) this.#begin(); });
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.#leave(); else this.#join(); });
  }

  #begin() {
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.onmessage = ({ data }) => this.#receive(data);
    if (!document.hidden) this.#join();
  }

  #end() {
    this.#leave();
    this.#channel.close();
  }

  /** Holds the stream as soon as no other tab does. */
  #join() {
    if (this.#turn) return;
    const { signal } = this.#turn = new AbortController();
    const hold = () => signal.aborted || new Promise((done) => {
      signal.addEventListener("abort", done);
      this.#listen(signal);
    });
    // Only a secure context has locks. Elsewhere each visible tab holds a stream.
    if (!navigator.locks) { hold(); return; }
    navigator.locks.request(this.#name, { ifAvailable: true }, (lock) => {
      if (lock) return hold();
      this.#receive({ name: "reset" });
      // Fails when this tab is hidden before its turn.
      navigator.locks.request(this.#name, { signal }, hold).catch(() => {});
      // A browser that permits no storage permits no locks.
    }).catch(hold);
  }

  #leave() {
    this.#turn?.abort();
    this.#turn = null;
  }

  #listen(signal) {
    let [pause, timer, source] = [pauses.first, null, null];
    const open = () => {
      source = new EventSource(base + "/v1/feed/events");
      source.addEventListener("open", () => {
        pause = pauses.first;
        this.#send({ name: "reset" });
      });
      for (const name of ["published", "removed", "reset"]) {
        source.addEventListener(name, ({ data }) => this.#send({ name, data }));
      }
      source.addEventListener("error", () => {
        // A browser repeats a request that has failed, but not one that was answered with an error.
        if (source.readyState !== EventSource.CLOSED) return;
        timer = setTimeout(open, pause);
        pause = longer(pause);
      });
    };
    open();
    signal.addEventListener("abort", () => { clearTimeout(timer); source.close(); });
  }

  #send(change) {
    this.#channel.postMessage(change);
    this.#receive(change);
  }
}
