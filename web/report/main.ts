/**
 * The script of a report page. The page can be read without it; it adds sorting, search, exports, colours, keys and
 * the timeline, and keeps what the reader looks at in the address.
 */
import type { PageData } from "../../src/report/html/index.ts";
import { readFragment, type View, writeFragment } from "./address.ts";
import { all, button, copyButton } from "./dom.ts";
import { enableFigures } from "./figures.ts";
import { Findings, openFoldsForPrint } from "./findings.ts";
import { enableKeys } from "./keys.ts";
import { enableAbout } from "./popover.ts";
import { TableView } from "./table-view.ts";
import { applyStoredTheme, printInLightColours, themeSwitch } from "./theme.ts";
import { Timelines } from "./timelines.ts";

applyStoredTheme();
if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
else start();

function start(): void {
  document.documentElement.classList.add("scripted");
  const data = JSON.parse(document.getElementById("page-data")?.textContent ?? "{}") as PageData;
  enableAbout();
  const page = new Page(data);
  enableFigures(data.figures);
  for (const block of all(".code")) {
    const text = (): string => block.querySelector("code")?.textContent ?? "";
    block.querySelector(".tools")?.append(copyButton("Copy", "Copy to the clipboard", text));
  }
  const showKeys = enableKeys({
    section: (number) => page.goToSection(number),
    search: () => page.focusSearch(),
    cause: (step) => page.goToCause(step),
    toggleCause: () => page.toggleCause(),
    sections: openSections,
  });
  const keys = button("?", "Keys", showKeys);
  const markdown = (): string => [data.markdown, ...page.shownFindings].join("\n");
  const copy = copyButton("Copy as Markdown", "Headline and causes, for a ticket or a mail", markdown);
  document.querySelector(".bar .tools")?.append(copy, themeSwitch(), keys);
  closeMenuElsewhere();
  printInLightColours();
  openFoldsForPrint();
  // The address knows better than the browser where the reader was.
  if (location.hash !== "") history.scrollRestoration = "manual";
  page.followAddress();
}

function openSections(): void {
  const menu = document.querySelector<HTMLDetailsElement>("details.fold");
  if (!menu) return;
  menu.open = !menu.open;
  if (menu.open) menu.querySelector<HTMLElement>("nav a")?.focus();
}

