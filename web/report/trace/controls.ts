/** The row of controls above the timeline. */
import { formatCount } from "../../../src/base/units.ts";
import { make } from "../dom.ts";
import { button, checkbox, choice } from "./dom.ts";
import { zoom } from "./state.ts";
import type { LanesBy, TraceData } from "./trace-data.ts";
import type { TraceView } from "./view.ts";

const KEYS: readonly (readonly [string, string])[] = [
  ["W / S, + / −", "zoom in / out at the pointer"],
  ["A / D, ← / →", "earlier / later"],
  ["↑ / ↓", "scroll the lanes"],
  ["Ctrl + wheel", "zoom at the pointer"],
  ["wheel", "scroll the lanes; Shift + wheel moves in time"],
  ["drag", "select a range; its edges can be dragged"],
  ["Shift + drag", "move; so does the middle button, and one finger"],
  ["two fingers", "zoom and move; a finger on the ruler selects"],
  ["drag above", "on the whole run: choose, move or resize the window"],
  ["double-click", "zoom in; with Shift out"],
  ["click", "details of a call"],
  [", / .", "previous / next call in its lane"],
  ["R", "select what is shown as a range"],
  ["Shift + ← / →", "move the end of the range"],
  ["P", "pin the lane under the pointer, or of the selected call"],
  ["F", "zoom to the selection"],
  ["0", "whole run"],
  ["/", "search for a rank or a path; Enter: next, Shift + Enter: previous"],
  ["Escape", "clear the selection"],
  ["?", "this list"],
];

const ZOOM_STEP = 0.5;

