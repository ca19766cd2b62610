/** Tables of buckets: brw_stats, rpc_stats, extents_stats and io_latency_stats. Small files, read as text. */
import { stampFromText } from "./stamp.ts";

interface TableRow {
  /** As printed: `256`, `1K`, `0K - 4K`, `512us`. */
  readonly bucket: string;
  /** One count for each of the section's sides; percentages are left out, for they are cut. */
  readonly counts: readonly bigint[];
}

export interface TableSection {
  /** `pages per bulk r/w`, `rpcs in flight`, `rd_4K`. */
  readonly name: string;
  /** What is counted: `rpcs`, `ios`, `maps`. Empty when the heading does not say. */
  readonly counted: string;
  /** `read` and `write`, or `modify` alone. */
  readonly sides: readonly string[];
  readonly rows: TableRow[];
}

export interface TableReading {
  readonly form: "table";
  readonly kind: string;
  readonly param: string;
  readonly target: string;
  readonly fileSystem: string;
  readonly mount: string;
  readonly readAtNs: bigint;
  snapshotNs: bigint | undefined;
  startNs: bigint | undefined;
  /** `read RPCs in flight` and the like. */
  readonly values: { readonly key: string; readonly value: string }[];
  readonly sections: TableSection[];
  /** The file is there and switched off. */
  disabled: boolean;
  unknownLines: number;
  brokenLines: number;
}

const LARGEST = 2n ** 63n - 1n;

/** Takes the lines of one table file, one after the other. */
export class TableText {
  readonly #into: TableReading;
  #sides: string[] = [];
  #section: TableSection | undefined;
  #process = "";

  constructor(into: TableReading) {
    this.#into = into;
  }

  /** `whole` is false for the last line of an input when its newline is missing. */
  line(text: string, whole: boolean): void {
    const line = text.trimEnd();
    if (line.trim() === "") return;
    if (this.#stamp(line) || this.#latency(line)) return;
    if (this.#row(line)) {
      if (!whole) this.#dropLast();
      return;
    }
    if (this.#heading(line)) return;
    if (/^disabled\b/.test(line)) this.#into.disabled = true;
    else if (/^\s+write anything to this file/.test(line)) return;
    else if (/^PID:\s*\d+/.test(line)) this.#process = line.slice(4).trim();
    else if (!this.#value(line)) this.#into.unknownLines++;
  }

  /** Percentages end a row, so one that is cut may still have lost digits of a count. */
  #dropLast(): void {
    this.#section?.rows.pop();
    this.#into.brokenLines++;
  }

  #stamp(line: string): boolean {
    const match = /^(snapshot_time|start_time|elapsed_time):?\s+(.*)$/.exec(line);
    if (match === null) return false;
    const stamp = stampFromText(match[2] ?? "");
    if (match[1] === "snapshot_time") this.#into.snapshotNs = stamp;
    if (match[1] === "start_time") this.#into.startNs = stamp;
    if (stamp === undefined && match[1] !== "elapsed_time") this.#into.brokenLines++;
    return true;
  }

  /** `rd_4K: { 256us: 933, 512us: 83, }`. */
  #latency(line: string): boolean {
    if (/^io_latency_by_size:$/.test(line)) return true;
    const match = /^(\w+):\s*\{(.*)$/.exec(line);
    if (match === null) return false;
    const body = match[2] ?? "";
    const rows = [...body.matchAll(/([^\s,:{}]+):\s*(\d+)/g)].map(([, bucket = "", count = ""]) => ({
      bucket,
      counts: [BigInt(count)],
    }));
    if (body.trimEnd().endsWith("}"))
      this.#into.sections.push({ name: match[1] ?? "", counted: "ios", sides: ["ios"], rows });
    else this.#into.brokenLines++;
    return true;
  }

  /** `256:  1705491  99 100   | 1703982 100 100`, `0K -    4K :  1 100 100 | 0 0 0`, `1:  90  45  45`. */
  #row(line: string): boolean {
    const match = /^\s*(\d+[KMGTPE]?(?:\s*-\s*\d+[KMGTPE]?)?)\s*:\s*(-?\d[-\d\s|]*)$/.exec(line);
    if (match === null || this.#section === undefined) return false;
    const texts = (match[2] ?? "").split("|").map((side) => side.trim().split(/\s+/)[0] ?? "");
    if (texts.length !== this.#section.sides.length || !texts.every((text) => /^-?\d+$/.test(text)))
      return false;
    const bucket = (match[1] ?? "").replace(/\s+/g, " ");
    const counts = texts.map(BigInt);
    // A negative number, printed with its sign or without, counts nothing.
    if (counts.some((count) => count < 0n || count > LARGEST)) this.#into.brokenLines++;
    else this.#section.rows.push({ bucket, counts });
    return true;
  }

  /** The line of the sides comes first, then the line of the columns. */
  #heading(line: string): boolean {
    const words = line.replace("|", " ").trim().split(/\s+/);
    if (words.every((word) => /^(read|write|modify)$/.test(word))) {
      this.#sides = words;
      return true;
    }
    const match = /^\s*(\S.*?)\s+(\S+)\s+% cum %/.exec(line) ?? /^\s*(extents)\s+(calls)\s+%/.exec(line);
    if (match === null) return false;
    const sides = this.#sides.length > 0 ? this.#sides : line.includes("|") ? ["read", "write"] : ["count"];
    const name = this.#process === "" ? (match[1] ?? "") : `${match[1]} of ${this.#process}`;
    this.#section = { name, counted: match[2] ?? "", sides, rows: [] };
    this.#into.sections.push(this.#section);
    return true;
  }

  #value(line: string): boolean {
    const match = /^([A-Za-z_][\w /.-]*?):\s+(\S+)$/.exec(line);
    if (match === null) return false;
    this.#into.values.push({ key: match[1] ?? "", value: match[2] ?? "" });
    return true;
  }
}
