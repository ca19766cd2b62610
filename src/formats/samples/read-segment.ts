/** Reads server segments line by line. */
import { FormatError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import { WHY_NAMES, isTargetName } from "../lustre/index.ts";
import { eachWindow, excerpt, lineEnd } from "../text/windows.ts";
import { bytesOf } from "./bytes-field.ts";
import { decimal64, type Fields, objectOf, stampOf, versionFault } from "./fields.ts";
import {
  type CounterGrowth,
  SEGMENT_KINDS,
  type SegmentClient,
  type SegmentHeader,
  type SegmentJob,
  type SegmentState,
  type SegmentTarget,
  SERVER_NUMBERS,
  SERVER_SAMPLES,
  SERVER_SAMPLES_VERSION,
  TARGET_NUMBERS,
  type Why,
} from "./server-segment.ts";

interface UseSegment {
  header?(header: SegmentHeader): void;
  target(target: SegmentTarget): void;
  job(job: SegmentJob): void;
  client?(client: SegmentClient): void;
  state?(state: SegmentState): void;
}

/** More counters than any release of Lustre has in one file. */
const COUNTERS_MAX = 4096;
const LINE_BYTES_MAX = 1 << 20;

/**
 * Hands out the lines of a segment in their order; gives the number of lines. A FormatError when it is cut or anything else
 * is wrong: then what was handed out before is not to be used.
 */
export function readSegment(source: ByteSource, use: UseSegment): number {
  const reader = new SegmentReader(source.name, use);
  eachWindow(source, (bytes, from, end, last) => {
    let to = end;
    if (last) while (to > from && bytes[to - 1] === 0) to--;
    for (let at = from; at < to; ) {
      const newline = lineEnd(bytes, at, to);
      reader.line(bytes, at, newline, newline < to);
      at = newline + 1;
    }
  });
  return reader.finish();
}

class SegmentReader {
  readonly #name: string;
  readonly #use: UseSegment;
  readonly #utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Targets whose job_stats were read, and those whose exports were. */
  readonly #withJobs = new Set<string>();
  readonly #withClients = new Set<string>();
  #lines = 0;
  #end: number | undefined;

  constructor(name: string, use: UseSegment) {
    this.#name = name;
    this.#use = use;
  }

  line(bytes: Uint8Array, from: number, to: number, whole: boolean): void {
    this.#lines++;
    if (this.#end !== undefined) throw this.#fault("a line after the end");
    if (to - from > LINE_BYTES_MAX) throw this.#fault(`a line of more than ${LINE_BYTES_MAX} bytes`);
    let value: Fields | undefined;
    try {
      value = objectOf(JSON.parse(this.#utf8.decode(bytes.subarray(from, to))));
    } catch {
      value = undefined;
    }
    if (value === undefined)
      throw this.#fault(
        whole
          ? `expected an object, found ${excerpt(bytes, from, to)}`
          : "the file is truncated within this line",
      );
    if (this.#lines === 1) this.#header(value);
    else if (value.end !== undefined) this.#last(value.end);
    else if (value.kind !== undefined) this.#target(value);
    else if (value.state !== undefined) this.#state(value);
    else if (value.client !== undefined) this.#client(value);
    else this.#job(value);
  }

  finish(): number {
    if (this.#end === undefined)
      throw new FormatError(
        this.#name,
        { line: this.#lines + 1 },
        'the file is truncated: the last line {"end":…} is missing',
      );
    return this.#lines;
  }

  #header(value: Fields): void {
    const fault = versionFault(value, SERVER_SAMPLES, SERVER_SAMPLES_VERSION);
    if (fault !== undefined) throw this.#fault(fault);
    const fromNs = stampOf(value.fromNs);
    const toNs = stampOf(value.toNs);
    if (fromNs === undefined || toNs === undefined || toNs < fromNs)
      throw this.#fault("expected fromNs and toNs, nanoseconds since 1970 as text, the later one last");
    const { host, collector } = value;
    if (typeof host !== "string" || host === "") throw this.#fault("expected a host");
    this.#use.header?.({ host, collector: String(collector ?? ""), fromNs, toNs });
  }

  #target(value: Fields): void {
    const { target, kind, gap = false, carriedIn = 0, counters = [] } = value;
    const toNs = stampOf(value.toNs);
    const fromNs = value.fromNs === undefined ? undefined : stampOf(value.fromNs);
    const known = SEGMENT_KINDS.find((name) => name === kind);
    if (typeof target !== "string" || !isTargetName(target)) throw this.#fault("expected a target");
    if (known === undefined) throw this.#fault(`expected a kind (have: ${SEGMENT_KINDS.join(", ")})`);
    if (toNs === undefined || (fromNs === undefined) !== (value.fromNs === undefined))
      throw this.#fault("expected toNs and perhaps fromNs, nanoseconds since 1970 as text");
    if (fromNs !== undefined && fromNs >= toNs) throw this.#fault("expected fromNs before toNs");
    if (typeof gap !== "boolean" || !Number.isSafeInteger(carriedIn))
      throw this.#fault("gap or carriedIn is invalid");
    const growths = this.#growths(counters);
    if (fromNs === undefined && growths.length > 0)
      throw this.#fault("a first reading has no differences; expected fromNs");
    if (known === "job_stats" && fromNs !== undefined) this.#withJobs.add(target);
    if (known === "export_stats" && fromNs !== undefined) this.#withClients.add(target);
    this.#use.target({
      target,
      kind: known,
      fromNs,
      toNs,
      gap,
      carriedIn: carriedIn as number,
      counters: growths,
    });
  }

  #job(value: Fields): void {
    const { target } = value;
    const id = bytesOf(value.job, value.jobHex);
    if (id === undefined) throw this.#fault("expected a job as text or in hexadecimal (jobHex)");
    if (typeof target !== "string" || !this.#withJobs.has(target))
      throw this.#fault("a job of a target whose line of job_stats, with fromNs, has not come before");
    this.#use.job({ target, id, counters: this.#growths(value.counters) });
  }

  #client(value: Fields): void {
    const { target, client } = value;
    if (typeof client !== "string" || client === "") throw this.#fault("expected a client");
    if (typeof target !== "string" || !this.#withClients.has(target))
      throw this.#fault("a client of a target whose line of export_stats, with fromNs, has not come before");
    this.#use.client?.({ target, client, counters: this.#growths(value.counters) });
  }

  #state(value: Fields): void {
    const { state, status, reset = false } = value;
    const target = state === null ? undefined : state;
    const toNs = stampOf(value.toNs);
    const fromNs = value.fromNs === undefined ? undefined : stampOf(value.fromNs);
    if (target !== undefined && (typeof target !== "string" || !isTargetName(target)))
      throw this.#fault("expected the state of a target, or null for the server");
    if (toNs === undefined || (fromNs === undefined) !== (value.fromNs === undefined))
      throw this.#fault("expected toNs and perhaps fromNs, nanoseconds since 1970 as text");
    if (fromNs !== undefined && fromNs >= toNs) throw this.#fault("expected fromNs before toNs");
    if ((status !== undefined && typeof status !== "string") || typeof reset !== "boolean")
      throw this.#fault("status is not text, or reset is neither true nor false");
    const names: readonly string[] = target === undefined ? SERVER_NUMBERS : TARGET_NUMBERS;
    const numbers: Record<string, bigint> = {};
    for (const [name, text] of Object.entries(objectOf(value.numbers) ?? {})) {
      const number = stampOf(text);
      if (number === undefined) throw this.#fault(`${name} is not a number below 2^63 as text`);
      if (names.includes(name)) numbers[name] = number;
    }
    this.#use.state?.({ target, fromNs, toNs, status, numbers, reset });
  }

  #growths(value: unknown): CounterGrowth[] {
    if (!Array.isArray(value) || value.length > COUNTERS_MAX)
      throw this.#fault(`expected a list of at most ${COUNTERS_MAX} counters`);
    return value.map((fields: unknown) => {
      const [name, unit, samples, sum, why = "grown"] = Array.isArray(fields) ? fields : [];
      const [first, second] = [decimal64(samples), decimal64(sum)];
      const valid = typeof name === "string" && name !== "" && typeof unit === "string";
      if (!valid || first === undefined || second === undefined || !WHY_NAMES.includes(why))
        throw this.#fault(
          "a counter is not [name, unit, samples, sum] with numbers below 2^64 as text, and why",
        );
      return { name, unit, samples: first, sum: second, why: why as Why };
    });
  }

  #last(end: unknown): void {
    if (end !== this.#lines - 1)
      throw this.#fault(`the last line says ${JSON.stringify(end)} lines, but there are ${this.#lines - 1}`);
    this.#end = end;
  }

  #fault(detail: string): FormatError {
    return new FormatError(this.#name, { line: this.#lines }, detail);
  }
}