export class Controls {
  readonly element = make("div", {
    class: "trace-controls",
    role: "toolbar",
    "aria-label": "Timeline controls",
  });
  readonly #view: TraceView;
  readonly #search = make("input", {
    type: "search",
    placeholder: "rank or path",
    "aria-label": "Find a rank or part of a path",
    class: "trace-search",
  });
  readonly #found = make("span", { class: "trace-found", role: "status" });
  readonly #help = make("div", { class: "trace-help", hidden: "" });
  readonly #helpButton: HTMLButtonElement;
  readonly #lanes: HTMLSelectElement;
  readonly #layer: HTMLSelectElement;
  readonly #colour: HTMLSelectElement;
  readonly #rows: HTMLSelectElement;
  readonly #reads: HTMLInputElement;
  readonly #writes: HTMLInputElement;
  #lastQuery = "";
  #lastMatch = -1;

  constructor(view: TraceView) {
    this.#view = view;
    const { state, data } = view;
    const lanes = choice(
      "Lanes",
      [
        ["rank", "by rank"],
        ["file", "by file"],
      ],
      (value) => view.setLanesBy(value as LanesBy),
    );
    this.#lanes = lanes.select;
    const layer = choice(
      "Layer",
      data.trace.layers.map(({ name, calls }, i) => [String(i), `${name} (${formatCount(calls)})`]),
      (value) => view.setLayer(Number(value)),
    );
    layer.label.title = "Layers nest: a call of an upper layer contains calls of the layer below";
    this.#layer = layer.select;
    const colour = choice(
      "Colour",
      [
        ["direction", "read / write"],
        ["busy", "how busy"],
      ],
      (value) => {
        state.colourBy = value as "direction" | "busy";
        view.changed();
      },
    );
    const height = choice(
      "Rows",
      [
        ["fit", "fit"],
        ["tall", "tall"],
      ],
      (value) => {
        state.laneHeight = value as "fit" | "tall";
        view.changed();
      },
    );
    const show = (name: "reads" | "writes") =>
      checkbox(name, true, (checked) => {
        state[name] = checked;
        view.changed();
      });
    const reads = show("reads");
    reads.label.classList.add("trace-read");
    const writes = show("writes");
    writes.label.classList.add("trace-write");
    this.#colour = colour.select;
    this.#rows = height.select;
    this.#reads = reads.input;
    this.#writes = writes.input;
    this.#helpButton = button("?", "Keys", () => this.toggleHelp());
    this.#helpButton.setAttribute("aria-expanded", "false");
    this.#helpButton.setAttribute("aria-label", "Keys and gestures");
    this.#help.append(
      make(
        "dl",
        {},
        ...KEYS.map(([key, what]) => make("div", {}, make("dt", {}, key), make("dd", {}, what))),
      ),
    );
    this.#search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.find(this.#search.value, event.shiftKey ? -1 : 1);
      if (event.key === "Escape") view.stage.focus();
    });
    this.#search.addEventListener("input", () => {
      this.#lastMatch = -1;
      const text = this.#search.value.trim();
      this.#found.textContent = text === "" ? "" : sayMatches(matchesOf(data, text).length);
    });
    const zoomBy = (factor: number) => {
      zoom(
        state,
        data,
        factor,
        state.range === undefined ? (state.t0 + state.t1) / 2 : (state.range.t0 + state.range.t1) / 2,
      );
      view.changed();
    };
    this.element.append(
      lanes.label,
      layer.label,
      reads.label,
      writes.label,
      colour.label,
      height.label,
      make(
        "span",
        { class: "trace-group" },
        button("−", "Zoom out", () => zoomBy(1 / ZOOM_STEP)),
        button("+", "Zoom in", () => zoomBy(ZOOM_STEP)),
        button("Reset", "Whole run", () => view.setWindow(data.t0, data.t1)),
        this.#helpButton,
      ),
      make("span", { class: "trace-group" }, this.#search, this.#found),
    );
    if (data.trace.layers.length > 1)
      this.element.append(
        make(
          "p",
          { class: "trace-note" },
          "Layers nest: a call of an upper layer contains calls of the layer below, so their numbers must not be added.",
        ),
      );
    this.element.append(this.#help);
    this.update();
  }

  update(): void {
    const { state } = this.#view;
    this.#lanes.value = state.lanesBy;
    this.#layer.value = String(state.layer);
    this.#colour.value = state.colourBy;
    this.#rows.value = state.laneHeight;
    this.#reads.checked = state.reads;
    this.#writes.checked = state.writes;
  }

  focusSearch(): void {
    this.#search.focus();
    this.#search.select();
  }

  toggleHelp(): void {
    this.#help.hidden = !this.#help.hidden;
    this.#helpButton.setAttribute("aria-expanded", String(!this.#help.hidden));
  }

  /** Goes to a lane; asked again, to the next or the one before that fits. */
  find(query: string, step: 1 | -1): void {
    const { data } = this.#view;
    const text = query.trim().toLowerCase();
    if (text === "") return;
    if (text !== this.#lastQuery) this.#lastMatch = -1;
    this.#lastQuery = text;
    const matches = matchesOf(data, text);
    const { length } = matches;
    this.#lastMatch =
      this.#lastMatch < 0 && step < 0 ? length - 1 : (this.#lastMatch + step + length) % length;
    const match = matches[this.#lastMatch];
    if (match?.by === "rank") this.#view.show({ rank: match.number });
    else if (match !== undefined) {
      this.#view.setLanesBy("file");
      this.#view.layoutNow();
      this.#view.goToLane(match.number);
    }
    this.#found.textContent = match === undefined ? sayMatches(0) : `${this.#lastMatch + 1} of ${length}`;
  }
}

/** A rank of this number, then files whose path has the text. */
function matchesOf(data: TraceData, query: string): { by: LanesBy; number: number }[] {
  const text = query.toLowerCase();
  const rank = /^(?:ranks?\s*)?(\d+)$/.exec(text)?.[1];
  const files = data.trace.files.flatMap(({ path }, number) =>
    path.toLowerCase().includes(text) ? [{ by: "file" as const, number }] : [],
  );
  const isRank = rank !== undefined && Number(rank) < data.trace.ranks;
  return isRank ? [{ by: "rank", number: Number(rank) }, ...files] : files;
}

function sayMatches(count: number): string {
  return count === 0 ? "nothing found" : `${count} found`;
}
