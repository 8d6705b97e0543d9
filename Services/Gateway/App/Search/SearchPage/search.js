// Suggestions while typing, following the ARIA pattern of an editable combobox with a list of suggestions. Without this script the
// field is a plain form.

const pause = 120;

/** How many suggestions of each kind an empty field has. */
const offered = 3;

/** A text as one word of a query: in quotation marks that it does not have. */
function quoted(text) {
  if (!/[\s"“”„«»*]/.test(text)) return text;
  return text.includes('"') ? `«${text.replace(/[«»]/g, "")}»` : `"${text}"`;
}

class Suggestions {
  constructor(form) {
    this.form = form;
    this.input = form.querySelector("input[name=q]");
    this.id = `suggestions-${Suggestions.count = (Suggestions.count ?? 0) + 1}`;
    this.list = Object.assign(document.createElement("div"), { id: this.id, className: "suggestions", hidden: true });
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", this.input.getAttribute("aria-label"));
    form.append(this.list);
    for (const [name, value] of Object.entries({
      role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.id,
    })) this.input.setAttribute(name, value);
    this.active = -1;
    /** What had the focus before the field. */
    this.origin = null;
    this.input.addEventListener("input", () => this.schedule());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("click", () => this.offer());
    this.input.addEventListener("blur", () => this.close());
    // A press must not take the focus from the field before the click.
    this.list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => this.choose(event.target.closest("[role=option]")));
  }

  get options() { return [...this.list.querySelectorAll("[role=option]")]; }

  /** What is being typed, after the last space outside quotation marks: its minus and its word, without an operator. */
  get typed() {
    const { value } = this.input;
    let [start, isQuoted] = [0, false];
    for (let index = 0; index < value.length; index++) {
      if (value[index] === '"') isQuoted = !isQuoted;
      else if (!isQuoted && /\s/.test(value[index])) start = index + 1;
    }
    const [, minus, word] = value.slice(start).match(/^(-?)(?:(?:tag|place|from):)?(.*)$/is);
    return { before: value.slice(0, start), minus, word: word.replaceAll('"', "") };
  }

  /** Suggests the most frequent for an empty field, on request. The page of search has examples below its field. */
  offer() {
    if (!this.input.value && this.form.classList.contains("in-bar")) this.load("");
  }

  schedule() {
    clearTimeout(this.timer);
    this.request?.abort();
    const { word } = this.typed;
    if (!word.trim()) return this.close();
    this.timer = setTimeout(() => this.load(word), pause);
  }

  async load(prefix) {
    const request = this.request = new AbortController();
    try {
      const response = await fetch(`${document.documentElement.dataset.base}/v1/search/suggestions?prefix=${encodeURIComponent(prefix)}`, { signal: request.signal });
      if (!response.ok) return this.say(this.form.dataset.unavailable);
      const found = await response.json();
      if (!request.signal.aborted && document.activeElement === this.input) this.show(found, prefix ? Infinity : offered);
    } catch (error) {
      if (error.name !== "AbortError") this.say(this.form.dataset.unavailable);
    }
  }

  show(found, count) {
    this.list.replaceChildren();
    this.setActive(-1);
    for (const [kind, operator] of [["tags", "tag"], ["places", "place"], ["people", "from"]]) {
      if (!found[kind]?.length) continue;
      const group = document.createElement("div");
      group.setAttribute("role", "group");
      const title = Object.assign(document.createElement("div"), { id: `${this.id}-${kind}`, textContent: this.form.dataset[kind] });
      title.setAttribute("role", "presentation");
      group.setAttribute("aria-labelledby", title.id);
      group.append(title);
      for (const { text, count: images } of found[kind].slice(0, count)) {
        const option = document.createElement("div");
        const name = Object.assign(document.createElement("span"), { textContent: text, dir: "auto" });
        const amount = Object.assign(document.createElement("span"), { textContent: String(images), className: "amount" });
        option.id = `${this.id}-${this.options.length + group.querySelectorAll("[role=option]").length}`;
        option.setAttribute("role", "option");
        option.setAttribute("aria-selected", "false");
        option.dataset.value = `${operator}:${quoted(text)}`;
        option.append(name, amount);
        group.append(option);
      }
      this.list.append(group);
    }
    this.open(this.options.length > 0);
  }

  say(text) {
    this.list.replaceChildren(Object.assign(document.createElement("div"), { textContent: text }));
    this.list.firstChild.setAttribute("role", "presentation");
    this.open(true);
  }

  open(isOpen) {
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
  }

  close() {
    clearTimeout(this.timer);
    this.request?.abort();
    this.setActive(-1);
    this.open(false);
  }

  setActive(index) {
    const options = this.options;
    options[this.active]?.setAttribute("aria-selected", "false");
    this.active = index;
    const option = options[index];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  key(event) {
    const count = this.options.length;
    const isOpen = !this.list.hidden;
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!isOpen) return this.input.value ? this.schedule() : this.offer();
      const step = event.key === "ArrowDown" ? 1 : -1;
      // One step beyond either end leads back to the field.
      this.setActive(this.active + step >= count ? -1 : this.active + step < -1 ? count - 1 : this.active + step);
    } else if (event.key === "Escape") {
      event.preventDefault();
      if (isOpen) this.close(); else this.leave();
    } else if (event.key === "Enter" && this.active >= 0) {
      event.preventDefault();
      this.choose(this.options[this.active]);
    }
  }

  /** Back to where the reader was. */
  leave() {
    this.input.blur();
    if (this.origin?.isConnected) this.origin.focus();
  }

  choose(option) {
    if (!option) return;
    const { before, minus } = this.typed;
    this.input.value = `${before}${minus}${option.dataset.value} `;
    this.close();
    this.form.requestSubmit();
  }
}

const fields = [...document.querySelectorAll("form.search")].map((form) => new Suggestions(form));

addEventListener("keydown", (event) => {
  const isElsewhere = event.target.closest?.("input, textarea, select") || document.querySelector("dialog[open]");
  if (event.key !== "/" || isElsewhere || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const field = fields.find(({ input }) => input.offsetParent);
  if (!field) { document.querySelector(".search-link")?.click(); return; }
  field.origin = document.activeElement;
  field.input.focus();
  field.input.select();
});
