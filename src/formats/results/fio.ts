/** fio's JSON (https://fio.readthedocs.io, "JSON output"). */
import type { BenchmarkResult } from "../../model/index.ts";
import { at, listAt, looseJsonDocuments, numberAt, textAt } from "./loose-json.ts";
import { bytesOf, numberOf, onlyResults, type ResultFormat, resultOf } from "./result.ts";

const DIRECTIONS = ["read", "write", "trim"] as const;
/** With unified_rw_reporting all directions are one. */
const MIXED = "mixed";
/** What fio takes where the options of a job, which releases before 2.10 do not tell, say nothing. */
const BLOCK_SIZE = "4k";

export const fioJson: ResultFormat = {
  id: "fio-json",
  label: "fio JSON result",
  recognizes: (head) => /"fio version"\s*:/.test(head),
  read(text) {
    // With --status-interval there is a document per interval, each with all that was done so far.
    const document = looseJsonDocuments(text)
      .filter((one) => at(one, "fio version") !== undefined)
      .at(-1);
    const jobs = [...listAt(document, "jobs"), ...listAt(document, "client_stats")];
    const results = groupsOf(jobs).flatMap((group) =>
      [...DIRECTIONS, MIXED].flatMap((direction) => resultsOf(document, group, direction)),
    );
    const failed = jobs.find((job) => numberAt(job, "error") !== 0 && at(job, "error") !== undefined);
    if (results.length === 0 && failed !== undefined)
      throw new Error(`job ${textAt(failed, "jobname")} ended with error ${textAt(failed, "error")}`);
    return onlyResults(results);
  },
};

/** Without group_reporting each process of a job has an entry of its own; those of one job belong together. */
function groupsOf(jobs: readonly unknown[]): unknown[][] {
  const groups = new Map<string, unknown[]>();
  for (const job of jobs) {
    const isCloned = numberOf(textAt(job, "job options", "numjobs")) > 1;
    const host = textAt(job, "hostname");
    const key = isCloned
      ? JSON.stringify([textAt(job, "jobname"), host, numberAt(job, "groupid"), at(job, "job options")])
      : `single ${groups.size}`;
    groups.set(key, [...(groups.get(key) ?? []), job]);
  }
  return [...groups.values()];
}

function resultsOf(document: unknown, group: readonly unknown[], direction: string): BenchmarkResult[] {
  const ways = group.map((job) => at(job, direction)).filter(hasCalls);
  if (ways.length === 0) return [];
  const [job] = group;
  const option = (key: string) => textAt(job, "job options", key) || textAt(document, "global options", key);
  const sum = (value: (way: unknown) => number) => ways.reduce<number>((all, way) => all + value(way), 0);
  const one = resultOf({
    benchmark: "fio",
    version: textAt(document, "fio version").replace(/^fio-/, ""),
    operation: direction,
    name: textAt(job, "jobname"),
    ranks: group.length > 1 ? group.length : numberOf(option("numjobs")) || 1,
    transferBytes: at(job, "job options") === undefined ? Number.NaN : transferBytes(option, direction),
    blockBytes: bytesOf(option("size")),
    bytes: sum(bytesMoved),
    seconds: Math.max(...ways.map((way) => numberAt(way, "runtime"))) / 1000,
    bytesPerSecond: sum(rateOf),
    callsPerSecond: sum((way) => numberAt(way, "iops")),
    startTime: textAt(document, "time") || textAt(document, "timestamp"),
  });
  return [one];
}

const hasCalls = (way: unknown) =>
  numberAt(way, "total_ios") > 0 || numberAt(way, "io_bytes") > 0 || numberAt(way, "iops") > 0;

/** fio 2 has KiB alone. */
function bytesMoved(way: unknown): number {
  const kib = numberAt(way, "io_kbytes");
  const bytes = numberAt(way, "io_bytes");
  return Number.isNaN(numberAt(way, "bw_bytes")) && Number.isNaN(kib) ? bytes * 1024 : bytes;
}

function rateOf(way: unknown): number {
  const exact = numberAt(way, "bw_bytes");
  return Number.isNaN(exact) ? numberAt(way, "bw") * 1024 : exact;
}

/** "4k", or a size each for reads, writes and trims; a missing one is the one before it. Mixed sizes are not one. */
function transferBytes(option: (key: string) => string, direction: string): number {
  if (option("bssplit") !== "" || option("bsrange") !== "") return Number.NaN;
  const sizes = (option("bs") || BLOCK_SIZE).split(",").filter((size) => size !== "");
  const index = (DIRECTIONS as readonly string[]).indexOf(direction);
  if (index < 0 && new Set(sizes).size > 1) return Number.NaN;
  return bytesOf(sizes[index] ?? sizes.at(-1));
}
