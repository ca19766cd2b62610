/** The chooser and the canvas of the offset view. */
import { formatCount } from "../../../src/base/units.ts";
import { make } from "../dom.ts";
import { button } from "./dom.ts";
import { type OffsetResult, offsetSpan } from "./draw-offsets.ts";
import { visibleEntries } from "./lane-index.ts";
import { fileEnd } from "./state.ts";
import type { TraceView } from "./view.ts";

/** A drop-down of more is no help; the search narrows it. */
const OPTIONS_MAX = 500;

export class OffsetPanel {
  readonly element = make("div", { class: "trace-offset-view" });
  readonly #view: TraceView;
  readonly #select = make("select", { "aria-label": "File of the offset view", class: "trace-file" });
  readonly #search = make("input", {
    type: "search",
    placeholder: "part of a path",
    "aria-label": "Filter the list of files",
    class: "trace-search",
  });
  readonly #status = make("p", { class: "trace-status" });
  readonly #busiest: HTMLButtonElement;
  readonly #canvasHost = make("div", { class: "trace-stage" });

  constructor(view: TraceView) {
    this.#view = view;
    this.#select.addEventListener("change", () => view.chooseFile(Number(this.#select.value)));
    this.#search.addEventListener("input", () => this.#fill());
    this.#search.addEventListener("keydown", (event) => {
      const first = this.#select.options[0];
      if (event.key === "Enter" && first !== undefined) view.chooseFile(Number(first.value));
    });
    this.#busiest = button("Show the busiest file of the window", "Most bytes in this window", () =>
      view.chooseFile(busiestFile(view)),
    );
    const zoomBy = (factor: number) => {
      zoomOffsets(view, factor, 0.5);
    };
    this.element.append(
      make(
        "div",
        { class: "trace-controls" },
        make("h4", {}, "Offset in one file"),
        make("label", {}, "File ", this.#select),
        this.#search,
        make(
          "span",
          { class: "trace-group" },
          make("span", {}, "Offsets "),
          button("−", "More of the file", () => zoomBy(2)),
          button("+", "Less of the file (Shift + wheel)", () => zoomBy(0.5)),
          button("Fit", "The offsets of the calls in this window", () => fitOffsets(view)),
          button("All", "The whole file", () => view.chooseFile(view.state.file)),
        ),
      ),
      make("div", { class: "trace-line" }, this.#status, this.#busiest),
      this.#canvasHost,
    );
    this.#canvasHost.append(view.offsets);
    this.#fill();
  }

  update(): void {
    const value = String(this.#view.state.file);
    this.#select.value = value;
    if (this.#select.value !== value) {
      this.#search.value = "";
      this.#fill();
    }
  }

  say({ kind, calls, unknown }: OffsetResult): void {
    const { state, data } = this.#view;
    const file = data.trace.files[state.file];
    let text: string;
    const isKnown = (file?.endOffset ?? 0) > 0;
    this.#canvasHost.hidden = !isKnown;
    this.#busiest.hidden = !(kind === "calls" && calls + unknown === 0);
    if (file === undefined) text = "No file is listed.";
    else if (kind === "calls" && calls + unknown === 0) text = "This file has no calls in this window.";
    else if (!isKnown) text = "No offset in this file is known.";
    else if (kind === "none") text = "Offsets of this file and layer are not in this report.";
    else if (kind === "cells") text = "Cells shaded by bytes; the stronger direction gives the colour.";
    else
      text = `${formatCount(calls)} calls in this window; writes are filled, reads are frames where there is room.`;
    if (unknown > 0 && isKnown) text += ` ${formatCount(unknown)} calls have no known offset.`;
    if (file !== undefined && file.stripeBytes > 0)
      text += ` Stripes of ${this.#view.options.format(file.stripeBytes, "bytes")} on ${file.stripeCount} ${file.stripeCount === 1 ? "target" : "targets"}.`;
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  #fill(): void {
    const { state, data, options } = this.#view;
    const text = this.#search.value.trim().toLowerCase();
    const found: HTMLOptionElement[] = [];
    let more = 0;
    data.trace.files.forEach(({ path, bytesRead, bytesWritten }, i) => {
      if (!path.toLowerCase().includes(text) && !(text === "" && i === state.file)) return;
      if (found.length >= OPTIONS_MAX && i !== state.file) {
        more++;
        return;
      }
      const amount = options.format(bytesRead + bytesWritten, "bytes");
      const option = make("option", { value: String(i), title: path }, `${middle(path, 70)} (${amount})`);
      found.push(option);
    });
    if (more > 0) found.push(make("option", { disabled: "" }, `${more} more; filter the list`));
    this.#select.replaceChildren(...found);
    this.#select.value = String(state.file);
  }
}

/** Shows more or less of the file; the offset at `share` of the height, from the bottom, stays. */
export function zoomOffsets(view: TraceView, factor: number, share: number): void {
  const { state, data } = view;
  const end = fileEnd(data, state.file);
  const span = Math.min(end, Math.max(1, (state.y1 - state.y0) * factor));
  const at = state.y0 + share * (state.y1 - state.y0);
  state.y0 = Math.min(Math.max(0, at - share * span), end - span);
  state.y1 = state.y0 + span;
  view.changed();
}

/** Offsets from the lowest to the highest of the window. */
function fitOffsets(view: TraceView): void {
  const { data, state } = view;
  const span = offsetSpan(data, state);
  if (span === undefined) return;
  const margin = Math.max(1, (span[1] - span[0]) * 0.03);
  state.y0 = Math.max(0, span[0] - margin);
  state.y1 = Math.min(fileEnd(data, state.file), span[1] + margin);
  if (state.y1 <= state.y0) state.y1 = state.y0 + 1;
  view.changed();
}

/** The file with most bytes in the window. */
function busiestFile({ data, state }: TraceView): number {
  const index = data.allCalls(state.layer);
  const sums = new Float64Array(data.trace.files.length);
  const [from, to] = visibleEntries(index, 0, state.t0, state.t1);
  for (let i = from; i < to; i++) {
    const file = data.trace.calls.file[index.call[i] as number] as number;
    if (file < sums.length && (index.end[i] as number) >= state.t0)
      (sums[file] as number) += (index.bytes[i] as number) + 1;
  }
  let best = state.file;
  sums.forEach((sum, file) => {
    if (sum > (sums[best] ?? 0)) best = file;
  });
  return best;
}

function middle(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = Math.floor(length * 0.65);
  return `${text.slice(0, length - tail - 1)}…${text.slice(-tail)}`;
}
