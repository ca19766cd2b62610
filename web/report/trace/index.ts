/** An interactive view of the I/O calls of a job: timeline, offsets, details. */
import type { Unit } from "../../../src/model/index.ts";
import { decodeTrace } from "./decode.ts";
import { make } from "../dom.ts";
import { inflateBase64 } from "./inflate.ts";
import { TraceData } from "./trace-data.ts";
import { TraceView } from "./view.ts";

export { decodeTrace } from "./decode.ts";

export interface TraceOptions {
  /** Numbers for people. */
  format(value: number, unit: Unit): string;
  /** Gets the text of the panel when something is selected. */
  onSelect?(text: string): void;
  /** Gets what is shown, as a text of numbers for the address, when the reader changed it. */
  onPlace?(place: string): void;
  /** Applies a change of the view's height that the reader did not ask for. */
  change?(apply: () => void): void;
}

export interface ShowView {
  readonly startSeconds?: number;
  readonly endSeconds?: number;
  readonly fileId?: string;
  readonly rank?: number;
}

interface TraceHandle {
  destroy(): void;
  /** Goes to a window, a file (below, by offset) and a rank's lane; may be called before the data is there. */
  show(view: ShowView): void;
  /** Goes back to what onPlace gave; an empty text is the first view. May be called before the data is there. */
  restore(place: string): void;
}

/**
 * Puts the view into `host`; `data` is base64 of the raw deflate of what encodeTrace gave. Data that cannot be read
 * shows a sentence. `host.dataset.traceState` is "loading", then "ready", "empty" or "failed".
 */
export function mountTrace(host: HTMLElement, data: string, options: TraceOptions): TraceHandle {
  let view: TraceView | undefined;
  let pending: ShowView | undefined;
  let pendingPlace = "";
  let destroyed = false;
  const change = options.change ?? ((apply) => apply());
  const say = (text: string, state: string) => {
    change(() => host.replaceChildren(make("p", { class: "trace-message" }, text)));
    host.dataset.traceState = state;
  };
  say("Unpacking the calls …", "loading");
  const open = async () => {
    const trace = new TraceData(decodeTrace(await inflateBase64(data)));
    if (destroyed) return;
    if (trace.empty) {
      const { hint } = trace.trace;
      say(`No single calls were recorded.${hint === "" ? "" : ` ${hint}`}`, "empty");
      return;
    }
    change(() => {
      host.replaceChildren();
      view = new TraceView(host, trace, options);
      if (pendingPlace !== "") view.restore(pendingPlace);
    });
    host.dataset.traceState = "ready";
    if (pending !== undefined) view?.follow(pending);
  };
  open().catch((error: unknown) => {
    if (destroyed) return;
    const reason = error instanceof Error ? error.message : String(error);
    say(
      `The calls in this report cannot be shown (${reason}). The rest of the page works without them.`,
      "failed",
    );
  });
  return {
    destroy() {
      destroyed = true;
      view?.destroy();
      host.replaceChildren();
    },
    show(wanted) {
      if (view === undefined) pending = { ...pending, ...wanted };
      else view.follow(wanted);
    },
    restore(place) {
      if (view === undefined) [pendingPlace, pending] = [place, undefined];
      else view.restore(place);
    },
  };
}
