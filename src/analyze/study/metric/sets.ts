/** The experiment sets of He, Sun and Yin (BPS, IPDPSW '13), and the metrics that they compare. */
import type { Unit } from "../../../model/index.ts";

/** `4b` is ours: set 4 with regions so small that the cost of each weighs more than the bytes between them. */
export const SET_IDS = ["1", "2a", "2b", "3a", "3b", "4", "4b"] as const;
export type SetId = (typeof SET_IDS)[number];

export const METRIC_NAMES = ["iops", "bandwidth", "arpt", "bps"] as const;
export type MetricName = (typeof METRIC_NAMES)[number];

interface MetricInfo {
  readonly label: string;
  readonly unit: Unit;
  /** Sign that the correlation with execution time should have (Table 1). */
  readonly expected: 1 | -1;
  readonly about: string;
}

export const METRICS: Readonly<Record<MetricName, MetricInfo>> = {
  iops: {
    label: "IOPS",
    unit: "calls/s",
    expected: -1,
    about: "Accesses of the application / T, the union of their times.",
  },
  bandwidth: {
    label: "BW",
    unit: "bytes/s",
    expected: -1,
    about: "Bytes moved by the file system / T; with data sieving more than requested.",
  },
  arpt: {
    label: "ARPT",
    unit: "seconds",
    expected: 1,
    about: "Mean response time: mean of end minus start of the accesses.",
  },
  bps: {
    label: "BPS",
    unit: "blocks/s",
    expected: -1,
    about: "512-byte blocks requested by the application / T.",
  },
};

interface SetInfo {
  readonly title: string;
  /** What is varied, as the head of a column. */
  readonly varied: string;
  /** What the number `x` of a case is in; none for devices, which are no number. */
  readonly unit: Unit;
  /** What the paper ran. */
  readonly paper: string;
  /** The tool of the paper that our workload does as. */
  readonly like: string;
  /** Number of the paper's figure with the coefficients. */
  readonly figure: number;
  /** The figure that shows one metric beside the execution time, where the paper has one. */
  readonly detail?: { readonly figure: number; readonly metric: MetricName };
  /** Ours, not the paper's. */
  readonly extra?: true;
}

export const SETS: Readonly<Record<SetId, SetInfo>> = {
  "1": {
    title: "Various storage devices",
    varied: "Device",
    unit: "none",
    paper: "IOzone, one process reads 64 GB in sequence from HDD, SSD, and PVFS2 on 1 to 8 servers",
    like: "like IOzone with one process",
    figure: 4,
  },
  "2a": {
    title: "Various I/O sizes, slow device",
    varied: "Record size",
    unit: "bytes",
    paper: "IOzone reads 16 GB from a local HDD with records of 4 KB to 8 MB",
    like: "like IOzone with one process",
    figure: 5,
    detail: { figure: 7, metric: "iops" },
  },
  "2b": {
    title: "Various I/O sizes, fast device",
    varied: "Record size",
    unit: "bytes",
    paper: "IOzone reads 16 GB from a local SSD with records of 4 KB to 8 MB",
    like: "like IOzone with one process",
    figure: 6,
    detail: { figure: 8, metric: "arpt" },
  },
  "3a": {
    title: "Various concurrency, own files",
    varied: "Processes",
    unit: "count",
    paper:
      "IOzone in throughput mode, 1 to 8 processes read 32 GB in total, each its own file on its own server",
    like: "like IOzone in throughput mode",
    figure: 9,
    detail: { figure: 10, metric: "arpt" },
  },
  "3b": {
    title: "Various concurrency, shared file",
    varied: "Processes",
    unit: "count",
    paper:
      "IOR with MPI-IO, 1 to 32 processes read their parts of one 32 GB file on 8 servers, 64 KB at a time",
    like: "like IOR",
    figure: 11,
  },
  "4": {
    title: "Various additional data movement",
    varied: "Spacing",
    unit: "bytes",
    paper: "Hpio with data sieving reads 4,096,000 regions of 256 B that lie 8 to 4096 B apart, 4 servers",
    like: "like Hpio",
    figure: 12,
  },
  "4b": {
    title: "Additional data movement with small regions",
    varied: "Spacing",
    unit: "bytes",
    paper: "not in the paper: set 4 with regions of 32 B, judged by the paper's statement on set 4",
    like: "like Hpio",
    figure: 12,
    extra: true,
  },
};

/** "1,2a" as ids; undefined when one is unknown. */
export const isSetId = (text: string): text is SetId => (SET_IDS as readonly string[]).includes(text);
