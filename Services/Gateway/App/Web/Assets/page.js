// The script of the page. Every page is complete without it; it adds endless scrolling, live news, keys, gestures and a stored copy.
// It renders nothing itself: rows, links, messages and texts come from the pages of the server.

const root = document.documentElement;
const kind = root.dataset.kind;

/** The path in front of those of the site; mostly empty. */
const base = root.dataset.base;
const parts = document.getElementById("parts").content;
const texts = parts.querySelector(".texts").dataset;
const list = document.getElementById("list");
const more = document.getElementById("more");
const notices = document.querySelector(".notices");

/** A document in which pictures load nothing. */
const inert = document.implementation.createHTMLDocument();

/** A copy of a part of the template, with a message. */
function part(name, message) {
  const copy = parts.querySelector(name).cloneNode(true);
  if (message !== undefined) copy.querySelector(".message").textContent = message;
  return copy;
}

/** Tells a screen reader, and changes nothing on the screen. */
function announce(message) { document.getElementById("status").textContent = message; }

function cookie(name) {
  return document.cookie.split("; ").find((pair) => pair.startsWith(name + "="))?.slice(name.length + 1);
}

/** The number of whole months between two dates, in UTC: one from January 31 to the last day of February. */
function wholeMonths(from, to) {
  const [year, month] = [to.getUTCFullYear(), to.getUTCMonth()];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const isOver = new Date(from).setUTCFullYear(year, month, Math.min(from.getUTCDate(), lastDay)) <= to;
  return 12 * (year - from.getUTCFullYear()) + month - from.getUTCMonth() - (isOver ? 0 : 1);
}

/** "2 hours ago" in the language of the page, in the units of `RelativeDate` in Presentation. */
function relativeDate(date) {
  const now = new Date();
  const seconds = Math.max(0, (now - date) / 1000);
  const months = seconds && wholeMonths(date, now);
  const ages = [
    ["year", months / 12], ["month", months], ["week", seconds / 604_800], ["day", seconds / 86_400], ["hour", seconds / 3_600],
    ["minute", seconds / 60], ["second", seconds],
  ];
  const [unit, count] = ages.find(([, count]) => count >= 1) ?? ["second", 0];
  return new Intl.RelativeTimeFormat(root.lang, { numeric: count ? "always" : "auto" }).format(-Math.floor(count), unit);
}

// --- Loading ---------------------------------------------------------------------------------------------------------

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

/** A message that the reader can see, and the page that it comes from. */
class Refusal extends Error {
  constructor(message, page) { super(message); this.page = page; }
}

/** Loads a page of this server as a document that runs and loads nothing. */
async function fetchPage(url, options) {
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
  age.show(page);
  return page;
}

