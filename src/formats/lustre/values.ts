/** Files of one value or of `key: value` lines: version, health_check, jobid_var, recovery_status, lnet. */
import type { Param } from "./params.ts";

export interface ValueReading {
  readonly form: "values";
  readonly kind: string;
  readonly param: string;
  readonly target: string;
  readonly fileSystem: string;
  readonly readAtNs: bigint;
  /** A file of one value has the name of its parameter as key. */
  readonly values: { readonly key: string; readonly value: string }[];
  /** Lines that are no value. */
  unknownLines: number;
}

/** The old one-line form has no names; these are the ones that `lnetctl stats show` gives them. */
const LNET_NAMES = [
  "msgs_alloc",
  "msgs_max",
  "errors",
  "send_count",
  "recv_count",
  "route_count",
  "drop_count",
  "send_length",
  "recv_length",
  "route_length",
  "drop_length",
];

/** A line of eleven numbers, which is what lnet's `stats` is up to 2.12 and in debugfs. */
export const isLnetLine = (line: string) => /^\s*\d+(\s+\d+){10}\s*$/.test(line);

/** Takes the lines of one such file. */
export class ValueText {
  readonly #into: ValueReading;
  readonly #name: string;

  constructor(into: ValueReading, param: Param) {
    this.#into = into;
    this.#name = param.path.split(/[./]/).at(-1) ?? "";
  }

  line(text: string): void {
    const line = text.trim();
    if (line === "" || line === "statistics:") return;
    if (this.#into.kind === "lnet_stats" && isLnetLine(line)) {
      for (const [i, value] of line.split(/\s+/).entries())
        this.#into.values.push({ key: LNET_NAMES[i] as string, value });
      return;
    }
    const match =
      this.#into.kind === "setting" ? /^(lustre|kernel|build): *(.*)$/.exec(line) : PAIR.exec(line);
    if (match !== null) this.#into.values.push({ key: match[1] ?? "", value: match[2] ?? "" });
    // An unhealthy server names its devices before the verdict.
    else if (this.#into.kind === "setting") this.#into.values.push({ key: this.#name, value: line });
    else this.#into.unknownLines++;
  }
}

const PAIR = /^([A-Za-z_][\w ]*):\s*(.*)$/;

/** Counters of lnet that only grow; what is allocated now and at most are no counters. */
export const isLnetCounter = (key: string) => key === "errors" || /_(count|length)$/.test(key);
