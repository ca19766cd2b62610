/** What the page itself shows: start, reading, error, and what floats over a report. It lives in a shadow root, apart from a report's styles. */
import { formatBytes, formatCount } from "../../src/base/units.ts";
import { stretchesOf } from "./damage.ts";
import {
  type DroppedFile,
  type Failure,
  type Place,
  type PreviewRow,
  type SaverFact,
  STEPS,
  type Step,
} from "./messages.ts";

export type Action =
  | "files"
  | "folder"
  | "example"
  | "cancel"
  | "keep"
  | "raise"
  | "back"
  | "save"
  | "compare"
  | "start"
  | "theme"
  | "keys"
  | "close"
  | "dismiss";

const STATES = ["start", "reading", "failed"] as const;
type State = (typeof STATES)[number] | "report";

const THEMES = { auto: "as in the system settings", light: "light", dark: "dark" } as const;
type Theme = keyof typeof THEMES;

export class Shell {
  readonly host = document.createElement("div");
  readonly #root = this.host.attachShadow({ mode: "open" });
  #state: State = "start";
  /** A report lies below. */
  #isOver = false;
  #theme: Theme = "auto";

  constructor(act: (action: Action) => void) {
    const style = document.createElement("style");
    style.textContent = SHELL_CSS;
    this.host.id = "plimsoll-page";
    this.#root.innerHTML = SHELL_HTML;
    this.#root.prepend(style);
    this.#root.addEventListener("click", (event) => {
      const action = (event.target as Element).closest<HTMLElement>("[data-do]")?.dataset.do;
      if (action !== undefined) act(action as Action);
    });
    for (const one of STEPS) this.#mark(one, "look");
  }

  get state(): State {
    return this.#state;
  }

  get memoryBytes(): number {
    return Number(this.#one<HTMLSelectElement>("#memory").value);
  }

  /** The largest bound, unless it is chosen already. */
  get raisedMemory(): { readonly label: string; choose(): void } | undefined {
    const select = this.#one<HTMLSelectElement>("#memory");
    const largest = select.options[select.options.length - 1];
    if (largest === undefined || largest.selected) return undefined;
    return { label: largest.label, choose: () => void (largest.selected = true) };
  }

  get isNameless(): boolean {
    return this.#one<HTMLInputElement>("#nameless").checked;
  }

  get hasDialog(): boolean {
    return this.#root.querySelector("dialog[open]") !== null;
  }

  input(kind: "files" | "folder"): HTMLInputElement {
    return this.#one(`#pick-${kind}`);
  }

  /** Into the document as it is now: a report replaces it. */
  mount(isOver: boolean): void {
    this.#isOver = isOver;
    document.body.append(this.host);
  }

  show(state: State): void {
    this.#state = state;
    for (const one of STATES) {
      const element = this.#one<HTMLElement>(`#${one}`);
      element.hidden = one !== state;
      element.classList.toggle("float", this.#isOver && one !== "start");
    }
    for (const id of ["#dock", "#room"]) this.#one<HTMLElement>(id).hidden = state !== "report";
    if (state === "reading" || state === "failed")
      this.#one<HTMLElement>(`#${state} h2`).focus({ preventScroll: true });
  }

  /** Returns to the report below, or to the start. */
  leave(): void {
    this.show(this.#isOver ? "report" : "start");
  }

  reading(files: readonly DroppedFile[]): void {
    this.#text("#reading-title", `Reading ${titleOf(files)}`);
    this.#text("#amount", "");
    this.#text("#left", "");
    this.#width(0);
    for (const one of STEPS) this.#mark(one, "look");
    this.#text("#fact", "what it is");
    this.show("reading");
  }

  progress(step: Step, done: number, total: number, seconds: number, fact: string): void {
    for (const one of STEPS) this.#mark(one, step);
    if (fact !== "") this.#text("#fact", fact);
    if (step !== "read") {
      this.#width(step === "look" ? 0 : 1);
      return;
    }
    const share = total === 0 ? 0 : done / total;
    this.#width(share);
    this.#text("#amount", `${Math.round(100 * share)} % · ${formatBytes(done)} of ${formatBytes(total)}`);
    const left = share > 0.02 && seconds > 1 ? (seconds * (1 - share)) / share : 0;
    this.#text("#left", left >= 1 ? `about ${Math.ceil(left)} s left` : "");
  }

  failed(failure: Failure): void {
    const { place } = failure;
    const [head, why] = inParts(failure);
    this.#text("#error-line", head);
    this.#text("#error-why", why);
    this.#one<HTMLElement>("#failed h2").title = failure.line;
    this.#text("#error-hint", hintOf(failure));
    this.#one<HTMLElement>(".bytes").hidden = place === undefined;
    this.#one<HTMLElement>(".bytes-l").hidden = place === undefined;
    if (place !== undefined) this.#place(place);
    this.#one<HTMLElement>('[data-do="keep"]').hidden = !failure.canKeepGoing;
    const raised = failure.isLimit ? this.raisedMemory : undefined;
    this.#one<HTMLElement>('[data-do="raise"]').hidden = raised === undefined;
    this.#text('[data-do="raise"]', `Try again with ${raised?.label}`);
    this.#text("#error-details", failure.details);
    this.#one<HTMLElement>("#failed details").hidden = failure.details === "";
    this.show("failed");
  }

  /** While files are held over the page; `count` is 0 where the browser does not tell. */
  cover(count: number, canCompare: boolean, target: "open" | "compare"): void {
    const cover = this.#one<HTMLElement>("#cover");
    cover.hidden = false;
    cover.classList.toggle("two", canCompare);
    for (const one of cover.querySelectorAll<HTMLElement>(".target")) {
      const isCompare = one.dataset.target === "compare";
      one.hidden = isCompare && !canCompare;
      one.classList.toggle("at", isCompare === (target === "compare"));
    }
    const what = count === 0 ? "it" : count === 1 ? "1 file" : `${formatCount(count)} files`;
    this.#text("#cover b", canCompare ? `Open ${what} instead` : `Let go to open ${what}`);
    this.#text("#cover span", "stays on this machine");
  }

  uncover(): void {
    this.#one<HTMLElement>("#cover").hidden = true;
  }

  /** Above the start: the address waits for a file. */
  waitFor(text: string): void {
    this.#one<HTMLElement>("#waiting").hidden = text === "";
    this.#text("#waiting", text);
  }

  toast(text: string): void {
    this.#one<HTMLElement>("#toast").hidden = text === "";
    this.#text("#toast > span", text);
  }

  openSave(savers: readonly SaverFact[], save: (id: string) => void, preview: () => void): void {
    const list = this.#one("#save .savers");
    list.replaceChildren(
      ...savers.map(({ id, label, about }) => {
        const row = document.createElement("li");
        const button = document.createElement("button");
        const note = document.createElement("span");
        button.type = "button";
        button.className = "btn";
        button.dataset.saver = id;
        button.textContent = label;
        button.onclick = () => save(id);
        note.textContent = about;
        row.append(button, note);
        return row;
      }),
    );
    const box = this.#one<HTMLInputElement>("#nameless");
    box.onchange = () => {
      this.#one<HTMLElement>("#preview").hidden = !box.checked;
      if (box.checked) preview();
    };
    this.#one<HTMLDialogElement>("#save").showModal();
  }

  preview(rows: readonly PreviewRow[]): void {
    const cell = (tag: "td" | "th", text: string) => {
      const made = document.createElement(tag);
      made.textContent = text;
      made.title = text;
      return made;
    };
    this.#one("#preview tbody").replaceChildren(
      ...rows.map(({ what, before, after }) => {
        const row = document.createElement("tr");
        row.append(cell("th", what), cell("td", before), cell("td", after));
        return row;
      }),
    );
  }

  openKeys(): void {
    this.#one<HTMLDialogElement>("#keys").showModal();
  }

  closeDialogs(): void {
    for (const dialog of this.#root.querySelectorAll("dialog")) dialog.close();
  }

  /** Kept while the page is open, and nowhere else. */
  turnTheme(): void {
    const order = Object.keys(THEMES) as Theme[];
    this.#theme = order[(order.indexOf(this.#theme) + 1) % order.length] as Theme;
    for (const element of [this.host, document.documentElement]) {
      if (this.#theme === "auto") delete element.dataset.theme;
      else element.dataset.theme = this.#theme;
    }
    for (const button of this.#root.querySelectorAll('[data-do="theme"]'))
      button.setAttribute("aria-label", `Colours: ${THEMES[this.#theme]}`);
  }

  /** A report has its own switch; what floats over it follows. */
  followTheme(): void {
    const follow = () => {
      const { theme } = document.documentElement.dataset;
      if (theme === undefined) delete this.host.dataset.theme;
      else this.host.dataset.theme = theme;
    };
    new MutationObserver(follow).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    if (this.#theme !== "auto") document.documentElement.dataset.theme = this.#theme;
    follow();
  }

  #place(place: Place): void {
    const stretches = stretchesOf(place);
    const pieces = stretches.map(({ share, isSound }) => {
      const piece = document.createElement("i");
      piece.style.width = `${100 * share}%`;
      piece.classList.toggle("bad", !isSound);
      return piece;
    });
    const at = document.createElement("span");
    at.className = "at";
    at.style.left = `${(100 * place.byte) / place.of}%`;
    this.#one(".bytes").replaceChildren(...pieces, at);
    const what = place.isCut ? "ends" : "is damaged";
    const where = `${formatCount(place.byte)} of ${formatCount(place.of)}`;
    this.#one(".bytes").setAttribute("aria-label", `The file ${what} at byte ${where}`);
    let from = 0;
    const labels = stretches.map(({ share, isSound, label }) => {
      const text = document.createElement("span");
      text.textContent = label;
      text.classList.toggle("bad", !isSound);
      // One that begins far to the right is written to the left of its end.
      if (from > 0.75) text.style.right = "0";
      else text.style.left = `${100 * from}%`;
      text.style.maxWidth = isSound ? `${100 * share}%` : "none";
      from += share;
      return text;
    });
    this.#one(".bytes-l").replaceChildren(...labels.filter(({ textContent }) => textContent !== ""));
  }

  #mark(one: Step, current: Step): void {
    const item = this.#one<HTMLElement>(`[data-step="${one}"]`);
    const at = STEPS.indexOf(one) - STEPS.indexOf(current);
    const sign = item.querySelector("b")?.firstElementChild;
    const mark = at < 0 ? DONE : `<span class="${at === 0 ? "run" : "dot"}"></span>`;
    item.classList.toggle("todo", at > 0);
    if (sign) sign.outerHTML = mark;
  }

  #width(share: number): void {
    this.#one<HTMLElement>(".progress i").style.width = `${100 * share}%`;
    this.#one(".progress").setAttribute("aria-valuenow", String(Math.round(100 * share)));
  }

  #text(selector: string, text: string): void {
    this.#one(selector).textContent = text;
  }

  #one<Kind extends Element = Element>(selector: string): Kind {
    return this.#root.querySelector<Kind>(selector) as Kind;
  }
}

