/**
 * Says what in a log does not fit together. All is recounted from the planned calls, in the plainest way and
 * with nothing of the recorder.
 */
import { COUNTER_NAMES } from "../../../test/oracle/counter-names.ts";
import type { OracleLog, OracleRecord, OracleSegment } from "../../../test/oracle/darshan-oracle.ts";
import type { Call, Layer, LogPlan } from "../recorder/calls.ts";

const PREFIX: Readonly<Record<Layer, string>> = {
  POSIX: "POSIX_",
  "MPI-IO": "MPIIO_",
  STDIO: "STDIO_",
  H5F: "H5F_",
  H5D: "H5D_",
};
/** Layers whose calls are recounted here; HDF5's counters are sums of the same kind. */
const LAYERS = ["POSIX", "MPI-IO", "STDIO"] as const;
type Recounted = (typeof LAYERS)[number];

/** Counters of calls that no planned job makes. */
const NEVER: Readonly<Record<Recounted, readonly string[]>> = {
  POSIX: [
    ..."FILENOS DUPS MMAPS FDSYNCS RENAME_SOURCES RENAME_TARGETS RENAMED_FROM".split(" "),
    "MEM_NOT_ALIGNED",
  ],
  "MPI-IO": "SPLIT_READS SPLIT_WRITES NB_READS NB_WRITES HINTS".split(" "),
  STDIO: ["FDOPENS"],
};

/** What each layer calls a call that waits for the storage; its time is time of writing. */
const SYNCS: Readonly<Record<Recounted, string>> = { POSIX: "FSYNCS", "MPI-IO": "SYNCS", STDIO: "FLUSHES" };

/** Ends of calls in a run are computed in another order than here. */
const ROUNDING = 1e-12;

/** Everything in a log that does not fit together, in words. */
export function inconsistencies(log: OracleLog, plan: LogPlan, sieved: boolean): string[] {
  const wrong: string[] = [];
  const check = (what: string, actual: number, expected: number) => {
    if (actual !== expected) wrong.push(`${what}: ${actual}, expected ${expected}`);
  };
  const run = Number(log.job.endSeconds - log.job.startSeconds) + Number(log.job.endNanoseconds) / 1e9;
  for (const module of log.modules) {
    for (const { id } of module.records)
      if (!log.names.has(id)) wrong.push(`${module.name}: ${id} has no name`);
    const keys = module.records.map(({ id, rank }) => `${id} ${rank}`);
    check(`${module.name}: records of the same file and rank`, keys.length - new Set(keys).size, 0);
  }
  for (const layer of LAYERS) {
    const groups = groupByFile(plan.calls.filter((call) => call.layer === layer));
    const records = new Map<string, OracleRecord[]>();
    for (const record of recordsOf(log, layer)) {
      const file = nameOf(log, record.id);
      records.set(file, [...(records.get(file) ?? []), record]);
    }
    const partial = log.modules.find(({ name }) => name === layer)?.partial ?? false;
    for (const file of records.keys()) if (!groups.has(file)) wrong.push(`${layer}: nobody called ${file}`);
    let lost = 0;
    for (const [file, byRank] of groups) {
      const own = records.get(file);
      if (own === undefined) {
        lost++;
        continue;
      }
      const shared = plan.mpi && byRank.size === plan.ranks;
      check(`${layer} ${file}: records`, own.length, shared ? 1 : byRank.size);
      for (const record of own) {
        const calls = shared ? [...byRank.values()].flat() : (byRank.get(Number(record.rank)) ?? []);
        check(`${layer} ${file}: is shared`, Number(record.rank === -1n), Number(shared));
        const report = (text: string) => wrong.push(`${layer} ${file} rank ${record.rank}: ${text}`);
        checkRecord(layer, record, calls, shared ? byRank : undefined, run, plan, report);
      }
    }
    check(`${layer}: the partial flag`, Number(partial), Number(lost > 0));
  }
  if (!sieved) checkLayers(log, wrong);
  checkLayouts(log, plan, wrong);
  checkHeat(log, plan, run, wrong);
  checkTraces(log, plan, wrong);
  return wrong;
}

