/** The table of formats of single accesses, and how one is found for an input: by content, names are only a hint. */
import { FormatError, UsageError } from "../base/errors.ts";
import type { ByteSource } from "../base/source.ts";
import { accessCsv } from "./access-csv/format.ts";
import type { AccessFormat } from "./access-format.ts";
import { darshanAccesses } from "./darshan/index.ts";
import { fioLog } from "./fio/format.ts";
import { strace } from "./strace/format.ts";
import { paper } from "./trace/paper.ts";
import { trace } from "./trace/reader.ts";

/** In the order in which they are asked: what has a signature first, the loosest last. */
export const ACCESS_FORMATS: readonly AccessFormat[] = [
  trace,
  darshanAccesses,
  paper,
  strace,
  fioLog,
  accessCsv,
];

/** How many bytes `recognizes` may look at. */
export const ACCESS_HEAD_BYTES = 4096;

/** The format of an input, by its first bytes; undefined when none knows it. */
export function findAccessFormat(head: Uint8Array, name: string): AccessFormat | undefined {
  return ACCESS_FORMATS.find((format) => format.recognizes(head, name));
}

/** The same, where an unknown input is an error that says what is known. */
export function detectAccessFormat(source: ByteSource): AccessFormat {
  const head = source.read(0, ACCESS_HEAD_BYTES);
  const format = findAccessFormat(head, source.name);
  if (format !== undefined) return format;
  const known = ACCESS_FORMATS.map(({ label }) => label).join("; ");
  const what = head.length === 0 ? "the input is empty" : "unknown trace format";
  throw new FormatError(source.name, {}, `${what} (have: ${known})`);
}

/** The format with this id, for whoever says it rather than have it found. */
export function accessFormat(id: string): AccessFormat {
  const format = ACCESS_FORMATS.find((candidate) => candidate.id === id);
  if (format !== undefined) return format;
  throw new UsageError(
    `unknown format of accesses: ${id} (have: ${ACCESS_FORMATS.map((known) => known.id).join(", ")})`,
  );
}