/** Runs one load of a state. `work` loads, shows and returns the resource. */
async function run(state, work, onFailure) {
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

// --- Notices ---------------------------------------------------------------------------------------------------------

/** Notices are under the bar, which has two lines with large text. */
const bar = document.querySelector(".bar");
if (bar) new ResizeObserver(() => notices.style.setProperty("--bar-height", `${bar.offsetHeight}px`)).observe(bar);

/** The error banner. It hides on tap and on the next reload; the rows stay. */
const banner = {
  element: null,
  show(message) {
    this.hide();
    this.element = part(".banner", message);
    this.element.addEventListener("click", () => this.hide());
    notices.append(this.element);
  },
  hide() { this.element?.remove(); this.element = null; },
};

/** The bar that shows that the page is a copy, or that there is no network. */
const age = {
  element: null,
  /** Takes from a page when its copy was stored: by the gateway, or else by the service worker, which may have stored that copy. */
  show(page) {
    const line = page.querySelector("[data-cached]");
    this.date = line?.dataset.cached || page.documentElement.dataset.stored;
    document.querySelectorAll("[data-cached]").forEach((line) => line.remove());
    this.update();
  },
  update() {
    const words = navigator.onLine ? texts.cached : texts.offlineCached;
    const message = this.date ? words.replace("%@", relativeDate(new Date(this.date))) : navigator.onLine ? null : texts.offline;
    if ((this.element?.textContent.trim() ?? "") === (message ?? "")) return;
    this.element ??= notices.appendChild(part(".offline"));
    this.element.querySelector(".message").textContent = message;
    // The space of its line stays: what the reader looks at would move.
    this.element.classList.toggle("past", !message);
  },
};

/** Brings all ages on the page up to date. */
function renewAges() {
  for (const element of document.querySelectorAll("time, .end[data-date]")) {
    const { date = element.dateTime, text = "%@" } = element.dataset;
    const words = text.replace("%@", relativeDate(new Date(date)));
    if (element.textContent !== words) element.textContent = words;
  }
  age.update();
}

// --- Pictures --------------------------------------------------------------------------------------------------------

/** Requests pictures that are near, and releases those that are far: removing the address of an image cancels its request. */
class Pictures {
  #addresses = new WeakMap();
  /** Observes rows: Chromium does not always report that an image returns which is inside a row with `content-visibility`. */
  #near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const photo = target.querySelector(".photo");
      isIntersecting ? this.#request(photo) : this.#release(photo);
    }
  }, { rootMargin: "100% 0px" });

  /** The box of a picture decides which file is sharp. While it is shown it keeps its file when the box shrinks. */
  #boxes = new ResizeObserver((entries) => {
    for (const { target: photo } of entries) if (!(photo.offsetWidth <= parseInt(photo.sizes))) this.#fit(photo);
  });

  /** Takes the address out of a row's picture, before the row is part of the page. */
  prepare(row) {
    const photo = row.querySelector(".photo");
    if (photo) this.#release(photo);
  }

  watch(row) {
    const photo = row.querySelector(".photo");
    if (!photo) return;
    photo.addEventListener("load", () => this.#isBlank(photo) || this.#frame(photo).classList.remove("loading"));
    photo.addEventListener("error", () => this.#isBlank(photo) || this.#fail(photo));
    if (this.#isBlank(photo)) { /* requested when near */ }
    else if (!photo.complete) this.#frame(photo).classList.add("loading");
    else if (!photo.naturalWidth) this.#fail(photo);
    this.#near.observe(row);
    this.#boxes.observe(photo);
  }

  /** Releases the picture of a row that leaves the page. Chromium keeps every image whose `sizes` depend on the window until the page closes, and with it the row. */
  forget(row) {
    const photo = row.querySelector(".photo");
    if (!photo) return;
    this.#near.unobserve(row);
    this.#boxes.unobserve(photo);
    this.#release(photo);
    photo.removeAttribute("sizes");
  }

  /** A copy of a row with the address of its picture, for storing. */
  restored(row) {
    const copy = inert.importNode(row, true);
    copy.querySelector(".retry")?.remove();
    copy.querySelector(".picture")?.classList.remove("loading", "failed");
    const photo = row.querySelector(".photo");
    if (photo) Object.assign(copy.querySelector(".photo"), this.#addresses.get(photo));
    return copy;
  }

  retryFailed() { document.querySelectorAll(".failed .retry").forEach((button) => button.click()); }

  #frame(photo) { return photo.closest(".picture"); }
  #isBlank(photo) { return this.#addresses.has(photo); }

  /** `sizes=auto` would do, but in a row that is not laid out Chromium takes the width of the window, and requests another file. */
  #fit(photo) {
    const width = photo.offsetWidth;
    if (kind === "feed" && width) photo.sizes = `${width}px`;
  }

  #request(photo) {
    this.#fit(photo);
    // Chromium loads no lazy picture in a row that is not laid out, however near. A covered one waits until its reader opens it.
    if (!photo.closest(".veil")) photo.loading = "eager";
    const address = this.#addresses.get(photo);
    if (!address) return;
    this.#addresses.delete(photo);
    this.#frame(photo).classList.add("loading");
    Object.assign(photo, address);
  }

  /** The width and height of the image keep its space, so no row moves. */
  #release(photo) {
    if (this.#isBlank(photo)) return;
    this.#addresses.set(photo, { srcset: photo.srcset, src: photo.getAttribute("src") });
    // In this order: without `srcset` the file of `src` would be requested.
    photo.removeAttribute("src");
    photo.removeAttribute("srcset");
    const frame = this.#frame(photo);
    frame.classList.remove("loading", "failed");
    frame.querySelector(".retry")?.remove();
  }

  #fail(photo) {
    const url = photo.currentSrc || photo.src;
    this.#release(photo);
    const frame = this.#frame(photo);
    frame.classList.add("failed");
    const button = part(".retry");
    button.addEventListener("click", () => this.#retry(photo, url));
    frame.append(button);
  }

  /** Requests a picture again without the browser's cache, which may hold the damaged bytes. */
  async #retry(photo, url) {
    const frame = this.#frame(photo);
    const hadFocus = frame.contains(document.activeElement);
    frame.classList.remove("failed");
    frame.querySelector(".retry")?.remove();
    if (hadFocus) photo.closest(".item").focus({ preventScroll: true });
    frame.classList.add("loading");
    await fetch(url, { cache: "reload" }).catch(() => {});
    this.#request(photo);
  }
}

const pictures = new Pictures();

// --- Rows ------------------------------------------------------------------------------------------------------------

/** The rows of a document or of the page. */
function rowsOf(page) { return [...page.querySelectorAll("#list > *")]; }

function isShown(row) { return document.getElementById(row.id) !== null; }

/** Folds rows that are far away: the row stays with its space, what is in it becomes text. So thousands of rows stay light. */
class Folds {
  /** How many rows may stay unfolded. */
  static #limit = 120;