const DONE = '<svg class="mk good" viewBox="0 0 12 12" aria-hidden="true"><use href="#m-good"/></svg>';

function titleOf(files: readonly DroppedFile[]): string {
  const roots = [...new Set(files.map(({ path }) => path.replace(/\/.*$/s, "")))];
  if (roots.length === 0) return "an example";
  const [first = ""] = roots;
  return roots.length === 1 ? first : `${first} and ${roots.length - 1} more`;
}

/** A heading, and what else the line says. */
function inParts({ line, damage, canKeepGoing, place }: Failure): [head: string, why: string] {
  if (place?.isCut && damage !== undefined) {
    const where = `at byte ${formatCount(place.byte)} of ${formatCount(place.of)}`;
    return [`${damage.name} ends early, ${where}.`, ""];
  }
  if (canKeepGoing && damage?.byte !== undefined)
    return [`${damage.name} is damaged at byte ${formatCount(damage.byte)}.`, damage.detail];
  const [, what = "", known = ""] = /^(.*) \(known: (.*)\)$/s.exec(line) ?? [];
  if (known !== "") return [`${what}.`, `Opens: ${known}.`];
  const [, head = line, why = ""] = /^([^(;]{12,}?)(?: (?=\()|; )(.*)$/s.exec(line) ?? [];
  return [sentence(head), why === "" ? "" : sentence(why)];
}

/** With a capital, unless it begins with the name of a file, and an end. */
function sentence(text: string): string {
  const isNamed = /^[^ ]+: /.test(text);
  const begun = isNamed ? text : text.replace(/^[a-z]/, (letter) => letter.toUpperCase());
  return /[.)]$/.test(begun) ? begun : `${begun}.`;
}

function hintOf({ canKeepGoing, isLimit, line, place }: Failure): string {
  if (isLimit)
    return "Try a larger limit, or the command, which has none: plimsoll report FILE -o report.html";
  if (canKeepGoing && place?.isCut)
    return "Perhaps the job had not finished, or the copy was cut off. The part before it can be used.";
  if (canKeepGoing) return "Perhaps the file was damaged in transfer. The part before it can be used.";
  return /unknown format|nothing in this folder/.test(line) ? "Nothing was sent anywhere." : "";
}
