/** Bandwidths of single bars in the text of the NCIO paper; its figures have no numbers. */
import type { NcioCase, NcioMethod, NcioVariable, PublishedMark } from "../../model/index.ts";
import { methodName } from "./methods.ts";

interface PublishedBandwidth {
  readonly variable: NcioVariable;
  readonly case: NcioCase;
  readonly method: NcioMethod | undefined;
  /** Value of the variable; undefined: the mean over all of them. */
  readonly at?: number;
  readonly bytesPerSecond: number;
  /** Qualifier of the number: "at most". */
  readonly note: string;
}

const MB = 1e6;

/** Sections 4 and 5 of the paper; 64 processes, 16 servers. */
export const PUBLISHED_BANDWIDTHS: readonly PublishedBandwidth[] = [
  { variable: "count", case: "c-c", method: undefined, bytesPerSecond: 389 * MB, note: "best of all" },
  {
    ...{ variable: "count", case: "c-nc", method: "posix", at: 1_048_576 },
    ...{ bytesPerSecond: 0.047 * MB, note: "at 1,048,576" },
  },
  { variable: "spacing", case: "c-c", method: "datatype", bytesPerSecond: 23.65 * MB, note: "mean" },
  { variable: "spacing", case: "c-c", method: "two-phase", bytesPerSecond: 32.017 * MB, note: "mean" },
  { variable: "spacing", case: "nc-c", method: "datatype", bytesPerSecond: 23.83 * MB, note: "mean" },
  { variable: "spacing", case: "nc-c", method: "two-phase", bytesPerSecond: 30.832 * MB, note: "mean" },
  { variable: "spacing", case: "nc-c", method: "posix", bytesPerSecond: 0.145 * MB, note: "at most" },
];

/** Marker lines of a bandwidth panel. */
export const publishedMarks = (variable: NcioVariable, accessCase: NcioCase): PublishedMark[] =>
  PUBLISHED_BANDWIDTHS.filter((one) => one.variable === variable && one.case === accessCase).map(
    ({ method, bytesPerSecond, note }) => ({
      value: bytesPerSecond,
      label: `paper, ${method === undefined ? "" : `${methodName(method)}, `}${note}`,
    }),
  );
