/** The catalogue of inputs: every format that some command reads, and how one is found for an input. */
import { FormatError, UsageError } from "../base/errors.ts";
import { type ByteSource, HEAD_BYTES } from "../base/source.ts";
import { accessCsv } from "./access-csv/format.ts";
import { bp } from "./bp/index.ts";
import { darshan } from "./darshan/format.ts";
import { darshanText } from "./darshan-text/format.ts";
import { dftracer } from "./dftracer/format.ts";
import { fioLog } from "./fio/format.ts";
import { influx } from "./influx/index.ts";
import type { Capability, InputFormat } from "./input-format.ts";
import { lustre } from "./lustre/index.ts";
import { mmpmon, nfsMountStats } from "./mounts/index.ts";
import { page, store } from "./own-files.ts";
import { parquet } from "./parquet/format.ts";
import { results } from "./results/index.ts";
import { clientReading, serverSamples } from "./samples/index.ts";
import { slurm } from "./slurm/index.ts";
import { strace } from "./strace/format.ts";
import { paper, trace } from "./trace/index.ts";

/** In the order in which they are asked: what has a signature first, the loosest last. */
const ENTRIES = [
  trace,
  darshan,
  darshanText,
  parquet,
  bp,
  store,
  page,
  dftracer,
  serverSamples,
  clientReading,
  nfsMountStats,
  mmpmon,
  ...results,
  slurm,
  paper,
  strace,
  fioLog,
  accessCsv,
  influx,
  lustre,
] as const satisfies readonly InputFormat[];
export const CATALOGUE: readonly InputFormat[] = ENTRIES;

/** Ids of the entries that declare this, for tables that must have a line for each of them. */
export type IdsWith<C extends Capability> = Extract<(typeof ENTRIES)[number], Record<C, unknown>>["id"];

/** Who takes an input that can give this. */
const TAKEN_BY: Readonly<Record<Capability, string>> = {
  calls: "use plimsoll report, findings, diff, bps or export",
  counters: "use plimsoll report, findings or diff",
  rows: "use plimsoll ingest",
  series: "use plimsoll ingest",
  results: "use plimsoll results",
  dataset: "use plimsoll ls, read or verify",
};

const gives = (format: InputFormat, wanted: readonly Capability[]) =>
  wanted.some((capability) => format[capability] !== undefined);

/** Those that can give one of these. */
export const formatsWith = (...wanted: readonly Capability[]) =>
  CATALOGUE.filter((format) => gives(format, wanted));

/** The format of an input, by its first bytes; undefined when none that gives one of these knows it. */
export function findFormat(
  head: Uint8Array,
  name: string,
  ...wanted: readonly Capability[]
): InputFormat | undefined {
  return CATALOGUE.find((format) => gives(format, wanted) && format.recognizes(head, name));
}

/** The same, where another input is an error that says what takes it, or what is known. */
export function detectFormat(source: ByteSource, ...wanted: readonly Capability[]): InputFormat {
  const head = source.read(0, HEAD_BYTES);
  const format = findFormat(head, source.name, ...wanted);
  if (format !== undefined) return format;
  throw new FormatError(source.name, {}, refusal(head, source.name, wanted, source.inside));
}

/** What stays packed. */
const PACKED = [
  { magic: [0x1f, 0x8b], by: "gzip", command: "gunzip" },
  { magic: [0x28, 0xb5, 0x2f, 0xfd], by: "Zstandard", command: "zstd -d" },
  { magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a], by: "xz", command: "xz -d" },
  { magic: [0x42, 0x5a, 0x68], by: "bzip2", command: "bzip2 -d" },
];

/** What an input is and which command takes it, in one line; undefined when nobody knows. `inside` as a source has it. */
export function otherUse(head: Uint8Array, name: string, inside?: Uint8Array): string | undefined {
  const packed = PACKED.find(({ magic }) => magic.every((byte, at) => head[at] === byte));
  if (inside !== undefined && otherUse(inside, name.replace(/\.gz$/, "")) === undefined) return undefined;
  if (packed !== undefined) return `packed with ${packed.by}; unpack it first: ${packed.command}`;
  const other = CATALOGUE.find((format) => format.recognizes(head, name));
  if (other === undefined) return undefined;
  const capability = (Object.keys(TAKEN_BY) as Capability[]).find((one) => gives(other, [one]));
  const taken = capability === undefined ? other.takenBy : TAKEN_BY[capability];
  return `this is ${/^[aeio]/i.test(other.label) ? "an" : "a"} ${other.label}; ${taken}`;
}

/** Why an input cannot give what is wanted, in one line. */
export function refusal(
  head: Uint8Array,
  name: string,
  wanted: readonly Capability[],
  inside?: Uint8Array,
): string {
  const other = otherUse(head, name, inside);
  if (other !== undefined) return other;
  if (inside !== undefined) return "unknown content inside the gzip file";
  if (head.length === 0) return "the input is empty";
  const formats = formatsWith(...wanted);
  for (const { lacks } of formats) {
    const lacking = lacks?.(head);
    if (lacking !== undefined) return lacking;
  }
  return `unknown format (known: ${formats.map(({ id }) => id).join(", ")})`;
}

/** The format with this id, for whoever names it. */
export function formatNamed(id: string, ...wanted: readonly Capability[]): InputFormat {
  const formats = formatsWith(...wanted);
  const format = formats.find((candidate) => candidate.id === id);
  if (format !== undefined) return format;
  throw new UsageError(`unknown format: ${id} (known: ${formats.map((known) => known.id).join(", ")})`);
}
