/** elbencho's CSV and the summary of DLIO. */
import type { BenchmarkResult } from "../../model/index.ts";
import { listAt, looseJson, numberAt, textAt } from "./loose-json.ts";
import {
  bytesOf,
  csvRows,
  MIB,
  numberOf,
  onlyResults,
  repetitionsOf,
  type ResultFormat,
  resultOf,
} from "./result.ts";

/** Each phase has two values: when the first thread was done, and when the last was. The last counts. */
export const elbenchoCsv: ResultFormat = {
  id: "elbencho-csv",
  label: "elbencho CSV result",
  recognizes: (head) => /^"?ISO date"?,.*"?operation"?,/im.test(head),
  read(text) {
    const from = text.search(/^"?ISO date"?,/im);
    const results = csvRows(text.slice(from)).flatMap((row) => [
      ...elbenchoResult(row, "", row.operation ?? ""),
      // Reads among the writes of a mixed phase have columns of their own.
      ...elbenchoResult(row, "rwmix read ", `${row.operation ?? ""} rwmix read`),
    ]);
    return onlyResults(results);
  },
};

function elbenchoResult(row: Record<string, string>, prefix: string, operation: string): BenchmarkResult[] {
  const last = (name: string) => numberOf(row[`${prefix}${name} [last]`]);
  const rate = last("MiB/s") * MIB;
  const callsPerSecond = last("IOPS") > 0 ? last("IOPS") : last("entries/s");
  if (!(rate > 0 || callsPerSecond > 0)) return [];
  const nodes = numberOf(row.hosts);
  const [bytes, seconds] = [last("MiB") * MIB, numberOf(row["time ms [last]"]) / 1000];
  // Rates are whole MiB/s: below one they are written as 0.
  const slow = bytes > 0 && seconds > 0 ? bytes / seconds : Number.NaN;
  const one = resultOf({
    ...{ benchmark: "elbencho", version: row.version ?? "", name: row.label ?? "", nodes, callsPerSecond },
    operation: operation.toLowerCase(),
    // Threads are those of each host.
    ranks: numberOf(row.threads) * (nodes > 0 ? nodes : 1),
    transferBytes: bytesOf(row["block size"]),
    blockBytes: bytesOf(row["file size"]),
    ...{ bytes, seconds, bytesPerSecond: rate > 0 ? rate : slow },
    startTime: row["ISO date"] ?? "",
  });
  return [one];
}

export const dlioSummary: ResultFormat = {
  id: "dlio-summary",
  label: "DLIO summary",
  recognizes: (head) => /"metric"\s*:/.test(head) && /"num_(accelerators|hosts)"|"train_|"eval_/.test(head),
  read(text) {
    const document = looseJson(text);
    const started = textAt(document, "start");
    const seconds = (Date.parse(textAt(document, "end")) - Date.parse(started)) / 1000;
    const results = (["train", "eval"] as const).flatMap((operation) => {
      const metric = (name: string) => numberAt(document, "metric", `${operation}_${name}`);
      const samples = listAt(document, "metric", `${operation}_throughput_samples_per_second`).filter(
        (value): value is number => typeof value === "number",
      );
      const mean = metric("throughput_mean_samples_per_second");
      const bytesPerSecond = metric("io_mean_MB_per_second") * 1e6;
      if (!(mean > 0 || samples.length > 0)) return [];
      const scale = bytesPerSecond / mean;
      return [
        resultOf({
          ...{ benchmark: "DLIO", operation, seconds, startTime: started, bytesPerSecond },
          name: textAt(document, "workload") || textAt(document, "hostname"),
          nodes: numberAt(document, "num_hosts"),
          ranks: numberAt(document, "num_accelerators"),
          callsPerSecond: mean,
          // Epochs have samples per second; a sample has the same bytes in each.
          ...(samples.length > 0
            ? { repetitions: repetitionsOf(samples.map((rate) => (scale > 0 ? rate * scale : rate))) }
            : {}),
        }),
      ];
    });
    return onlyResults(results);
  },
};