  #contents = new WeakMap();
  #near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) this.unfold(target);
  }, { rootMargin: "300% 0px" });

  fold() {
    const rows = [...list.children].filter((row) => !this.#contents.has(row));
    if (rows.length <= Folds.#limit) return;
    const boxes = rows.map((row) => row.getBoundingClientRect());
    rows.forEach((row, index) => {
      const { top, bottom, height } = boxes[index];
      if ((bottom >= -5 * innerHeight && top <= 6 * innerHeight) || row.contains(document.activeElement)) return;
      // In the grid its ratio gives a row its height.
      if (root.dataset.layout === "list") row.style.setProperty("--height", `${height}px`);
      this.#contents.set(row, pictures.restored(row).innerHTML);
      pictures.forget(row);
      row.replaceChildren();
      this.#near.observe(row);
    });
  }

  unfold(row) {
    const html = this.#contents.get(row);
    if (html === undefined) return;
    this.#contents.delete(row);
    this.#near.unobserve(row);
    row.style.removeProperty("--height");
    const content = inert.createElement("div");
    content.innerHTML = html;
    pictures.prepare(content);
    row.append(...content.childNodes);
    pictures.watch(row);
  }

  /** The row as the server sent it, for storing. */
  restored(row) {
    const copy = pictures.restored(row);
    if (this.#contents.has(row)) copy.innerHTML = this.#contents.get(row);
    copy.style.removeProperty("--height");
    return copy;
  }
}

const folds = new Folds();

/** Inserts rows of another document before `next`, without those that are shown already. */
function insert(rows, next) {
  const added = rows.filter((row) => !isShown(row));
  added.forEach((row) => pictures.prepare(row));
  const fragment = document.createDocumentFragment();
  fragment.append(...added);
  list.insertBefore(fragment, next);
  added.forEach((row) => pictures.watch(row));
  return added;
}

/** Numbers the rows for screen readers. */
function number() {
  if (kind === "feed") [...list.children].forEach((row, index) => { row.ariaPosInSet = index + 1; });
}

/** The distance of the middle of a row's picture from the top of the window. */
function middleOf(row) {
  const { top, height } = (row.querySelector(".picture") ?? row).getBoundingClientRect();
  return top + height / 2;
}

/** The picture next to the middle of the window, and its place there. */
function anchor() {
  const distance = ({ place }) => Math.abs(place - innerHeight / 2);
  // The picture of a row that is not on the screen has no layout yet.
  const rows = [...list.children].map((row) => ({ row, box: row.getBoundingClientRect() }))
    .filter(({ box }) => box.bottom > 0 && box.top < innerHeight).map(({ row }) => ({ id: row.id, place: middleOf(row) }));
  return rows.length ? rows.reduce((one, other) => distance(other) < distance(one) ? other : one) : null;
}

let returning = new AbortController();

/**
 * Scrolls until a picture is at its place again. It takes some steps: rows that were never shown have only an estimated size, and near
 * the end the next page must come first. A later call ends those before.
 */
function returnTo(anchor) {
  const row = document.getElementById(anchor?.id);
  if (!row) return;
  let [steps, steady] = [0, 0];
  returning.abort();
  const reader = returning = new AbortController();
  // A reader who scrolls decides.
  for (const name of ["wheel", "touchstart", "keydown"]) addEventListener(name, () => reader.abort(), { signal: reader.signal, passive: true });
  const adjust = () => {
    if (reader.signal.aborted || ++steps > 180 || steady === 5) return reader.abort();
    anchor.reached = middleOf(row);
    const difference = anchor.reached - anchor.place;
    steady = Math.abs(difference) > 0.5 ? 0 : steady + 1;
    if (!steady) scrollBy({ top: difference, behavior: "instant" });
    requestAnimationFrame(adjust);
  };
  adjust();
}

/** Keeps the picture in the middle of the window when the width changes, for example because a phone is turned: all rows get another height. */
function watchWidth() {
  let [place, width, height] = [null, innerWidth, innerHeight];
  addEventListener("scrollend", () => { [place, height] = [scrollY > 0 ? anchor() : null, innerHeight]; });
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    if (place) returnTo({ ...place, place: place.place / height * innerHeight });
  });
}

/** An element that rows push down counts as a shift of the layout; one that is put there anew does not, but it loses the focus. */
function putAnew(...elements) {
  for (const element of elements) {
    if (element && !element.contains(document.activeElement)) element.parentNode.insertBefore(element, element.nextSibling);
  }
}

// --- The next page ---------------------------------------------------------------------------------------------------

