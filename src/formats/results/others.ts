/** fio's JSON, elbencho's CSV and the summary of DLIO. */
import { at, listAt, looseJson, numberAt, textAt } from "./loose-json.ts";
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

export const fioJson: ResultFormat = {
  id: "fio-json",
  label: "fio's JSON",
  recognizes: (head) => /"fio version"\s*:/.test(head),
  read(text) {
    const document = looseJson(text);
    const version = textAt(document, "fio version").replace(/^fio-/, "");
    const results = [...listAt(document, "jobs"), ...listAt(document, "client_stats")].flatMap((job) =>
      (["read", "write", "trim"] as const).flatMap((operation) => {
        const way = at(job, operation);
        if (!(numberAt(way, "total_ios") > 0 || numberAt(way, "io_bytes") > 0 || numberAt(way, "iops") > 0))
          return [];
        const option = (key: string) =>
          textAt(job, "job options", key) || textAt(document, "global options", key);
        // fio 2 has KiB/s alone.
        const exact = numberAt(way, "bw_bytes");
        const bytesPerSecond = Number.isNaN(exact) ? numberAt(way, "bw") * 1024 : exact;
        return [
          resultOf({
            ...{ benchmark: "fio", version, operation, bytesPerSecond },
            name: textAt(job, "jobname"),
            ranks: numberOf(option("numjobs")) || 1,
            transferBytes: bytesOf(option("bs")),
            blockBytes: bytesOf(option("size")),
            bytes: numberAt(way, "io_bytes"),
            seconds: numberAt(way, "runtime") / 1000,
            callsPerSecond: numberAt(way, "iops"),
            startTime: textAt(document, "time") || textAt(document, "timestamp"),
          }),
        ];
      }),
    );
    return onlyResults(results);
  },
};

/** Each phase has two values: when the first thread was done, and when the last was. The last counts. */
export const elbenchoCsv: ResultFormat = {
  id: "elbencho-csv",
  label: "elbencho's CSV",
  recognizes: (head) => /^"?ISO date"?,.*"?operation"?,/im.test(head),
  read(text) {
    const from = text.search(/^"?ISO date"?,/im);
    const results = csvRows(text.slice(from)).flatMap((row) => {
      const last = (name: string) => numberOf(row[`${name} [last]`]);
      const rate = last("MiB/s") * MIB;
      const callsPerSecond = last("IOPS") > 0 ? last("IOPS") : last("entries/s");
      if (!(rate > 0 || callsPerSecond > 0)) return [];
      return [
        resultOf({
          benchmark: "elbencho",
          version: row.version ?? "",
          name: row.label ?? "",
          operation: (row.operation ?? "").toLowerCase(),
          nodes: numberOf(row.hosts),
          ranks: numberOf(row.threads),
          transferBytes: bytesOf(row["block size"]),
          blockBytes: bytesOf(row["file size"]),
          bytes: last("MiB") * MIB,
          seconds: last("time ms") / 1000,
          bytesPerSecond: rate > 0 ? rate : Number.NaN,
          callsPerSecond,
          startTime: row["ISO date"] ?? "",
        }),
      ];
    });
    return onlyResults(results);
  },
};

export const dlioSummary: ResultFormat = {
  id: "dlio-summary",
  label: "summary of DLIO",
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
