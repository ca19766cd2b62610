/** Definitions of the numbers and figures of a collection. An id with its version never changes meaning. */
import type { UsedOptions } from "./metrics.ts";

interface MetricDefinition {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** In words, with the options that were used. */
export function definitionsOf(options: UsedOptions): MetricDefinition[] {
  const { blockBytes, ceilPerAccess, executionSeconds, everyNs } = options;
  const rounding = ceilPerAccess
    ? "each access rounded up to whole blocks, as a record of the paper has it"
    : "bytes divided by the size of a block, not rounded";
  const over =
    executionSeconds === undefined ? "T" : `the execution time of ${executionSeconds} s that was given`;
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
      text: "Bytes that the file system moved per second of T: those of the innermost accesses where layers were recorded, otherwise what each access says it moved. Where this is not known it is of the requested bytes, and says so.",
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
            text: `Stretches of ${everyNs / 1e9} s from the first start on. An access counts in the window in which it starts; its bytes are spread evenly over its duration and cut to whole bytes at the edges, so that windows sum up to the totals; T of a window is the time in it with an access under way.`,
          },
        ]),
  ];
}
