/**
 * Profiles for speedscope, in its evented format (https://www.speedscope.app/file-format-schema.json): one per process or
 * file, with frames that open and close like brackets. A call inside another lies on it; calls that overlap otherwise
 * cannot stand in one profile and go to a further one of the same name with a number.
 */
import type { WholeBlock } from "./call-rows.ts";
import { Chunks } from "./chunks.ts";
import type { OrderedCalls, Span } from "./collection.ts";
import { type ExportGroup, fileName, groupColumn, OPERATION_NAMES, processName } from "./names.ts";

/** There can be thousands of profiles that wait. */
const WAITING_BYTES = 4096;

interface SpeedscopeOptions {
  readonly by: ExportGroup;
  readonly madeBy: string;
  readonly name: string;
}

/** Calls come group after group. */
export function* speedscopeProfile(calls: OrderedCalls, options: SpeedscopeOptions): Generator<Uint8Array> {
  const chunks = new Chunks();
  const profiles = new Profiles(calls, options, chunks);
  profiles.head();
  for (const block of calls.blocks()) {
    profiles.block(block);
    yield* chunks.full();
  }
  profiles.end();
  yield* chunks.rest();
}

class Profiles {
  readonly #calls: OrderedCalls;
  readonly #options: SpeedscopeOptions;
  readonly #writer: Chunks["writer"];
  readonly #frames = new Map<number, number>();
  readonly #frameNames: string[] = [];
  readonly #spanFrames = new Map<string, number>();
  /** Spans of the group that have not begun, the next last. */
  #waiting: Span[] = [];
  #group = -1;
  #written = 0;
  #stacks: Stack[] = [];

  constructor(calls: OrderedCalls, options: SpeedscopeOptions, { writer }: Chunks) {
    this.#calls = calls;
    this.#options = options;
    this.#writer = writer;
  }

  head(): void {
    const { name: given, madeBy } = this.#options;
    const name = this.#calls.synthetic ? `${given} (synthetic data)` : given;
    const head = {
      $schema: "https://www.speedscope.app/file-format-schema.json",
      ...{ name, exporter: madeBy, activeProfileIndex: 0 },
    };
    this.#writer.text(`${JSON.stringify(head).slice(0, -1)},"profiles":[`);
  }

  block(block: WholeBlock): void {
    const groups = block[groupColumn(this.#options.by)];
    const others = this.#options.by === "rank" ? block.file : block.process;
    for (let i = 0; i < block.count; i++) {
      const group = groups[i] as number;
      if (group !== this.#group) {
        this.#closeGroup();
        this.#group = group;
        this.#waiting = this.#spansOf(group);
      }
      this.#spansUntil(block.startNs[i] as number);
      const frame = this.#frame(block.operation[i] as number, others[i] as number);
      this.#open(frame, block.startNs[i] as number, block.endNs[i] as number);
    }
  }

  end(): void {
    this.#closeGroup();
    const frames = this.#frameNames.map((name) => ({ name }));
    this.#writer.text(`],"shared":{"frames":${JSON.stringify(frames)}}}\n`);
  }

  #open(frame: number, startNs: number, endNs: number): void {
    let stack = this.#stacks.find((one) => one.takes(startNs, endNs));
    if (stack === undefined) {
      const isFirst = this.#stacks.length === 0;
      // The first goes out as it comes; others wait until it is whole.
      stack = new Stack(isFirst ? this.#writer : new Chunks(WAITING_BYTES));
      if (isFirst) this.#begin(0);
      this.#stacks.push(stack);
    }
    stack.open(frame, startNs, endNs);
  }

  #frame(operation: number, other: number): number {
    const key = other * OPERATION_NAMES.length + operation;
    let frame = this.#frames.get(key);
    if (frame === undefined) {
      const { files, processes } = this.#calls;
      const what =
        this.#options.by === "rank"
          ? fileName(files[other] as never)
          : processName(processes[other] as never);
      frame = this.#frameNames.push(`${OPERATION_NAMES[operation] ?? "other"} ${what}`) - 1;
      this.#frames.set(key, frame);
    }
    return frame;
  }

  /** Spans are of processes; among files they have no place. */
  #spansOf(group: number): Span[] {
    if (this.#options.by !== "rank") return [];
    return this.#calls.spans.filter(({ process }) => process === group).reverse();
  }

  #spansUntil(ns: number): void {
    for (
      let next = this.#waiting.at(-1);
      next !== undefined && next.startNs <= ns;
      next = this.#waiting.at(-1)
    ) {
      this.#waiting.pop();
      let frame = this.#spanFrames.get(next.name);
      if (frame === undefined) {
        frame = this.#frameNames.push(next.name) - 1;
        this.#spanFrames.set(next.name, frame);
      }
      this.#open(frame, next.startNs, next.endNs);
    }
  }

  #closeGroup(): void {
    this.#spansUntil(Number.POSITIVE_INFINITY);
    for (const [index, stack] of this.#stacks.entries()) {
      stack.closeUntil(Number.POSITIVE_INFINITY);
      if (index > 0) {
        this.#begin(index);
        for (const piece of stack.pieces()) this.#writer.raw(piece);
      }
      this.#writer.text(`],"startValue":0,"endValue":${stack.lastNs}}`);
    }
    this.#stacks = [];
  }

  #begin(index: number): void {
    const { processes, files } = this.#calls;
    const name =
      this.#options.by === "rank"
        ? processName(processes[this.#group] as never)
        : fileName(files[this.#group] as never);
    const profile = {
      ...{ type: "evented", name: index === 0 ? name : `${name} (${index + 1})`, unit: "nanoseconds" },
      events: [],
    };
    this.#writer.text(`${this.#written++ === 0 ? "\n" : ",\n"}${JSON.stringify(profile).slice(0, -2)}`);
  }
}

/** Frames that are open, the innermost last. */
class Stack {
  readonly #chunks: Chunks | undefined;
  readonly #writer: Chunks["writer"];
  readonly #frames: number[] = [];
  readonly #ends: number[] = [];
  #events = 0;
  lastNs = 0;

  constructor(into: Chunks | Chunks["writer"]) {
    this.#chunks = into instanceof Chunks ? into : undefined;
    this.#writer = into instanceof Chunks ? into.writer : into;
  }

  /** Whether a call can open here: it ends no later than what it lies on. */
  takes(startNs: number, endNs: number): boolean {
    this.closeUntil(startNs);
    const innermost = this.#ends.at(-1);
    return innermost === undefined || endNs <= innermost;
  }

  open(frame: number, startNs: number, endNs: number): void {
    this.#event("O", frame, startNs);
    this.#frames.push(frame);
    this.#ends.push(endNs);
  }

  closeUntil(ns: number): void {
    while (this.#ends.length > 0 && (this.#ends.at(-1) as number) <= ns)
      this.#event("C", this.#frames.pop() as number, this.#ends.pop() as number);
  }

  *pieces(): Generator<Uint8Array> {
    if (this.#chunks !== undefined) yield* this.#chunks.rest();
  }

  #event(type: "O" | "C", frame: number, ns: number): void {
    const writer = this.#writer;
    writer.text(this.#events++ === 0 ? `{"type":"${type}","frame":` : `,{"type":"${type}","frame":`);
    writer.integer(frame);
    writer.text(',"at":');
    writer.integer(ns);
    writer.byte(125);
    this.lastNs = Math.max(this.lastNs, ns);
  }
}
