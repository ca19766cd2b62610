/** Definitions of the numbers and figures of a collection. An id with its version never changes meaning. */
import type { UsedOptions } from "./metrics.ts";

interface MetricDefinition {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** As text, with the options used. */
export function definitionsOf(options: UsedOptions): MetricDefinition[] {
  const { blockBytes, ceilPerAccess, executionSeconds, everyNs } = options;
  const rounding = ceilPerAccess
    ? "each access rounded up to whole blocks, as in the paper's records"
    : "bytes / block size, not rounded";
  const over = executionSeconds === undefined ? "T" : `the given execution time of ${executionSeconds} s`;
  return [
    {
      id: "C02@1",
      title: "T",
      text: "Time with at least one access in progress: the length of the union of [start, end] of all accesses of all processes and applications. Overlap counts once, idle time not at all. Only accesses that the application made count, not those made inside them by a layer below.",
    },
    {
      id: "C03@1",
      title: "BPS",
      text: `Blocks requested by the application per second of T. A block has ${blockBytes} bytes; blocks are ${rounding}. Failed accesses count with the requested bytes. Not defined when T is 0.`,
    },
    { id: "C04@1", title: "IOPS", text: `Accesses per second, over ${over}.` },
    {
      id: "C04@1",
      title: "Bandwidth",
      text: "Bytes moved by the file system per second of T: bytes of the innermost accesses if layers were recorded, otherwise the moved bytes of each access. If these are unknown, requested bytes are used, with a note.",
    },
    { id: "C04@1", title: "ARPT", text: "Average response time: the mean of end - start over all accesses." },
    {
      id: "C07@1",
      title: "Concurrency",
      text: "The number of concurrent accesses. Max counts numbers that last for some time; the mean is over T, so it equals the sum of all durations / T.",
    },
    ...(everyNs === undefined
      ? []
      : [
          {
            id: "C08@1",
            title: "Windows",
            text: `Windows of ${everyNs / 1e9} s from the first start. An access counts in the window in which it starts; its bytes are spread evenly over its duration and cut to whole bytes at the edges, so that windows sum up to the totals; T of a window is its time with an access in progress.`,
          },
        ]),
  ];
}