function checkRecord(
  layer: Recounted,
  record: OracleRecord,
  calls: readonly Call[],
  byRank: ReadonlyMap<number, readonly Call[]> | undefined,
  run: number,
  plan: LogPlan,
  report: (text: string) => void,
): void {
  const value = values(layer, record);
  const equal = (name: string, expected: number, tolerance = 0) => {
    // Times of ranks that differ by their last bit have a variance of rounding alone.
    if (!(Math.abs(value(name) - expected) <= tolerance * Math.max(Math.abs(expected), 1e-9)))
      report(`${name} is ${value(name)}, expected ${expected}`);
  };
  const transfers = calls.filter(isTransfer);
  for (const [kind, READ, DONE] of [
    ["read", "READ", "READ"],
    ["write", "WRITE", "WRITTEN"],
  ] as const) {
    const own = calls.filter((call) => call.kind === kind);
    equal(`BYTES_${DONE}`, sum(own.map(({ bytes }) => bytes)));
    const waited = kind === "write" ? calls.filter((call) => call.kind === "sync") : [];
    equal(`F_${READ}_TIME`, sum([...own, ...waited].map(seconds)), 1e-9);
    equal(`F_${READ}_START_TIMESTAMP`, least(own.map(({ start }) => start)));
    equal(`F_${READ}_END_TIMESTAMP`, most(own.map(({ end }) => end)), ROUNDING);
    if (layer === "MPI-IO") {
      equal(`COLL_${READ}S`, own.filter(({ collective }) => collective).length);
      equal(`INDEP_${READ}S`, own.filter(({ collective }) => !collective).length);
    } else {
      equal(`${READ}S`, own.length);
      equal(
        `MAX_BYTE_${DONE}`,
        own.length === 0 ? 0 : most(own.map(({ offset, bytes }) => offset + bytes - 1)),
      );
    }
    if (layer === "STDIO") continue;
    equal(`F_MAX_${READ}_TIME`, most(own.map(seconds)), 1e-6);
    if (own.length === 0) equal(`MAX_${READ}_TIME_SIZE`, 0);
    const longest = value(`F_MAX_${READ}_TIME`);
    const sizesOfLongest = own.filter((call) => Math.abs(seconds(call) - longest) <= 1e-6 * longest);
    if (own.length > 0 && !sizesOfLongest.some(({ bytes }) => bytes === value(`MAX_${READ}_TIME_SIZE`)))
      report(`MAX_${READ}_TIME_SIZE is of no call`);
    const histogram = COUNTER_NAMES[layer]!.integers.filter((name) => name.includes(`SIZE_${READ}_`)).map(
      (name) => value(name.slice(PREFIX[layer].length)),
    );
    const counted = new Array<number>(10).fill(0);
    const bounds = [100, 1024, 10240, 102400, 1048576, 4194304, 10485760, 104857600, 1073741824];
    for (const { bytes } of own) counted[bounds.filter((bound) => bytes > bound).length]!++;
    if (histogram.join() !== counted.join())
      report(`sizes of ${kind}s are ${histogram}, expected ${counted}`);
    if (layer !== "POSIX") continue;
    const [seq, consec] = order(own);
    equal(`SEQ_${READ}S`, seq);
    equal(`CONSEC_${READ}S`, consec);
    if (consec > seq || seq > own.length) report(`more sequential ${kind}s than ${kind}s`);
  }
  for (const kind of ["open", "close"] as const) {
    const own = calls.filter((call) => call.kind === kind);
    equal(`F_${kind.toUpperCase()}_START_TIMESTAMP`, least(own.map(({ start }) => start)));
    equal(`F_${kind.toUpperCase()}_END_TIMESTAMP`, most(own.map(({ end }) => end)), ROUNDING);
  }
  for (const name of NEVER[layer]) equal(name, 0);
  equal(SYNCS[layer], calls.filter(({ kind }) => kind === "sync").length);
  const metadata = calls.filter((call) => !isTransfer(call) && call.kind !== "sync");
  equal("F_META_TIME", sum(metadata.map(seconds)), 1e-9);
  const count = (kind: Call["kind"], collective = false) =>
    calls.filter((call) => call.kind === kind && call.collective === collective).length;
  if (layer === "MPI-IO") {
    equal("COLL_OPENS", count("open", true));
    equal("INDEP_OPENS", count("open"));
    equal("VIEWS", count("view"));
  } else {
    equal("OPENS", count("open"));
    equal("SEEKS", count("seek"));
  }
  if (layer === "POSIX") {
    equal("STATS", count("stat"));
    const alignment = value("FILE_ALIGNMENT");
    equal("FILE_ALIGNMENT", plan.layouts.get(calls[0]!.file)?.alignmentBytes ?? 4096);
    equal("FILE_NOT_ALIGNED", transfers.filter(({ offset }) => offset % alignment !== 0).length);
    equal("MEM_ALIGNMENT", 8);
    const top = byRank === undefined ? topStrides(calls) : [...byRank.values()].flatMap(topStrides);
    checkCommon("STRIDE", value, top, report);
  }
  if (layer !== "STDIO") {
    checkCommon(
      "ACCESS",
      value,
      transfers.map(({ bytes }) => [bytes, 1]),
      report,
    );
    equal("RW_SWITCHES", sum([...(byRank?.values() ?? [calls])].map(switches)));
    const [read, written] = [value("BYTES_READ") > 0, value("BYTES_WRITTEN") > 0];
    equal("MODE", layer === "POSIX" ? (written ? 0o644 : 0) : written ? (read ? 9 : 5) : 2);
  }
  checkTimes(value, calls, run, report);

  const ranks = byRank === undefined ? [] : [...byRank].map(([rank, own]) => ({ rank, ...spent(own) }));
  if (byRank === undefined) for (const name of ["SLOWEST_RANK", "FASTEST_RANK"]) equal(name, 0);
  const slowest = ranks.find(({ rank }) => rank === value("SLOWEST_RANK"));
  const fastest = ranks.find(({ rank }) => rank === value("FASTEST_RANK"));
  equal("F_SLOWEST_RANK_TIME", most(ranks.map((rank) => rank.seconds)), 1e-9);
  equal("F_FASTEST_RANK_TIME", least(ranks.map((rank) => rank.seconds)), 1e-9);
  equal("F_SLOWEST_RANK_TIME", slowest?.seconds ?? 0, 1e-9);
  equal("F_FASTEST_RANK_TIME", fastest?.seconds ?? 0, 1e-9);
  equal("SLOWEST_RANK_BYTES", slowest?.bytes ?? 0);
  equal("FASTEST_RANK_BYTES", fastest?.bytes ?? 0);
  const near = (name: string, list: readonly number[]) => equal(name, pairwiseVariance(list), 1e-9);
  near(
    "F_VARIANCE_RANK_TIME",
    ranks.map((rank) => rank.seconds),
  );
  near(
    "F_VARIANCE_RANK_BYTES",
    ranks.map((rank) => rank.bytes),
  );
}

