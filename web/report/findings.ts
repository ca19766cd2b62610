/** Findings: a filter by severity, and copies as Markdown for a ticket. */
import { all, button, copyButton } from "./dom.ts";

const WORDS = [
  ["", "All"],
  ["high", "High"],
  ["warn", "Warning"],
  ["info", "Info"],
] as const;

/** Few findings need no filter. */
const FILTERED_FROM = 4;

export class Findings {
  readonly #filters: HTMLButtonElement[] = [];
  readonly #markdown: readonly string[];

  constructor(
    markdown: readonly string[],
    /** After the reader chose a severity; empty for all. */
    readonly chosen: (severity: string) => void,
  ) {
    this.#markdown = markdown;
    const textOf = (card: HTMLElement): string => markdown[Number(card.dataset.finding)] ?? "";
    for (const card of all(".finding")) {
      card
        .querySelector(".finding-foot .tools")
        ?.append(copyButton("Copy as Markdown", "For a ticket or a mail", () => textOf(card)));
    }
    for (const list of all(".findings")) {
      const cards = all(".finding", list);
      const tools = list.querySelector(":scope > .tools");
      if (!tools || cards.length < FILTERED_FROM) continue;
      for (const [severity, word] of WORDS) {
        const cardsOf = cards.filter((card) => severity === "" || card.dataset.severity === severity);
        if (cardsOf.length === 0) continue;
        const filter = button(`${word} ${cardsOf.length}`, `Show ${word.toLowerCase()}`, () =>
          chosen(severity),
        );
        filter.dataset.filter = severity;
        this.#filters.push(filter);
        tools.append(filter);
      }
    }
  }

  /** Markdown of those that are shown. */
  get shown(): readonly string[] {
    return all(".finding")
      .filter((card) => !card.hidden)
      .map((card) => this.#markdown[Number(card.dataset.finding)] ?? "");
  }

  /** Unknown words show all: an old address hides nothing. */
  show(severity: string): void {
    const wanted = WORDS.some(([name]) => name === severity) ? severity : "";
    for (const filter of this.#filters)
      filter.setAttribute("aria-pressed", String(filter.dataset.filter === wanted));
    for (const list of all(".findings")) {
      const filtered = list.querySelector("[data-filter]") !== null;
      for (const card of all(".finding", list))
        card.hidden = filtered && wanted !== "" && card.dataset.severity !== wanted;
    }
  }
}

/** Paper has no folds to open. */
export function openFoldsForPrint(): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    opened = all<HTMLDetailsElement>("details:is(.judged, .cause):not([open])");
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
  });
}
