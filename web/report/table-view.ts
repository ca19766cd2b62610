/**
 * One table in the page. Up to `WHOLE_LINES_MAX` lines are all in the document; of longer tables only those around the
 * visible part are, between two empty rows that keep the scroll bar right. All lines of such a table are equally high.
 */
import {
  formatExact,
  formatValue,
  NOT_RECORDED,
  plusSign,
  shortenMiddle,
  verdictClass,
} from "../../src/plot/index.ts";
import { all, button, download, make } from "./dom.ts";
import { type Cell, type Line, TableModel, type TableState } from "./table-model.ts";
import type { PageTable } from "../../src/report/html/index.ts";

const WHOLE_LINES_MAX = 200;
const OVERSCAN = 24;
const TEXT_CHARACTERS_MAX = 1200;

const NAME_CHARACTERS_MAX = 64;
const PHONE_CHARACTERS_MAX = 16;

const phone = matchMedia("(max-width: 600px)");

/** The first column stays in view while others scroll. In long tables on a phone there is room for the ends of paths only. */
function shortName(whole: string, long: boolean): string {
  // A sentence wraps; a phone and paper have no tooltip for what was cut.
  if (!long && whole.includes(" ") && !whole.includes("/")) return shortenMiddle(whole, TEXT_CHARACTERS_MAX);
  if (!phone.matches || !long) return shortenMiddle(whole, NAME_CHARACTERS_MAX);
  if (!whole.includes("/") || whole.includes(" ")) return shortenMiddle(whole, 2 * PHONE_CHARACTERS_MAX);
  const characters = [...whole.slice(-4 * PHONE_CHARACTERS_MAX)];
  if (characters.length <= PHONE_CHARACTERS_MAX) return whole;
  return `…${characters.slice(1 - PHONE_CHARACTERS_MAX).join("")}`;
}

export class TableView {
  readonly model: TableModel;
  readonly searchField: HTMLInputElement | undefined;
  state: TableState;
  #lines: Line[] = [];
  #selected = -1;
  #window = { first: 0, end: 0 };
  #lineHeight = 33;
  #printing = false;
  readonly #columns: number[];
  readonly #pale: ReadonlySet<number>;
  readonly #box: HTMLElement;
  readonly #table: HTMLTableElement;
  readonly #body: HTMLElement;
  readonly #foot: HTMLElement;
  readonly #headers: HTMLElement[];
  #flatButton: HTMLButtonElement | undefined;

