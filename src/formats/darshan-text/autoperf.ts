/** AutoPerf's records from their text: the header, which comes first in a log, and MPI calls of a rank with its node. */
import { CLUSTER_MODES, MEMORY_MODES, OTHER_ON_SOME_NODES } from "../darshan/counter-values.ts";
import type { ModuleSpec } from "../darshan/modules/index.ts";
import { recordId } from "../darshan/record-id.ts";
import type { DarshanRecord, HeaderRecord } from "../darshan/records.ts";
import { bytesOf } from "./text.ts";

type Values = ReadonlyMap<string, string>;
interface Base {
  readonly id: bigint;
  readonly rank: bigint;
}

const VARIANCE = "MPI_TOTAL_COMM_TIME_VARIANCE";
const SYNC_VARIANCE = "MPI_TOTAL_COMM_SYNC_TIME_VARIANCE";

/** Undefined for a record that is no header. */
export function headerOf({ name }: ModuleSpec, base: Base, values: Values): HeaderRecord | undefined {
  if (name === "APMPI") return values.has(VARIANCE) ? mpiHeader(base, values) : undefined;
  if (!values.has("APXC_APPLICATION_ID")) return undefined;
  const integers = BigInt64Array.from([
    0n,
    ...["APXC_BLADES", "APXC_CHASSIS", "APXC_GROUPS"].map((key) => wholeOf(values.get(key))),
    modeOf(values.get("APXC_MEMORY_MODE"), MEMORY_MODES),
    modeOf(values.get("APXC_CLUSTER_MODE"), CLUSTER_MODES),
    wholeOf(values.get("APXC_APPLICATION_ID")),
  ]);
  return { ...base, kind: "header", integers, reals: new Float64Array(0) };
}

/** Where a text has lost its header; waiting times are then taken as not measured. */
export function emptyHeader(spec: ModuleSpec): HeaderRecord {
  const base = { id: recordId(`darshan-${spec.name.toLowerCase()}-header`), rank: 0n };
  if (spec.name === "APMPI") return mpiHeader(base, new Map());
  return { ...base, kind: "header", integers: new BigInt64Array(7), reals: new Float64Array(0) };
}

function mpiHeader(base: Base, values: Values): HeaderRecord {
  const variances = [VARIANCE, SYNC_VARIANCE].map((key) => Number(values.get(key) ?? 0));
  return {
    ...base,
    kind: "header",
    integers: new BigInt64Array(1),
    reals: Float64Array.from(variances),
    syncFlag: values.has(SYNC_VARIANCE) ? 1 : 0,
  };
}

/** What the text leaves out was not measured, and is zero in a log. */
export function autoPerfRecord(spec: ModuleSpec, base: Base, values: Values): DarshanRecord {
  const node = values.get("MPI_PROCESSOR_NAME");
  return {
    ...base,
    kind: "counters",
    integers: BigInt64Array.from(spec.integers, ({ name }) => wholeOf(values.get(name))),
    reals: Float64Array.from(spec.reals, ({ name }) => Number(values.get(name) ?? 0)),
    ...(spec.name === "APMPI" && { node: bytesOf(node ?? "") }),
  };
}

const wholeOf = (text: string | undefined) =>
  text !== undefined && /^-?\d+$/.test(text) ? BigInt.asIntN(64, BigInt(text)) : 0n;

/** `quad`, `quad (not on all nodes)`, or the number of a mode without a name. */
function modeOf(text: string | undefined, names: readonly string[]): bigint {
  const name = (text ?? "").replace(OTHER_ON_SOME_NODES, "");
  const index = names.indexOf(name);
  const mode = index >= 0 ? BigInt(index) : wholeOf(name);
  return text?.endsWith(OTHER_ON_SOME_NODES) ? mode | 0x80000000n : mode;
}
