/** What a record says, as counter names and values in the order they are printed. */
import { ascii } from "../../base/text-writer.ts";
import { type ModuleSpec, SYNC_TIMES } from "./modules/index.ts";
import type { DarshanRecord, HeaderRecord } from "./records.ts";

const NOT_AVAILABLE = ascii("N/A");

/** Names and values of any record; `syncTimes` says that APMPI recorded waiting times. */
export function* counterValues(
  spec: ModuleSpec,
  record: DarshanRecord,
  syncTimes: boolean,
): Generator<readonly [string, string | number | bigint | Uint8Array]> {
  switch (record.kind) {
    case "heatmap":
      yield ["HEATMAP_F_BIN_WIDTH_SECONDS", record.binSeconds];
      for (let bin = 0; bin < record.readBins.length; bin++)
        yield [`HEATMAP_READ_BIN_${bin}`, record.readBins[bin] as bigint];
      for (let bin = 0; bin < record.writeBins.length; bin++)
        yield [`HEATMAP_WRITE_BIN_${bin}`, record.writeBins[bin] as bigint];
      return;
    case "lustre": {
      yield ["LUSTRE_NUM_COMPONENTS", BigInt(record.components.length)];
      yield ["LUSTRE_NUM_STRIPES", BigInt(record.osts.length)];
      let ost = 0;
      for (const [index, component] of record.components.entries()) {
        const prefix = `LUSTRE_COMP${index + 1}_`;
        for (const [c, counter] of spec.integers.entries()) {
          const name = prefix + counter.name.slice("LUSTRE_COMP_".length);
          const value = component.counters[c] as bigint;
          yield [
            name,
            name.endsWith("STRIPE_PATTERN")
              ? patternText(value)
              : name.endsWith("_FLAGS")
                ? flagsText(value)
                : value,
          ];
        }
        yield [`${prefix}POOL_NAME`, component.pool.length === 0 ? NOT_AVAILABLE : component.pool];
        const stripes = Number(component.counters[1]);
        for (let s = 0; s < stripes && ost < record.osts.length; s++)
          yield [`${prefix}OST_ID_${s}`, record.osts[ost++] as bigint];
      }
      return;
    }
    case "mdhim":
      for (const [i, counter] of spec.integers.entries()) yield [counter.name, record.integers[i] as bigint];
      for (const [i, counter] of spec.reals.entries()) yield [counter.name, record.reals[i] as number];
      for (let s = 0; s < Number(record.integers[4]); s++)
        yield [`MDHIM_SERVER_${s}`, record.servers[s] as bigint];
      return;
    case "header":
      yield* headerLines(spec, record);
      return;
    case "counters": {
      if (record.node !== undefined) yield ["MPI_PROCESSOR_NAME", record.node];
      for (const [i, counter] of spec.integers.entries()) {
        const value = record.integers[i] as bigint;
        yield [counter.name, counter.unsigned ? BigInt.asUintN(64, value) : value];
      }
      // APMPI: times of waiting exist only when they were measured.
      const waits = spec.name === "APMPI" ? spec.reals.length - 2 - SYNC_TIMES : Number.POSITIVE_INFINITY;
      for (const [i, counter] of spec.reals.entries()) {
        if (!syncTimes && i >= waits && counter.name !== "MPI_TOTAL_COMM_TIME") continue;
        yield [counter.name, record.reals[i] as number];
      }
      if (record.fileId !== undefined) yield [`${spec.name}_FILE_REC_ID`, record.fileId];
    }
  }
}

function* headerLines(
  spec: ModuleSpec,
  record: HeaderRecord,
): Generator<readonly [string, number | bigint | string]> {
  if (spec.name === "APMPI") {
    yield ["MPI_TOTAL_COMM_TIME_VARIANCE", record.reals[0] as number];
    if (record.syncFlag !== 0) yield ["MPI_TOTAL_COMM_SYNC_TIME_VARIANCE", record.reals[1] as number];
    return;
  }
  const [, blades, chassis, groups, memory, cluster, application] = record.integers as unknown as bigint[];
  yield ["APXC_GROUPS", groups as bigint];
  yield ["APXC_CHASSIS", chassis as bigint];
  yield ["APXC_BLADES", blades as bigint];
  yield ["APXC_MEMORY_MODE", memoryModeText(memory as bigint)];
  yield ["APXC_CLUSTER_MODE", clusterModeText(cluster as bigint)];
  yield ["APXC_APPLICATION_ID", BigInt.asUintN(64, application as bigint)];
}

export const MEMORY_MODES = ["unknown", "flat", "equal", "split", "cache"];
export const CLUSTER_MODES = ["unknown", "all2all", "quad", "hemi", "snc4", "snc2"];
export const OTHER_ON_SOME_NODES = " (not on all nodes)";

export const memoryModeText = (value: bigint) => modeText(value, MEMORY_MODES);
export const clusterModeText = (value: bigint) => modeText(value, CLUSTER_MODES);

/** Bit 31 says that the mode is not the same on all nodes. */
function modeText(value: bigint, names: readonly string[]): string {
  const name = names[Number(value & 0x7fffffffn)] ?? String(value & 0x7fffffffn);
  return (value >> 31n) & 1n ? name + OTHER_ON_SOME_NODES : name;
}

function patternText(value: bigint): string {
  return { 0: "raid0", 2: "mdt", 4: "raid0,overstriped", 8: "foreign" }[String(value)] ?? "N/A";
}

const FLAG_NAMES = [
  "stale",
  "prefrd",
  "prefwr",
  "offline",
  "init",
  "nosync",
  "extension",
  "parity",
  "compress",
  "partial",
  "nocompr",
  "neg",
];

function flagsText(value: bigint): string {
  if (value === -1n) return "N/A";
  const set = FLAG_NAMES.filter((_, bit) => (value >> BigInt(bit)) & 1n);
  return set.length === 0 ? "0" : set.join(",");
}
/** A UUID of 16 bytes as text. */
export function uuid(bytes: Uint8Array, at: number): string {
  let text = "";
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) text += "-";
    text += (bytes[at + i] as number).toString(16).padStart(2, "0");
  }
  return text;
}