  constructor(
    readonly host: HTMLElement,
    readonly table: PageTable,
    /** After the reader changed something; `row` when a row was chosen. */
    readonly changed: (view: TableView, rowKey?: string) => void,
  ) {
    this.model = new TableModel(table);
    this.state = { ...this.model.initial };
    this.#columns = table.columns.flatMap((column, at) => (column.hidden ? [] : [at]));
    this.#pale = new Set(table.pale);
    this.#box = host.querySelector<HTMLElement>(".table-box")!;
    this.#table = host.querySelector("table")!;
    this.#body = host.querySelector("tbody")!;
    this.#foot = host.querySelector<HTMLElement>(".table-foot")!;
    this.#headers = all("thead th", host);
    this.#headers.forEach((header, nth) => {
      this.#makeSortable(header, this.#columns[nth] ?? 0);
    });
    this.searchField = table.searchable ? this.#makeSearch() : undefined;
    this.#makeTools();
    this.#box.addEventListener("scroll", () => this.#fillWindow(), { passive: true });
    this.#body.addEventListener("click", (event) => this.#clicked(event));
    phone.addEventListener("change", () => this.#fillWindow(true));
    addEventListener("beforeprint", () => this.#print(true));
    addEventListener("afterprint", () => this.#print(false));
    this.render();
  }

  set(state: TableState): void {
    this.state = state;
    if (this.searchField && this.searchField.value !== state.search) this.searchField.value = state.search;
    this.render();
  }

  /** Marks the row with this key; `scroll` also opens its group, brings it into view and gives it the focus. */
  select(key: string, scroll: boolean): boolean {
    this.#selected = this.model.rowWithKey(key);
    if (this.#selected < 0 || !scroll) {
      this.#fillWindow(true);
      return false;
    }
    if (this.#lineOfSelected() < 0 && this.state.search !== "") this.set({ ...this.state, search: "" });
    if (this.#lineOfSelected() < 0) {
      const group = this.model.groupOfRow(this.#selected);
      this.set({ ...this.state, open: new Set([...this.state.open, group]) });
    }
    const line = this.#lineOfSelected();
    this.#box.scrollTop = Math.max(0, line * this.#lineHeight - this.#box.clientHeight / 2);
    this.#fillWindow(true);
    const element = this.#body.querySelector<HTMLElement>("tr.selected");
    element?.setAttribute("tabindex", "-1");
    element?.focus({ preventScroll: true });
    // Lines may differ in height in short tables; the browser knows.
    element?.scrollIntoView({ block: "center" });
    return true;
  }

  render(): void {
    const { lines, found } = this.model.lines(this.state);
    this.#lines = lines;
    const total = Math.max(this.table.rowsTotal ?? 0, this.table.rows.length);
    const rows = `${count(total)} ${total === 1 ? "row" : "rows"}`;
    const held = total > this.table.rows.length ? `, of which ${count(this.table.rows.length)} are here` : "";
    this.#foot.textContent =
      this.state.search.trim() === ""
        ? rows + held
        : found === 0
          ? `Nothing found for “${this.state.search}” in ${rows}${held}.`
          : `${count(found)} found in ${rows}${held}`;
    this.#headers.forEach((header, nth) => {
      const key = this.table.columns[this.#columns[nth] ?? 0]?.key;
      if (key !== this.state.sort || key === undefined) header.removeAttribute("aria-sort");
      else header.setAttribute("aria-sort", this.state.rising ? "ascending" : "descending");
    });
    if (this.#flatButton) this.#flatButton.setAttribute("aria-pressed", String(!this.state.flat));
    const long = lines.length > WHOLE_LINES_MAX;
    this.#table.classList.toggle("long", long);
    this.#box.classList.toggle("high", lines.length > 20);
    if (long) this.#table.setAttribute("aria-rowcount", String(lines.length + 1));
    else this.#table.removeAttribute("aria-rowcount");
    this.#fillWindow(true);
  }

  #lineOfSelected(): number {
    return this.#lines.findIndex((line) => line.kind === "row" && line.row === this.#selected);
  }

  /** Puts the lines around the visible part into the document, unless they are there. */
  #fillWindow(force = false): void {
    const lines = this.#lines.length;
    if (lines <= WHOLE_LINES_MAX || this.#printing) {
      const end = Math.min(lines, WHOLE_LINES_MAX);
      if (force) this.#fill(0, end);
      return;
    }
    const top = Math.floor(this.#box.scrollTop / this.#lineHeight);
    const bottom = top + Math.ceil((this.#box.clientHeight || 600) / this.#lineHeight);
    const { first, end } = this.#window;
    if (!force && top >= first && Math.min(bottom, lines) <= end) return;
    this.#fill(Math.max(0, top - OVERSCAN), Math.min(lines, bottom + OVERSCAN));
    this.#keepWidths();
  }

  #fill(first: number, end: number): void {
    this.#window = { first, end };
    const elements = this.#lines.slice(first, end).map((line, nth) => this.#lineElement(line, first + nth));
    const long = this.#lines.length > WHOLE_LINES_MAX && !this.#printing;
    if (long && first > 0) elements.unshift(this.#spacer(first));
    if (long && end < this.#lines.length) elements.push(this.#spacer(this.#lines.length - end));
    this.#body.replaceChildren(...elements);
    const sample = long ? this.#body.querySelector<HTMLElement>("tr:not(.spacer)") : null;
    if (sample && sample.offsetHeight > 0) this.#lineHeight = sample.getBoundingClientRect().height;
  }

  #spacer(lines: number): HTMLTableRowElement {
    const cell = make("td", { colspan: String(this.#columns.length) });
    cell.style.height = `${lines * this.#lineHeight}px`;
    return make("tr", { class: "spacer", "aria-hidden": "true" }, cell);
  }

  /** Other rows would need other widths: columns only ever grow, so that nothing jumps while scrolling. */
  #keepWidths(): void {
    const widths = this.#headers.map((header) => header.offsetWidth);
    this.#headers.forEach((header, nth) => {
      if ((widths[nth] ?? 0) > 0) header.style.minWidth = `${widths[nth]}px`;
    });
  }

  #lineElement(line: Line, at: number): HTMLTableRowElement {
    const element = document.createElement("tr");
    if (this.#table.classList.contains("long")) element.setAttribute("aria-rowindex", String(at + 2));
    const cells = line.kind === "group" ? this.model.groups![line.group]!.cells : this.model.rows[line.row]!;
    this.#columns.forEach((column, nth) => {
      const cell = document.createElement(nth === 0 ? "th" : "td");
      const { unit = "none", look } = this.table.columns[column] ?? {};
      if (nth === 0) cell.scope = "row";
      if (unit === "text") cell.className = look === undefined ? "t" : `t ${look}`;
      const text = cells[column];
      const word = unit === "text" && nth > 0 && typeof text === "string" ? verdictClass(text) : undefined;
      if (word !== undefined) cell.className += ` ${word}`;
      this.#writeCell(cell, cells[column] ?? null, column, nth === 0);
      this.#makeLink(cell, cells, column);
      element.append(cell);
    });
    if (line.kind === "group") {
      element.className = "group";
      this.#makeToggle(element.firstElementChild as HTMLElement, line);
    } else {
      element.dataset.row = String(line.row);
      if (line.member) element.classList.add("member");
      if (this.#pale.has(line.row)) element.classList.add("pale");
      if (line.row === this.#selected) element.classList.add("selected");
    }
    return element;
  }

  #writeCell(element: HTMLElement, cell: Cell, column: number, first: boolean): void {
    if (cell === null) {
      element.append(make("i", {}, this.table.columns[column]?.none ?? NOT_RECORDED));
      return;
    }
    if (typeof cell === "string") {
      const whole = this.model.shown(cell);
      const long = this.#table.classList.contains("long");
      const short = first ? shortName(whole, long) : shortenMiddle(whole, TEXT_CHARACTERS_MAX);
      // Where nothing can hover (paper, phones) styles show the whole of what was cut.
      if (short === whole) element.append(make("bdi", {}, short));
      else element.append(make("bdi", { class: "cut" }, short), make("bdi", { class: "whole" }, whole));
      if (short !== whole || !first) element.title = shortenMiddle(whole, 2000);
      return;
    }
    const { unit = "none", signed } = this.table.columns[column] ?? {};
    const sign = plusSign(cell, signed);
    const text = sign + formatValue(cell, unit);
    const exact = sign + formatExact(cell, unit);
    element.textContent = text;
    if (exact !== text) element.title = exact;
  }

  /** Addresses were looked at when the page was made: paths beside it, and anchors. */
  #makeLink(cell: HTMLElement, cells: readonly Cell[], column: number): void {
    const { link } = this.table.columns[column] ?? {};
    const address = link === undefined ? null : cells[link];
    if (typeof address !== "string") return;
    const anchor = make("a", { href: address }, ...cell.childNodes);
    cell.replaceChildren(anchor);
  }

  #makeToggle(cell: HTMLElement, line: Extract<Line, { kind: "group" }>): void {
    const toggle = make("button", {
      type: "button",
      class: "toggle",
      "aria-expanded": String(line.open),
      "data-group": String(line.group),
      onclick: () => {
        const open = new Set(this.state.open);
        if (!open.delete(line.group)) open.add(line.group);
        this.set({ ...this.state, open });
        this.#body.querySelector<HTMLElement>(`[data-group="${line.group}"]`)?.focus({ preventScroll: true });
        this.changed(this);
      },
    });
    toggle.append(...cell.childNodes, make("span", { class: "size" }, `${count(line.rows)} rows`));
    cell.replaceChildren(toggle);
  }

  #makeSortable(header: HTMLElement, column: number): void {
    const { key, unit } = this.table.columns[column]!;
    const label = header.querySelector<HTMLElement>(".label")!;
    const sort = make("button", {
      type: "button",
      class: "sort",
      onclick: () => {
        const again = this.state.sort === key;
        // Large numbers are what one looks for; names are read from A.
        const rising = again ? !this.state.rising : unit === "text";
        this.#box.scrollTop = 0;
        this.set({ ...this.state, sort: key, rising });
        this.changed(this);
      },
    });
    label.replaceWith(sort);
    sort.append(label);
  }

  #makeSearch(): HTMLInputElement {
    const field = make("input", {
      type: "search",
      class: "search",
      placeholder: "Search",
      "aria-label": "Search in this table",
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => {
        this.#box.scrollTop = 0;
        this.set({ ...this.state, search: field.value });
        this.changed(this);
      },
    });
    return field;
  }

  #makeTools(): void {
    const tools = this.host.querySelector<HTMLElement>(".tools")!;
    if (this.searchField) tools.append(this.searchField);
    if (this.table.groups?.some((group) => group.rows.length > 1)) {
      this.#flatButton = button("Grouped", "Rows in groups, or one by one", () => {
        this.set({ ...this.state, flat: !this.state.flat });
        this.changed(this);
      });
      tools.append(this.#flatButton);
    }
    tools.append(
      button("CSV", "Save all rows and columns with exact numbers", () =>
        download(`${this.table.id}.csv`, new Blob([this.model.csv()], { type: "text/csv" })),
      ),
    );
  }

  #clicked(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    const row = target.closest("button, a") ? null : target.closest<HTMLElement>("tr[data-row]");
    // A drag that selects text is not a choice.
    if (!row || this.table.rowKey === undefined || getSelection()?.isCollapsed === false) return;
    const key = this.model.keyOfRow(Number(row.dataset.row));
    this.changed(this, Number(row.dataset.row) === this.#selected ? "" : key);
  }

  #print(printing: boolean): void {
    this.#printing = printing;
    this.#fillWindow(true);
  }
}

function count(value: number): string {
  return formatExact(value, "count");
}