/** A menu that floats goes when the reader turns to something else. */
function closeMenuElsewhere(): void {
  const menu = document.querySelector<HTMLDetailsElement>("details.fold");
  document.addEventListener("pointerdown", (event) => {
    if (menu?.open && !menu.contains(event.target as Node)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu?.open) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
}

/** Holds the view, and moves between it, the address and the parts of the page. */
class Page {
  readonly #sections = all("main > section");
  readonly #tables: TableView[];
  readonly #findings: Findings;
  readonly #timelines = new Timelines((...shown) => this.#timelineShows(...shown));
  #view: View;
  /** The section that a link, the address or work on a table chose, and where it stood in the window. */
  /** The fragment that the page shows or has written. */
  #address = location.hash;
  #chosen: { readonly section: HTMLElement; readonly top: number } | undefined;

  constructor(data: PageData) {
    this.#tables = all(".table-block").map(
      (host) =>
        new TableView(host, data.tables[Number(host.dataset.table)]!, (view, key) => {
          if (key !== undefined) {
            this.#view.file = key;
            this.#selectRow();
          }
          this.#view.section = view.table.section;
          this.#choose(view.table.section);
          this.#writeAddress();
        }),
    );
    this.#findings = new Findings(data.findings, (severity) => {
      this.#view.severity = severity;
      this.#findings.show(severity);
      this.#writeAddress();
    });
    this.#view = readFragment("", this.#places);
    document.addEventListener("click", (event) => this.#clicked(event));
    // Also fires when the reader goes back.
    addEventListener("hashchange", () => this.followAddress());
    let waiting = false;
    addEventListener(
      "scroll",
      () => {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => {
          waiting = false;
          this.#followScroll();
        });
      },
      { passive: true },
    );
  }

  /** Makes the page show what the address says. */
  followAddress(): void {
    this.#address = location.hash;
    this.#view = readFragment(location.hash, this.#places);
    for (const table of this.#tables) {
      const state = { ...table.model.initial, ...this.#view.tables.get(table.table.id) };
      // A column that this document does not have cannot sort it.
      if (table.model.columnAt(state.sort) < 0) state.sort = table.model.initial.sort;
      table.set(state);
    }
    this.#findings.show(this.#view.severity);
    this.#timelines.restore(this.#view.timelines);
    this.#show();
  }

  #timelineShows(timeline: number, place: string, section: string): void {
    const { timelines, section: before } = this.#view;
    if (place === "") timelines.delete(timeline);
    else timelines.set(timeline, place);
    // A link to a place led here, and the reader has gone on from there.
    Object.assign(this.#view, { section, from: undefined, to: undefined, rank: undefined });
    if (before === section) this.#view.file = "";
    this.#choose(section);
    this.#writeAddress();
  }

  goToSection(number: number): void {
    const section = this.#sections[number - 1];
    if (section) this.#goTo(`#${section.id}`);
  }

  /** Markdown of the causes that are shown. */
  get shownFindings(): readonly string[] {
    return this.#findings.shown;
  }

  goToCause(step: 1 | -1): void {
    const rows = all<HTMLDetailsElement>("details.cause").filter((row) => !row.hidden);
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step];
    const summary = next?.querySelector("summary");
    summary?.focus({ preventScroll: true });
    summary?.scrollIntoView({ block: "nearest" });
  }

  toggleCause(): void {
    const row =
      document.activeElement?.closest<HTMLDetailsElement>("details.cause") ??
      document.querySelector<HTMLDetailsElement>("details.cause");
    if (row) row.open = !row.open;
  }

  focusSearch(): void {
    const fields = this.#tables.filter((table) => table.searchField);
    const near = fields.find((table) => table.table.section === this.#view.section) ?? fields[0];
    near?.searchField?.scrollIntoView({ block: "center" });
    near?.searchField?.focus({ preventScroll: true });
    near?.searchField?.select();
  }

  get #places() {
    return this.#tables.map(({ table }) => ({ id: table.id, section: table.section }));
  }

  #clicked(event: MouseEvent): void {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="#"]');
    const address = link?.getAttribute("href");
    if (!link || !address || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    if (address === "#page-main") {
      document.getElementById("page-main")?.focus();
      return;
    }
    link.closest<HTMLDetailsElement>("details.fold")?.removeAttribute("open");
    const cause = document.getElementById(address.slice(1));
    if (cause instanceof HTMLDetailsElement) {
      cause.open = true;
      cause.scrollIntoView();
      cause.querySelector("summary")?.focus({ preventScroll: true });
      return;
    }
    this.#goTo(address);
  }

  /** Follows a link within the page; tables stay as the reader set them. */
  #goTo(address: string): void {
    const { section, file, from, to, rank } = readFragment(address, this.#places);
    this.#view = { ...this.#view, section, file, from, to, rank };
    if (section === "" && file !== "") this.#view.section = this.#tableWith(file)?.table.section ?? "";
    this.#show();
    this.#writeAddress(true);
  }

  /** Brings the place of the view on the screen. */
  #show(): void {
    const { section, file, from, to, rank } = this.#view;
    const table = file === "" ? undefined : this.#tableWith(file);
    this.#selectRow();
    const inTimeline =
      section === "" ? from !== undefined || rank !== undefined : this.#timelines.isIn(section);
    if (inTimeline && (from !== undefined || rank !== undefined || file !== ""))
      this.#timelines.show({
        ...(from !== undefined && { startSeconds: from }),
        ...(to !== undefined && { endSeconds: to }),
        ...(rank !== undefined && { rank }),
        ...(file !== "" && { fileId: file }),
      });
    if (table && (section === "" || section === table.table.section)) {
      table.select(file, true);
      this.#choose(table.table.section);
      return;
    }
    const target = document.getElementById(section === "" && inTimeline ? this.#timelines.section : section);
    if (!target || !this.#sections.includes(target)) return;
    this.#timelines.askedFor = target.id;
    target.scrollIntoView();
    target.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
    this.#choose(target.id);
  }

  #tableWith(file: string): TableView | undefined {
    return this.#tables.find((table) => table.model.rowWithKey(file) >= 0);
  }

  #selectRow(): void {
    for (const table of this.#tables)
      if (table.table.rowKey !== undefined) table.select(this.#view.file, false);
  }

  #choose(id: string): void {
    const section = this.#sections.find((one) => one.id === id);
    this.#chosen = section && { section, top: section.getBoundingClientRect().top };
    this.#markSection(id);
  }

  #followScroll(): void {
    // The reader went back or forward, and the event that says so is still to come: this state is older.
    if (location.hash !== this.#address) return;
    // Scrolled by the page itself, or by something above that grew: the choice stands until the reader scrolls.
    if (this.#chosen) {
      const { section, top } = this.#chosen;
      if (Math.abs(section.getBoundingClientRect().top - top) < 2) return;
      this.#chosen = undefined;
    }
    const line = innerHeight * 0.3;
    const atEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 4;
    const passed = this.#sections.filter((section) => section.getBoundingClientRect().top <= line);
    const current = atEnd ? this.#sections.at(-1) : passed.at(-1);
    this.#markSection(current?.id ?? "");
    if (current && current.id !== this.#view.section && !atEnd) {
      this.#view.section = current.id;
      this.#writeAddress();
    }
  }

  #markSection(id: string): void {
    for (const link of all(".fold li a")) {
      if (link.getAttribute("href") === `#${id}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  #writeAddress(asNewEntry = false): void {
    this.#view.tables = new Map(this.#tables.map(({ table, state }) => [table.id, state]));
    const initial = new Map(this.#tables.map(({ table, model }) => [table.id, model.initial]));
    const fragment = writeFragment(this.#view, this.#places, initial);
    if (fragment === location.hash) return;
    try {
      const address = fragment || location.pathname + location.search;
      if (asNewEntry) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
      this.#address = location.hash;
    } catch {
      // Browsers limit how often a page may do so; the next change will bring the address up to date.
    }
  }
}
