/** What the paper prints, with its place. Only what stands in its text: the bars of its figures have no numbers. */
import { formatCount } from "../../../base/units.ts";
import type { MetricName, SetId } from "./sets.ts";

interface PublishedCc {
  /** Normalised coefficient; null where the text gives the direction only. */
  readonly value: number | null;
  readonly direction: "expected" | "wrong";
  /** Section of the paper. */
  readonly source: string;
  /** The text gives one average for several metrics. */
  readonly average?: true;
}

const right = (value: number, source: string): PublishedCc => ({
  value,
  direction: "expected",
  source,
  average: true,
});
const wrong = (value: number | null, source: string): PublishedCc => ({ value, direction: "wrong", source });

const SET_4 = {
  iops: right(0.92, "IV.C.4"),
  bandwidth: wrong(null, "IV.C.4"),
  arpt: right(0.92, "IV.C.4"),
  bps: right(0.92, "IV.C.4"),
};

const SET_2 = {
  iops: wrong(null, "IV.C.2"),
  bandwidth: right(0.9, "IV.C.2"),
  arpt: wrong(null, "IV.C.2"),
  bps: right(0.9, "IV.C.2"),
};

export const PUBLISHED: Readonly<Record<SetId, Readonly<Record<MetricName, PublishedCc>>>> = {
  "1": {
    iops: right(0.93, "IV.C.1"),
    bandwidth: right(0.93, "IV.C.1"),
    arpt: right(0.93, "IV.C.1"),
    bps: right(0.93, "IV.C.1"),
  },
  "2a": SET_2,
  "2b": SET_2,
  "3a": {
    iops: right(0.96, "IV.C.3"),
    bandwidth: right(0.96, "IV.C.3"),
    arpt: wrong(-0.58, "IV.C.3"),
    bps: right(0.96, "IV.C.3"),
  },
  "3b": {
    iops: right(0.91, "IV.C.3"),
    bandwidth: right(0.91, "IV.C.3"),
    arpt: wrong(-0.39, "IV.C.3"),
    bps: right(0.91, "IV.C.3"),
  },
  "4": SET_4,
  "4b": SET_4,
};

/** Mean coefficient of BPS over all experiments (I). */
export const PUBLISHED_BPS = 0.91;

interface PublishedPoint {
  readonly set: SetId;
  /** The varied value: bytes of a record. */
  readonly x: number;
  readonly label: string;
  readonly iops?: number;
  readonly arpt?: number;
  readonly executionSeconds?: number;
  readonly source: string;
}

/** Bytes that the runs of set 2 read. */
export const PUBLISHED_SET2_BYTES = 16 * 2 ** 30;

/** Single points that the text gives. */
export const PUBLISHED_POINTS: readonly PublishedPoint[] = [
  { set: "2a", x: 4096, label: "4 KiB", iops: 5156.39, executionSeconds: 809.6, source: "IV.C.2, Figure 7" },
  { set: "2a", x: 65536, label: "64 KiB", iops: 732.3, executionSeconds: 358.1, source: "IV.C.2, Figure 7" },
  { set: "2b", x: 4096, label: "4 KiB", arpt: 0.00014, source: "IV.C.2, Figure 8" },
  { set: "2b", x: 4194304, label: "4 MiB", arpt: 0.02235, source: "IV.C.2, Figure 8" },
];

/** Bytes of a record and number of accesses in the paper's reckoning of space (III.C). */
const RECORD_BYTES = 32;
const RECORDS = 65_535;
/** What it says they need. */
const RECORDS_BYTES = 3e6;

interface PublishedOverhead {
  readonly id: string;
  readonly place: string;
  readonly title: string;
  readonly published: string;
  /** The same computed. */
  readonly here: string;
  readonly holds: boolean;
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** What measuring costs, by the paper and by arithmetic. */
export const PUBLISHED_OVERHEAD: readonly PublishedOverhead[] = [
  {
    id: "records",
    place: "III.C",
    title: `Size of ${formatCount(RECORDS)} records of ${RECORD_BYTES} bytes`,
    published: `about ${megabytes(RECORDS_BYTES)}`,
    here: `${megabytes(RECORDS * RECORD_BYTES)} (${formatCount(RECORDS * RECORD_BYTES)} bytes)`,
    // Rounded to whole megabytes, as the paper has it.
    holds: Math.round((RECORDS * RECORD_BYTES) / 1e6) === RECORDS_BYTES / 1e6,
  },
];