/** The four most frequent values with their counts, by falling count, then by falling value. */
function checkCommon(
  name: "ACCESS" | "STRIDE",
  value: Value,
  counted: readonly (readonly [value: number, count: number])[],
  report: (text: string) => void,
): void {
  const counts = new Map<number, number>();
  for (const [one, count] of counted) counts.set(one, (counts.get(one) ?? 0) + count);
  const expected = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, 4);
  for (let slot = 1; slot <= 4; slot++) {
    const [one, count] = expected[slot - 1] ?? [0, 0];
    if (value(`${name}${slot}_${name}`) !== one || value(`${name}${slot}_COUNT`) !== count)
      report(`${name}${slot} is not ${one} × ${count}`);
  }
}

/** Of one rank: gaps between accesses of the same direction, of which 32 are told apart and four kept. */
function topStrides(calls: readonly Call[]): [number, number][] {
  const next = new Map<Call["kind"], number>();
  const counts = new Map<number, number>();
  for (const { kind, offset, bytes } of calls.filter(isTransfer)) {
    const gap = offset - (next.get(kind) ?? 1);
    if (gap > 0 && (counts.has(gap) || counts.size < 32)) counts.set(gap, (counts.get(gap) ?? 0) + 1);
    next.set(kind, offset + bytes);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, 4);
}

/** Of one rank: changes between reading and writing. */
function switches(calls: readonly Call[]): number {
  const kinds = calls.filter(isTransfer).map(({ kind }) => kind);
  return kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1]).length;
}

