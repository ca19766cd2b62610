/** A text as the log that it was printed from: records and traces are put back, and read as those of any log. */
import { LimitError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import { MODULES, type ModuleSpec } from "../darshan/modules/index.ts";
import type { DarshanRecord, Segment, TraceObject } from "../darshan/records.ts";
import { logInMemory } from "../darshan/writer.ts";
import { autoPerfRecord, emptyHeader, headerOf } from "./autoperf.ts";
import { surveyText } from "./survey.ts";
import { bytesOf, counterLine, eachLine, segmentLine } from "./text.ts";

/** The log is held in memory; text of this length makes one of about a tenth. */
const TEXT_BYTES_MAX = 4 * 2 ** 30;
const NOT_KNOWN = -1;

export function logOfText(source: ByteSource): ByteSource {
  if (source.byteLength > TEXT_BYTES_MAX)
    throw new LimitError(source.name, {}, `more than ${TEXT_BYTES_MAX / 2 ** 30} GiB of text`);
  const { job, names, modules, partial } = surveyText(source);
  const present = MODULES.filter(({ name }) => modules.has(name)).sort((a, b) => a.slots[2] - b.slots[2]);
  return logInMemory(source.name, (writer) => {
    writer.job(job);
    writer.names([...names].map(([id, name]) => ({ id: BigInt(id), name })));
    for (const spec of present) {
      if (spec.slots[2] < 0) continue;
      const region = writer.begin(spec, partial.has(spec.name));
      if (spec.kind === "dxt") eachTrace(source, spec.name, (trace) => region.record(trace));
      else eachRecord(source, spec, (record) => region.record(record));
      region.end();
    }
  });
}

/** MDHIM's text leaves out what its records need. */
const isWhole = ({ kind }: ModuleSpec) => kind !== "mdhim";

function eachRecord(source: ByteSource, spec: ModuleSpec, use: (record: DarshanRecord) => void): void {
  if (!isWhole(spec)) return;
  let key = "";
  let values = new Map<string, string>();
  let hasHeader = spec.kind !== "headed";
  const flush = () => {
    if (values.size === 0) return;
    const [rank = "0", id = "0"] = key.split(" ");
    const record = recordOf(spec, { id: BigInt(id), rank: BigInt(rank) }, values);
    if (!hasHeader && record.kind !== "header") use(emptyHeader(spec));
    hasHeader = true;
    use(record);
  };
  eachLine(source, (line) => {
    if (!line.startsWith(spec.name)) return;
    const one = counterLine(line);
    if (one?.module !== spec.name) return;
    const own = `${one.rank} ${one.id}`;
    // A record ends where another begins, or where its first counter comes again.
    if (own !== key || values.has(one.counter)) {
      flush();
      key = own;
      values = new Map();
    }
    values.set(one.counter, one.value);
  });
  flush();
}

function recordOf(
  spec: ModuleSpec,
  base: { readonly id: bigint; readonly rank: bigint },
  values: ReadonlyMap<string, string>,
): DarshanRecord {
  const whole = (name: string, missing = NOT_KNOWN) => {
    const text = values.get(name);
    return text !== undefined && /^-?\d+$/.test(text) ? BigInt.asIntN(64, BigInt(text)) : BigInt(missing);
  };
  const real = (name: string) => Number(values.get(name) ?? NOT_KNOWN);
  const count = (pattern: RegExp) => [...values.keys()].filter((name) => pattern.test(name)).length;
  if (spec.kind === "heatmap") {
    const bins = (way: string) =>
      BigInt64Array.from({ length: count(new RegExp(`^HEATMAP_${way}_BIN_\\d+$`)) }, (_, bin) =>
        whole(`HEATMAP_${way}_BIN_${bin}`, 0),
      );
    const binSeconds = real("HEATMAP_F_BIN_WIDTH_SECONDS");
    return { ...base, kind: "heatmap", binSeconds, writeBins: bins("WRITE"), readBins: bins("READ") };
  }
  if (spec.kind === "headed") return headerOf(spec, base, values) ?? autoPerfRecord(spec, base, values);
  if (spec.kind === "lustre") return { ...base, ...lustreOf(spec, values, whole) };
  const fileId = [...values].find(([name]) => name.endsWith("_FILE_REC_ID"))?.[1];
  return {
    ...base,
    kind: "counters",
    integers: BigInt64Array.from(spec.integers, ({ name }) => whole(name)),
    reals: Float64Array.from(spec.reals, ({ name }) => real(name)),
    ...(fileId !== undefined && { fileId: BigInt(fileId) }),
  };
}

/** Components are numbered from one; before Darshan 3.4.5 there was one, whose counters had no number. */
function lustreOf(
  spec: ModuleSpec,
  values: ReadonlyMap<string, string>,
  whole: (name: string, missing?: number) => bigint,
) {
  const isOld = !values.has("LUSTRE_NUM_COMPONENTS");
  const components = isOld ? 1 : Number(whole("LUSTRE_NUM_COMPONENTS", 0));
  const osts: bigint[] = [];
  const made = Array.from({ length: Math.min(components, 1 + values.size) }, (_, at) => {
    const prefix = isOld ? "LUSTRE_" : `LUSTRE_COMP${at + 1}_`;
    for (let ost = 0; values.has(`${prefix}OST_ID_${ost}`); ost++) osts.push(whole(`${prefix}OST_ID_${ost}`));
    const counters = BigInt64Array.from(spec.integers, ({ name }) => {
      const own = name.replace("LUSTRE_COMP_", "");
      return isOld && own === "STRIPE_COUNT" ? whole("LUSTRE_STRIPE_WIDTH") : whole(prefix + own);
    });
    return { counters, pool: bytesOf(values.get(`${prefix}POOL_NAME`) ?? "") };
  });
  return { kind: "lustre" as const, components: made, osts: BigInt64Array.from(osts) };
}

function eachTrace(source: ByteSource, module: string, use: (trace: TraceObject) => void): void {
  let id = 0n;
  let open: { rank: bigint; host: string; reads: Segment[]; writes: Segment[] } | undefined;
  const flush = () => {
    if (open !== undefined && open.reads.length + open.writes.length > 0) use({ id, ...open });
    open = undefined;
  };
  eachLine(source, (line) => {
    const file = /^# DXT, file_id: (\d+)/.exec(line)?.[1];
    if (file !== undefined) {
      flush();
      id = BigInt(file);
    }
    const owner = /^# DXT, rank: (-?\d+), hostname: (.*)$/.exec(line);
    if (owner !== null)
      open = { rank: BigInt(owner[1] as string), host: owner[2] as string, reads: [], writes: [] };
    if (line.startsWith("#") || open === undefined) return;
    const segment = segmentLine(line);
    if (segment?.module !== module) return;
    const { way, offset, length, start, end } = segment;
    (way === "read" ? open.reads : open.writes).push({ offset, length, start, end });
  });
  flush();
}