/** Loads the next page of the list when its end is near: 400 px before it is shown. */
class Pager {
  state = new LoadingState();
  #abort = new AbortController();
  #isNear = false;
  #failedAt = 0;
  #observer = new IntersectionObserver(([entry]) => {
    this.#isNear = entry.isIntersecting;
    if (this.#isNear && !this.state.error) this.load();
  }, { rootMargin: "0px 0px 400px 0px" });

  constructor() {
    this.reset();
    // A reader at the end scrolls to try again.
    for (const name of ["scrollend", "wheel"]) {
      addEventListener(name, () => {
        if (this.state.error && this.#isNear && Date.now() - this.#failedAt > 500) this.load();
      }, { passive: true });
    }
  }

  get link() { return more.querySelector("a[rel=next]"); }

  load() {
    const link = this.link;
    if (!link) return;
    const url = link.href;
    const hadFocus = more.contains(document.activeElement);
    return run(this.state, async () => {
      this.#show(part(".outlines"));
      list.ariaBusy = "true";
      const page = await fetchPage(url, { signal: this.#abort.signal });
      const added = insert(rowsOf(page), null);
      number();
      this.replaceEnd(page);
      putAnew(more, document.querySelector(".foot"));
      // A page that leads to itself is the end.
      if (this.link?.href === url) this.link.remove();
      if (hadFocus) (added[0] ?? more).focus();
      return added;
    }, (message) => {
      this.#failedAt = Date.now();
      const failure = part(".failure", message);
      failure.querySelector("button").addEventListener("click", () => this.load());
      this.#show(failure);
      if (hadFocus) failure.querySelector("button").focus();
    }).finally(() => { list.ariaBusy = "false"; this.#observe(); folds.fold(); });
  }

  /** Takes the links and the end line of a page. */
  replaceEnd(page) { more.replaceChildren(...document.adoptNode(page.getElementById("more")).childNodes); }

  cancel() { this.#abort.abort(); this.#abort = new AbortController(); this.state.cancel(); this.#show(null); }

  reset() { this.cancel(); this.state = new LoadingState(); this.#observe(); }

  /** Shows the state of loading in place of the link, which stays for the next attempt. */
  #show(element) {
    more.querySelectorAll(".outlines, .failure").forEach((old) => old.remove());
    if (element) more.append(element);
    // The focus of a link that is hidden would be lost.
    if (element && more.contains(document.activeElement)) { more.tabIndex = -1; more.focus({ preventScroll: true }); }
    more.querySelectorAll(".pager").forEach((pager) => { pager.hidden = element !== null; });
  }

  /** Observes anew, so that an end that is still near is reported again. */
  #observe() { this.#observer.unobserve(more); this.#observer.observe(more); }
}

// --- Reload and news -------------------------------------------------------------------------------------------------

/** The newest page: reload by button, key and pull. */
class Reload {
  state = new LoadingState();
  #button = document.getElementById("reload");

  constructor(pager, news) {
    Object.assign(this, { pager, news });
    this.#button.addEventListener("click", (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      this.now();
    });
    this.#pull();
  }

  now() {
    banner.hide();
    return run(this.state, async () => {
      this.#button.ariaBusy = "true";
      const page = await fetchPage(base + "/");
      const shown = new Map([...list.children].map((row) => [row.id, row]));
      rowsOf(page).forEach((row) => shown.has(row.id) && folds.unfold(shown.get(row.id)));
      // A row that is shown keeps its picture; its words may be new.
      const rows = rowsOf(page).map((row) => {
        const old = shown.get(row.id);
        if (!old) { pictures.prepare(row); return row; }
        old.querySelector(".caption").replaceWith(row.querySelector(".caption"));
        return old;
      });
      const hadFocus = list.contains(document.activeElement);
      list.replaceChildren(...rows);
      shown.forEach((row) => row.isConnected || pictures.forget(row));
      rows.filter((row) => !shown.has(row.id)).forEach((row) => pictures.watch(row));
      number();
      document.querySelectorAll("main > .empty, main > .pager").forEach((old) => old.remove());
      const empty = page.querySelector("main > .empty");
      if (empty) list.before(empty);
      document.getElementById("problem")?.remove();
      notices.append(...page.querySelectorAll("#problem"));
      this.pager.replaceEnd(page);
      this.pager.reset();
      this.news.clear();
      list.dataset.first = "";
      if (location.search) history.replaceState(history.state, "", base + "/");
      scrollTo({ top: 0, behavior: "instant" });
      if (hadFocus) list.firstElementChild?.focus({ preventScroll: true });
      return rows;
    }, (message) => banner.show(message)).finally(() => { this.#button.ariaBusy = "false"; });
  }

  /** A pull of 80 px at the top reloads. */
  #pull() {
    let start = null;
    addEventListener("touchstart", (event) => { start = scrollY <= 0 && event.touches.length === 1 ? event.touches[0].clientY : null; }, { passive: true });
    addEventListener("touchmove", (event) => {
      const isFar = start !== null && event.touches[0].clientY - start > 80;
      this.#button.classList.toggle("armed", isFar);
    }, { passive: true });
    addEventListener("touchcancel", () => {
      start = null;
      this.#button.classList.remove("armed");
    });
    addEventListener("touchend", () => {
      start = null;
      if (this.#button.classList.contains("armed")) this.now();
      this.#button.classList.remove("armed");
    });
  }
}

/**
 * The changes of the feed. A browser has few connections to a host, so one visible tab holds the stream of events and passes them to the
 * others; while all tabs are hidden, there is no stream. Whoever may have missed an event gets "reset".
 */
class Changes {
  #name = "changes " + base;
  #receive;
  #channel = null;
  #turn = null;

  /** How long to wait before a stream is opened again that the server has refused: at first, and at most. */
  static pauses = { first: 2_000, longest: 60_000 };

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
    let [pause, timer, source] = [Changes.pauses.first, null, null];
    const open = () => {
      source = new EventSource(base + "/v1/feed/events");
      source.addEventListener("open", () => {
        pause = Changes.pauses.first;
        this.#send({ name: "reset" });
      });
      for (const name of ["published", "removed", "reset"]) {
        source.addEventListener(name, ({ data }) => this.#send({ name, data }));
      }
      source.addEventListener("error", () => {
        // A browser repeats a request that has failed, but not one that was answered with an error.
        if (source.readyState !== EventSource.CLOSED) return;
        timer = setTimeout(open, pause);
        pause = Math.min(2 * pause, Changes.pauses.longest);
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

/** New items: a pill announces them and moves nothing. */
class News {
  #ids = new Set();
  #pill = null;

  constructor(pager) {
    this.pager = pager;
    new Changes(({ name, data }) => {
      if (name === "published") this.#add(JSON.parse(data).items.map((item) => item.id));
      else if (name === "removed") this.#remove(JSON.parse(data).ids);
      else this.check();
    });
  }

  clear() { this.#ids.clear(); this.#update(); }

  /** Compares a newer page with the rows, after events may have been missed, or while a copy is shown. It moves nothing. */
  async check() {
    const isFirst = "first" in list.dataset;
    if (!isFirst && !age.date) return;
    const page = await fetchPage(isFirst ? base + "/" : location.href).catch(() => null);
    if (!page) return;
    if (isFirst) {
      const above = await this.#rowsAbove(page).catch(() => null);
      this.#add((above ?? this.#newRows(page)).map((row) => row.dataset.id));
    }
    const newer = new Map(rowsOf(page).map((row) => [row.id, row]));
    const shown = [...list.children];
    const known = shown.slice(0, shown.findLastIndex((row) => newer.has(row.id)) + 1);
    this.#remove(known.filter((row) => row.dataset.id && !newer.has(row.id)).map((row) => row.dataset.id));
    for (const row of known) if (newer.has(row.id)) this.#renewWords(row, newer.get(row.id));
  }

  /** Shows the words of a newer page, unless the reader has opened or focused them. */
  #renewWords(row, newer) {
    folds.unfold(row);
    const [old, caption] = [row, newer].map((one) => one.querySelector(".caption"));
    const isInUse = old.contains(document.activeElement) || old.querySelector(".whole");
    if (!isInUse && old.innerHTML !== caption.innerHTML) old.replaceWith(caption);
  }

  #newRows(page) {
    const rows = rowsOf(page);
    const known = rows.findIndex(isShown);
    return known < 0 ? rows : rows.slice(0, known);
  }

  /** All rows that are newer than those that are shown, from the first page on; null when there are too many to insert. */
  async #rowsAbove(page) {
    const rows = [];
    for (let pages = 0; pages <= 8; pages++) {
      const newer = this.#newRows(page);
      rows.push(...newer);
      const next = page.querySelector("#more a[rel=next]")?.getAttribute("href");
      if (newer.length < rowsOf(page).length || !next) return rows;
      if (pages < 8) page = await fetchPage(next);
    }
    return null;
  }

  #add(ids) {
    ids.map((id) => id.toUpperCase()).filter((id) => !isShown({ id: "i-" + id })).forEach((id) => this.#ids.add(id));
    this.#update();
  }

  /** A removed row leaves when it is not on the screen; in the grid when it is below it, because all rows after it move. */
  #remove(ids) {
    for (const id of ids.map((id) => id.toUpperCase())) {
      this.#ids.delete(id);
      const row = document.getElementById("i-" + id);
      if (!row) continue;
      row.classList.add("gone");
      new IntersectionObserver(([entry], observer) => {
        const movesOthers = root.dataset.layout === "grid" && entry.boundingClientRect.top < 0;
        if (entry.isIntersecting || movesOthers || row.contains(document.activeElement)) return;
        observer.disconnect();
        pictures.forget(row);
        row.remove();
        number();
      }).observe(row);
    }
    this.#update();
  }

  #update() {
    const count = this.#ids.size;
    if (!count) { this.#pill?.remove(); this.#pill = null; return; }
    if (!this.#pill) {
      this.#pill = part(".pill");
      this.#pill.addEventListener("click", () => this.show());
      notices.append(this.#pill);
    }
    const { one, other } = this.#pill.dataset;
    const message = (count === 1 ? one : other).replace("%@", count.toLocaleString(root.lang));
    this.#pill.querySelector(".message").textContent = message;
    announce(message);
  }

  /** Inserts the new rows above, and leads to them; "back" leads to where the reader was. */
  async show() {
    banner.hide();
    let rows;
    try {
      rows = await this.#rowsAbove(await fetchPage(base + "/"));
    } catch (error) {
      banner.show(error.message);
      return;
    }
    // A reload or another click may have shown them.
    if (!this.#pill) return;
    if (!rows) { location.assign(base + "/"); return; }
    const place = anchor();
    document.querySelectorAll("main > .empty").forEach((old) => old.remove());
    const added = insert(rows, list.firstElementChild);
    number();
    history.replaceState({ ...history.state, place }, "");
    history.pushState({ key: crypto.randomUUID?.() ?? String(Math.random()) }, "");
    this.clear();
    scrollTo({ top: 0, behavior: "instant" });
    (added[0] ?? list.firstElementChild)?.focus({ preventScroll: true });
  }
}

// --- Back ------------------------------------------------------------------------------------------------------------

/** Stores the rows and the position when the reader leaves, and restores them when the reader returns. */
class Memory {
  constructor() {
    history.scrollRestoration = "manual";
    if (!history.state?.key) history.replaceState({ ...history.state, key: crypto.randomUUID?.() ?? String(Math.random()) }, "");
    addEventListener("pagehide", () => this.save());
    addEventListener("popstate", ({ state }) => {
      returnTo(state?.place);
      document.getElementById(state?.place?.id)?.focus({ preventScroll: true });
    });
  }

  get #name() { return "feed:" + history.state?.key; }

  /** Whether the page was opened by "back" and its rows are stored. */
  restore() {
    const type = performance.getEntriesByType("navigation")[0]?.type;
    const stored = type === "back_forward" ? this.#read() : null;
    if (!stored) return;
    const page = new DOMParser().parseFromString(stored.html, "text/html");
    const rows = rowsOf(page);
    rows.forEach((row) => pictures.prepare(row));
    list.replaceChildren(...rows);
    more.replaceChildren(...document.adoptNode(page.getElementById("more")).childNodes);
    document.querySelectorAll("main > .pager").forEach((old) => { if (stored.isFirst) old.remove(); });
    number();
    returnTo(stored.place);
    document.getElementById(stored.focus)?.focus({ preventScroll: true });
  }

  /** Null without an entry, and when the browser permits no storage. */
  #read() {
    try { return JSON.parse(sessionStorage.getItem(this.#name)); } catch { return null; }
  }

  /** Stores all rows, or those around the reader when the browser has no space for all. */
  save() {
    const place = anchor();
    const rows = [...list.children];
    const middle = rows.findIndex((row) => row.id === place?.id);
    const entry = {
      place, focus: document.activeElement?.closest(".item")?.id ?? place?.id, isFirst: "first" in list.dataset,
    };
    for (const reach of [Infinity, 400, 100]) {
      const near = rows.slice(Math.max(0, middle - reach), middle + reach);
      const isCut = near.length < rows.length;
      const html = near.map((row) => folds.restored(row).outerHTML).join("");
      const end = isCut ? this.#linkAfter(near.at(-1)) : more.innerHTML;
      try {
        this.#forgetOthers();
        sessionStorage.setItem(this.#name, JSON.stringify({ ...entry, html: `<div id="list">${html}</div><div id="more">${end}</div>` }));
        return;
      } catch { /* No space: store fewer rows. */ }
    }
  }

  #linkAfter(row) {
    const link = document.createElement("a");
    Object.assign(link, { rel: "next", href: base + "/?after_id=" + row.dataset.id });
    return link.outerHTML;
  }

  /** Only the last positions are worth their space. */
  #forgetOthers() {
    const names = Object.keys(sessionStorage).filter((name) => name.startsWith("feed:") && name !== this.#name);
    names.slice(0, -2).forEach((name) => sessionStorage.removeItem(name));
  }
}

// --- Settings and keys -----------------------------------------------------------------------------------------------

/** Theme and layout change at once; the server keeps the setting in a cookie. */
function watchSettings() {
  const systemTheme = () => matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const apply = () => {
    root.dataset.theme = cookie("theme") ?? root.dataset.theme;
    root.dataset.layout = cookie("layout") ?? root.dataset.layout;
  };
  let last = null;
  /** What the reader looks at: also when the last layout has another picture in the middle, that of the layout before. */
  const kept = () => {
    const row = document.getElementById(last?.id);
    if (!row || Math.abs(middleOf(row) - last.reached) > 1) last = anchor();
    return last;
  };
  document.querySelector(".tools")?.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-theme], a[data-layout]");
    if (!link) return;
    event.preventDefault();
    const setting = link.dataset.theme ? "theme" : "layout";
    // Each reading of a position after the change lays out all rows, so positions are read before.
    const place = setting === "layout" ? kept() : null;
    const url = new URL(link.href);
    if (link.dataset.theme === systemTheme()) url.searchParams.set("theme", "auto");
    root.dataset[setting] = url.searchParams.get(setting);
    document.querySelector(`.tool[data-${setting}]:not([data-${setting}="${link.dataset[setting]}"])`).focus({ preventScroll: true });
    returnTo(place);
    fetch(url, { redirect: "manual" }).catch(() => {});
  });
  const menu = document.querySelector(".menu");
  addEventListener("click", (event) => { if (menu?.open && !menu.contains(event.target)) menu.open = false; });
  menu?.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { menu.open = false; menu.querySelector("summary").focus(); }
  });
  apply();
  addEventListener("pageshow", apply);
}

/** The key of an event. Keyboards for other scripts have the Latin letter of their position. */
function keyOf({ key, code, ctrlKey }) {
  const name = /^[^\W\d_]$/.test(key) || !/^\p{L}$/u.test(key) ? key : code.replace("Key", "");
  return (ctrlKey ? "Ctrl+" : "") + (name.length === 1 ? name.toLowerCase() : name);
}

/**
 * Runs the action of a key, unless the reader types, has a dialog open or holds a modifier key that the name does not have. An action
 * that returns false leaves the key to the browser.
 */
function watchKeys(actions) {
  addEventListener("keydown", (event) => {
    const isElsewhere = event.target.closest?.("input, textarea, select, .menu[open]") || document.querySelector("dialog[open]");
    // A sign such as "?" may need Shift.
    const isModified = event.altKey || event.metaKey || event.shiftKey && /^(\p{L}|..+)$/u.test(event.key);
    if (isElsewhere || isModified || event.defaultPrevented) return;
    const action = actions[keyOf(event)];
    if (action && action(event) !== false) event.preventDefault();
  });
}

/** The keys of the ARIA feed pattern, J and K for its next and previous row, and R for reload. */
function watchFeedKeys(reload) {
  const focused = () => document.activeElement?.closest?.("#list > .item");
  const show = (row) => {
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "start", behavior: "instant" });
  };
  const step = (side) => {
    if (!focused()) return false;
    folds.unfold(focused()[side]);
    show(focused()[side]);
  };
  const firstOnScreen = () => [...list.children].find((row) => row.getBoundingClientRect().bottom > bar.offsetHeight);
  // Without a focus, the reader begins with what is on the screen.
  const move = (side) => { if (step(side) === false) show(firstOnScreen()); };
  const leave = (target) => {
    if (!focused()) return false;
    if (target === more) more.tabIndex = -1;
    target.focus();
  };
  watchKeys({
    "j": () => move("nextElementSibling"),
    "k": () => move("previousElementSibling"),
    "PageDown": () => step("nextElementSibling"),
    "PageUp": () => step("previousElementSibling"),
    "Ctrl+Home": () => leave(document.getElementById("reload")),
    "Ctrl+End": () => leave(more.querySelector("a, button") ?? more),
    "Enter": ({ target }) => {
      if (target !== focused()) return false;
      target.querySelector(".cover").click();
    },
    "r": () => reload.now(),
  });
}

/** Lists the keys of the page, for the key "?" and for a button in the foot. */
function watchHelp() {
  const dialog = part("dialog.keys");
  document.body.append(dialog);
  const show = () => {
    dialog.showModal();
    // The focus is on the button at the end.
    dialog.scrollTop = 0;
  };
  watchKeys({ "?": show });
  dialog.addEventListener("click", ({ target }) => { if (target === dialog || target.closest("button")) dialog.close(); });
  const button = part(".keys-button");
  button.addEventListener("click", show);
  document.querySelector(".foot")?.append(button);
}

/** Back leads to the page that the reader came from, with its position. */
function watchBack() {
  document.getElementById("back")?.addEventListener("click", (event) => {
    const isOwn = document.referrer.startsWith(location.origin + base + "/") && history.length > 1;
    if (!isOwn || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    history.back();
  });
}

// --- Comments --------------------------------------------------------------------------------------------------------

/** Shows the comments of a newer page. The form stays, with what is typed into it. */
function showComments(page) {
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

/** Sends a comment without leaving the page. What was typed stays until it is stored. */
function watchForm() {
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

// --- Neighbours ---------------------------------------------------------------------------------------------------------

/** Replaces the page by that of the neighbouring image, so that one "back" leaves both. */
function openNeighbour(rel) {
  const link = document.querySelector(`.neighbour[rel=${rel}]`);
  if (link) location.replace(link.href);
}

function watchNeighbours() {
  document.querySelectorAll(".neighbour").forEach((link) => link.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    openNeighbour(link.rel);
  }));
  watchKeys({ "ArrowLeft": () => openNeighbour("prev"), "ArrowRight": () => openNeighbour("next") });
}

// --- Full size -------------------------------------------------------------------------------------------------------

/** Shows a retry sign in place of a picture that fails. */
function watchPicture() {
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

/** Zoom by wheel, pinch and double tap; a tap hides the caption; swipe and arrows lead to the neighbours, Escape and a swipe down close. */
class Stage {
  #stage = document.getElementById("stage");
  #image = this.#stage.querySelector("img");
  #caption = document.getElementById("stage-caption");
  #pointers = new Map();
  #scale = 1;
  #x = 0;
  #y = 0;
  /** Where the only finger went down; null after a second one. */
  #start = null;
  #lastTap = null;

  constructor() {
    const stage = this.#stage;
    stage.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.#zoom(this.#scale * Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
    }, { passive: false });
    stage.addEventListener("pointerdown", (event) => {
      if (event.button || event.target.closest("a, button, summary")) return;
      stage.setPointerCapture(event.pointerId);
      this.#pointers.set(event.pointerId, event);
      this.#start = this.#pointers.size === 1 ? event : null;
    });
    stage.addEventListener("pointermove", (event) => this.#move(event));
    stage.addEventListener("pointerup", (event) => this.#release(event));
    stage.addEventListener("pointercancel", (event) => { this.#pointers.delete(event.pointerId); this.#start = null; });
    stage.addEventListener("dragstart", (event) => event.preventDefault());
    addEventListener("resize", () => this.#draw());
    const zoom = (factor) => this.#zoom(this.#scale * factor, innerWidth / 2, innerHeight / 2);
    watchKeys({
      "+": () => zoom(1.5),
      "-": () => zoom(1 / 1.5),
      "0": () => zoom(0),
      "c": () => this.#toggleCaption(),
      "Escape": () => this.#close(),
    });
  }

  #close() { document.getElementById("back").click(); }

  #toggleCaption() { this.#caption.classList.toggle("away"); }

  /** Keeps the point under the pointer in its place. */
  #zoom(scale, x, y) {
    const bounded = Math.min(8, Math.max(1, scale));
    const box = this.#image.getBoundingClientRect();
    const factor = bounded / this.#scale - 1;
    this.#x -= (x - box.x - box.width / 2) * factor;
    this.#y -= (y - box.y - box.height / 2) * factor;
    this.#scale = bounded;
    this.#draw();
  }

  /** A side that is longer than the window covers the window; a shorter one is in its middle. */
  #draw() {
    const bounded = (offset, side, window) => {
      const room = Math.max(0, (side * this.#scale - window) / 2);
      return Math.min(room, Math.max(-room, offset));
    };
    this.#x = bounded(this.#x, this.#image.offsetWidth, innerWidth);
    this.#y = bounded(this.#y, this.#image.offsetHeight, innerHeight);
    this.#image.style.transform = `translate(${this.#x}px, ${this.#y}px) scale(${this.#scale})`;
    this.#stage.classList.toggle("zoomed", this.#scale > 1);
  }

  #move(event) {
    const old = this.#pointers.get(event.pointerId);
    if (!old) return;
    const others = [...this.#pointers.values()].filter((pointer) => pointer !== old);
    this.#pointers.set(event.pointerId, event);
    if (others.length === 1) {
      // Two fingers may be at the same point.
      const distance = (pointer) => Math.max(1, Math.hypot(pointer.clientX - others[0].clientX, pointer.clientY - others[0].clientY));
      this.#zoom(this.#scale * distance(event) / distance(old), (event.clientX + others[0].clientX) / 2, (event.clientY + others[0].clientY) / 2);
    } else if (this.#scale > 1) {
      this.#x += event.clientX - old.clientX;
      this.#y += event.clientY - old.clientY;
      this.#draw();
    }
  }

  #release(event) {
    // A finger on a link or a button is none of these.
    if (!this.#pointers.delete(event.pointerId)) return;
    const start = this.#start;
    this.#start = null;
    if (!start) return;
    const [x, y] = [event.clientX - start.clientX, event.clientY - start.clientY];
    if (Math.hypot(x, y) < 10) this.#tap(event);
    else if (this.#scale > 1 || event.pointerType === "mouse") return;
    else if (y > 80 && y > Math.abs(x)) this.#close();
    else if (Math.abs(x) > 60 && Math.abs(x) > Math.abs(y)) openNeighbour(x < 0 ? "next" : "prev");
  }

  /** The second of two taps shows the caption again as it was, and zooms. */
  #tap(event) {
    this.#toggleCaption();
    const isSecond = this.#lastTap && event.timeStamp - this.#lastTap.timeStamp < 300
      && Math.hypot(event.clientX - this.#lastTap.clientX, event.clientY - this.#lastTap.clientY) < 40;
    this.#lastTap = isSecond ? null : event;
    if (isSecond) this.#zoom(this.#scale > 1 ? 1 : 2.5, event.clientX, event.clientY);
  }
}

/** Loads the pictures of the neighbours when that of the page is there. */
async function loadAhead() {
  await document.querySelector("#stage img").decode().catch(() => {});
  for (const { dataset } of document.querySelectorAll("[data-ahead]")) Object.assign(new Image(), { fetchPriority: "low", src: dataset.ahead });
}

// --- Start -----------------------------------------------------------------------------------------------------------

watchSettings();
watchBack();
watchNeighbours();
watchHelp();
age.show(document);
renewAges();
setInterval(renewAges, 60_000);
// The timers of hidden tabs and of stored pages stand still.
document.addEventListener("visibilitychange", renewAges);
addEventListener("pageshow", renewAges);
addEventListener("offline", () => age.update());
/** Loads what the page shows again, and moves nothing; null on a page that cannot. */
let renew = null;
let renewal = null;

/** Replaces a copy that is shown. A network that is back may not answer at once. */
async function replaceCopy(pause = Changes.pauses.first) {
  clearTimeout(renewal);
  if (!age.date || !navigator.onLine || !renew) return;
  await renew();
  clearTimeout(renewal);
  renewal = setTimeout(replaceCopy, pause, Math.min(2 * pause, Changes.pauses.longest));
}

addEventListener("online", () => {
  age.update();
  replaceCopy();
  pictures.retryFailed();
});

if (kind === "feed") {
  const memory = new Memory();
  memory.restore();
  rowsOf(document).forEach((row) => pictures.watch(row));
  const pager = new Pager();
  const news = new News(pager);
  const reload = new Reload(pager, news);
  watchFeedKeys(reload);
  renew = () => news.check();
  addEventListener("pagehide", () => pager.cancel());
  addEventListener("scrollend", () => folds.fold());
  watchWidth();
  list.addEventListener("click", (event) => {
    const link = event.target.closest(".more");
    if (!link || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    const row = link.closest(".item");
    row.querySelector(".text").classList.add("whole");
    row.focus({ preventScroll: true });
    link.remove();
  });
} else if (kind === "image") {
  document.querySelectorAll(".detail > .item").forEach((row) => pictures.watch(row));
  const pager = new Pager();
  watchForm();
  const state = new LoadingState();
  renew = () => run(state, async () => {
    const page = await fetchPage(location.href);
    const hadForm = document.getElementById("form") !== null;
    showComments(page);
    pager.reset();
    if (!hadForm) watchForm();
    return page;
  }, (message) => banner.show(message));
  if (document.getElementById("late")) renew().then(() => document.getElementById(location.hash.slice(1))?.scrollIntoView());
} else if (kind === "picture") {
  new Stage();
  watchPicture();
  loadAhead();
} else if (kind === "offline") {
  document.querySelector(".actions .button").href = location.href;
  // Only the network answers a request for the head.
  let timer = null;
  const retry = async (pause = Changes.pauses.first) => {
    clearTimeout(timer);
    if (await fetch(location.href, { method: "HEAD" }).catch(() => null)) return location.reload();
    timer = setTimeout(retry, pause, Math.min(2 * pause, Changes.pauses.longest));
  };
  // A reader may also open this page itself.
  if (location.pathname !== base + "/offline") {
    addEventListener("online", () => retry());
    retry();
  }
  showStored();
}

// The service worker has shown a copy, because the network fails or does not answer. It may answer still.
if (root.dataset.stored) replaceCopy();

/** Shows the stored pages of images, on the page in place of one that is not stored. */
async function showStored() {
  const section = document.getElementById("stored");
  const pages = await caches.open("pages-1");
  const addresses = (await pages.keys()).map(({ url }) => url).filter((url) => /\/image\/[^/?]+$/.test(url)).reverse();
  for (const url of addresses.slice(0, 24)) {
    const page = new DOMParser().parseFromString(await (await pages.match(url)).text(), "text/html");
    const link = page.querySelector(".picture .cover");
    if (!link) continue;
    Object.assign(link, { href: url, ariaLabel: page.querySelector("h1").textContent, title: "" }).replaceChildren();
    section.append(link.closest(".picture"));
    section.hidden = false;
  }
}

/**
 * The service worker stores pages and pictures. It learns what it could not see: what was requested before it controlled this page,
 * also if the answer comes later.
 */
async function store() {
  await navigator.serviceWorker.register(base + "/worker.js");
  const { active } = await navigator.serviceWorker.ready;
  active.postMessage({ store: [location.href, new URL(base + "/offline", location).href] });
  new PerformanceObserver((list) => {
    const unseen = list.getEntries().filter((entry) => entry.workerStart === 0 && entry.name.startsWith(location.origin + base + "/"));
    if (unseen.length) active.postMessage({ store: unseen.map((entry) => entry.name) });
  }).observe({ type: "resource", buffered: true });
}
if ("serviceWorker" in navigator) store().catch(() => {});