function checkTimes(value: Value, calls: readonly Call[], run: number, report: (text: string) => void): void {
  const at = (name: string) => value(`F_${name}_TIMESTAMP`);
  for (const name of ["OPEN", "READ", "WRITE", "CLOSE"]) {
    const start = at(`${name}_START`);
    const end = at(`${name}_END`);
    if (start < 0 || start > end || end > run) report(`${name} from ${start} to ${end} in a run of ${run}`);
    if (name !== "OPEN" && start > 0 && start < at("OPEN_START")) report(`${name} before the first open`);
    if (at("CLOSE_END") > 0 && end > at("CLOSE_END")) report(`${name} after the last close`);
  }
  const last = new Map<number, number>();
  for (const { rank, start, end } of calls) {
    if (start < (last.get(rank) ?? 0) * (1 - ROUNDING) || end <= start)
      report(`calls of rank ${rank} overlap at ${start}`);
    last.set(rank, end);
  }
}

/** What MPI-IO was asked for is what POSIX did below it. */
function checkLayers(log: OracleLog, wrong: string[]): void {
  const bytesOf = (layer: Layer, id: bigint, name: string) =>
    sum(
      recordsOf(log, layer)
        .filter((record) => record.id === id)
        .map((record) => values(layer, record)(name)),
    );
  for (const id of new Set(recordsOf(log, "MPI-IO").map((record) => record.id))) {
    for (const name of ["BYTES_READ", "BYTES_WRITTEN"]) {
      if (bytesOf("MPI-IO", id, name) !== bytesOf("POSIX", id, name)) wrong.push(`${name} differ in ${id}`);
    }
  }
}

function checkLayouts(log: OracleLog, plan: LogPlan, wrong: string[]): void {
  const key = ({ id, rank }: OracleRecord) => `${id} ${rank}`;
  const layouts = recordsOf(log, "LUSTRE");
  const files = [...recordsOf(log, "POSIX"), ...recordsOf(log, "STDIO")].filter(({ id }) =>
    nameOf(log, id).startsWith("/scratch/"),
  );
  const expected = plan.layoutRecords === false ? [] : [...new Set(files.map(key))].sort();
  if (layouts.map(key).sort().join() !== expected.join()) wrong.push("LUSTRE: not one record for each file");
  for (const { id, extra } of layouts) {
    const [component = []] = extra.components as bigint[][];
    const planned = plan.layouts.get(nameOf(log, id));
    if (component[0] !== BigInt(planned?.stripeBytes ?? -1)) wrong.push(`LUSTRE: stripe size of ${id}`);
    if (component[1] !== BigInt((extra.osts as bigint[]).length)) wrong.push(`LUSTRE: stripe count of ${id}`);
    if ((extra.osts as bigint[]).join() !== planned?.osts.join()) wrong.push(`LUSTRE: OSTs of ${id}`);
  }
}

/** Bins of each rank add up to its bytes in the recorded files; ranks without traffic have none. */
function checkHeat(log: OracleLog, plan: LogPlan, run: number, wrong: string[]): void {
  const maps = recordsOf(log, "HEATMAP");
  const told = new Map<string, number>();
  const shapes = new Set<string>();
  for (const { id, rank, extra } of maps) {
    const width = new Float64Array(BigUint64Array.of(extra.binWidthBits as bigint).buffer)[0]!;
    const bins = Number(extra.nbins);
    shapes.add(`${width} ${bins}`);
    if (bins > 200 || width * bins < run)
      wrong.push(`HEATMAP: ${bins} bins of ${width} s in a run of ${run} s`);
    for (const kind of ["read", "write"] as const) {
      const total = (extra[`${kind}Bins`] as bigint[]).reduce((a, b) => a + b, 0n);
      if (total > 0n) told.set(`${nameOf(log, id)} ${rank} ${kind}`, Number(total));
    }
  }
  if (shapes.size > 1) wrong.push("HEATMAP: records differ in width or bins");
  const expected = new Map<string, number>();
  for (const { layer, rank, kind, bytes } of plan.heatmap ? transfersIn(log, plan) : []) {
    if (layer === "H5D") continue;
    const key = `heatmap:${PREFIX[layer].slice(0, -1)} ${rank} ${kind}`;
    expected.set(key, (expected.get(key) ?? 0) + bytes);
  }
  if (JSON.stringify([...told].sort()) !== JSON.stringify([...expected].sort()))
    wrong.push("HEATMAP: bins and bytes");
}

