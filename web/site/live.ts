/** Looks every second whether the page has changed, and puts the new one in its place: the reader keeps place and focus. */
import { formatAge } from "../../src/base/units.ts";
import { all } from "../report/dom.ts";

const EVERY_MS = 1000;
/** A server that does not answer is asked less often. */
const SLOW_MS = 5000;

export class Live {
  readonly #changed: () => void;
  #tag: string | null = null;
  #failures = 0;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  start(): void {
    void this.#look();
  }

  async #look(): Promise<void> {
    if (!document.hidden) await this.#ask().catch(() => this.#say("bad", "no answer"));
    setTimeout(() => void this.#look(), this.#failures > 3 ? SLOW_MS : EVERY_MS);
  }

  async #ask(): Promise<void> {
    const headers: Record<string, string> = this.#tag === null ? {} : { "If-None-Match": this.#tag };
    let answer: Response;
    try {
      answer = await fetch(location.pathname + location.search, {
        headers,
        cache: "no-store",
        credentials: "same-origin",
      });
    } catch (error) {
      this.#failures++;
      throw error;
    }
    if (answer.status === 304) return this.#fresh();
    if (answer.status !== 200) {
      this.#failures++;
      const told = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("h1");
      // What the page itself says needs no second voice.
      const isSaid = told !== null && told.textContent === document.querySelector("h1")?.textContent;
      return this.#say("bad", isSaid ? "" : (told?.textContent ?? `answer ${answer.status}`));
    }
    const isFirst = this.#tag === null && this.#failures === 0;
    this.#tag = answer.headers.get("ETag");
    const text = await answer.text();
    this.#fresh();
    const isOlder = document.querySelector("main > .older") !== null;
    if (!isFirst || isOlder || !text.includes(versionOf(document))) this.#replace(text);
  }

  #fresh(): void {
    this.#failures = 0;
    this.#say("good", "live");
  }

  #say(level: "good" | "bad", text: string): void {
    const live = document.querySelector<HTMLElement>(".live");
    const words = live?.querySelector("span");
    if (!live || !words) return;
    live.hidden = text === "";
    live.className = `live ${level}`;
    if (words.textContent !== text) words.textContent = text;
  }

  #replace(text: string): void {
    const next = new DOMParser().parseFromString(text, "text/html");
    const [main, newMain] = [document.querySelector("main"), next.querySelector("main")];
    if (!main || !newMain) return;
    // What the reader is typing in or reading stays as it is until they are done.
    if (main.contains(document.activeElement) && document.activeElement?.matches("input, textarea, select")) {
      this.#tag = null;
      return;
    }
    const open = new Set(all("details[open]").map((one) => pathOf(one)));
    const focused = document.activeElement instanceof HTMLElement ? pathOf(document.activeElement) : "";
    main.replaceChildren(...newMain.childNodes);
    const data = next.getElementById("page-data");
    document.getElementById("page-data")?.remove();
    if (data) document.body.append(data);
    const [foot, newFoot] = [document.querySelector("footer"), next.querySelector("footer")];
    if (foot && newFoot) foot.replaceChildren(...newFoot.childNodes);
    document.title = next.title;
    for (const one of all<HTMLDetailsElement>("details")) if (open.has(pathOf(one))) one.open = true;
    document.querySelector(".popover")?.remove();
    this.#changed();
    if (focused !== "")
      all("main a, main button, main summary")
        .find((one) => pathOf(one) === focused)
        ?.focus({ preventScroll: true });
    document.documentElement.dataset.refreshed = String(
      Number(document.documentElement.dataset.refreshed ?? 0) + 1,
    );
  }
}

const versionOf = (of: Document): string => of.querySelector("footer code")?.textContent ?? "none";

/** Where an element stands, by its panel and its words. */
const pathOf = (element: Element): string =>
  `${element.closest("section")?.id ?? ""} ${element.tagName} ${(element.querySelector("summary") ?? element).textContent?.slice(0, 80)}`;

/** Seconds since each newest sample, by the clock of the reader's machine; corrected by that of the server at the start. */
export function keepAges(): void {
  setInterval(() => {
    const now = Date.now() / 1000;
    for (const one of all(".age[data-unix]")) one.textContent = formatAge(now - Number(one.dataset.unix));
  }, 1000);
}