/** Traces hold every access that the counters count, and no other. */
function checkTraces(log: OracleLog, plan: LogPlan, wrong: string[]): void {
  const line = (...words: (string | number | bigint)[]) => words.join(" ");
  for (const [module, layer] of [
    ["DXT_POSIX", "POSIX"],
    ["DXT_MPIIO", "MPI-IO"],
  ] as const) {
    const records = recordsOf(log, module);
    const real = (bits: bigint) => new Float64Array(BigUint64Array.of(bits).buffer)[0]!;
    const told = records.flatMap(({ id, rank, extra }) =>
      (["write", "read"] as const).flatMap((kind) =>
        (extra[`${kind}s`] as OracleSegment[]).map(([offset, length, start, end]) =>
          line(nameOf(log, id), rank, kind, offset, length, real(start), real(end)),
        ),
      ),
    );
    const expected = (plan.traces ? transfersIn(log, plan) : [])
      .filter((call) => call.layer === layer)
      .map(({ file, rank, kind, offset, bytes, start, end }) =>
        line(file, rank, kind, offset, bytes, start, end),
      );
    if (told.sort().join("\n") !== expected.sort().join("\n")) wrong.push(`${module}: segments and calls`);
    for (const { id, extra } of records) {
      const ends = (extra.writes as OracleSegment[]).map(([, , , end]) => real(end));
      if (ends.some((end, index) => index > 0 && end < ends[index - 1]!))
        wrong.push(`${module}: order in ${id}`);
    }
  }
}

/** Reads and writes of the files that the log has a record of. */
function transfersIn(log: OracleLog, plan: LogPlan): Call[] {
  const known = new Set([...log.names.keys()].map((id) => nameOf(log, id)));
  return plan.calls.filter((call) => isTransfer(call) && known.has(call.file));
}

type Value = (name: string) => number;

export function values(layer: Layer, record: OracleRecord): Value {
  const { integers, reals } = COUNTER_NAMES[layer]!;
  const all = new Map<string, number>();
  integers.forEach((name, index) => void all.set(name, Number(record.integers[index])));
  reals.forEach((name, index) => void all.set(name, record.reals[index]!));
  return (name) => {
    const value = all.get(PREFIX[layer] + name);
    if (value === undefined) throw new Error(`${layer} has no counter ${name}`);
    return value;
  };
}

export function recordsOf(log: OracleLog, name: string): readonly OracleRecord[] {
  return log.modules.find((module) => module.name === name)?.records ?? [];
}

export function nameOf(log: OracleLog, id: bigint): string {
  return new TextDecoder().decode(log.names.get(id));
}

function groupByFile(calls: readonly Call[]): Map<string, Map<number, Call[]>> {
  const files = new Map<string, Map<number, Call[]>>();
  for (const call of calls) {
    if (!files.has(call.file)) files.set(call.file, new Map());
    const ranks = files.get(call.file)!;
    if (!ranks.has(call.rank)) ranks.set(call.rank, []);
    ranks.get(call.rank)!.push(call);
  }
  return files;
}

/** How many accesses lie behind the previous one of their rank, and how many directly behind it. */
function order(calls: readonly Call[]): [number, number] {
  const last = new Map<number, number>();
  let sequential = 0;
  let consecutive = 0;
  for (const { rank, offset, bytes } of calls) {
    const end = last.get(rank) ?? 1;
    if (offset >= end) sequential++;
    if (offset === end) consecutive++;
    last.set(rank, offset + bytes);
  }
  return [sequential, consecutive];
}

function spent(calls: readonly Call[]): { seconds: number; bytes: number } {
  return { seconds: sum(calls.map(seconds)), bytes: sum(calls.map(({ bytes }) => bytes)) };
}

/** By merging one value at a time, with the formula of the format's description. */
function pairwiseVariance(list: readonly number[]): number {
  let [n, total, squares] = [0, 0, 0];
  for (const x of list) {
    if (n > 0) squares += (n / (n + 1)) * (total / n - x) ** 2;
    n++;
    total += x;
  }
  return n === 0 ? 0 : squares / n;
}

const isTransfer = ({ kind }: Call) => kind === "read" || kind === "write";
const seconds = ({ start, end }: Call) => end - start;
const sum = (list: readonly number[]) => list.reduce((total, value) => total + value, 0);
export const most = (list: readonly number[]) => list.reduce((a, b) => Math.max(a, b), 0);
export const least = (list: readonly number[]) =>
  list.length === 0 ? 0 : list.reduce((a, b) => Math.min(a, b));
