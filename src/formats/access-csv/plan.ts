/** What the columns of a table of accesses mean, from its first line. */
import { FormatError } from "../../base/errors.ts";
import type { TimeUnit } from "../input-format.ts";

/** What a column is for; `SKIP` is everything else. */
export const SKIP = 0;
export const PID = 1;
export const BYTES = 2;
const BLOCKS = 3;
export const START = 4;
export const END = 5;
export const MOVED = 6;
export const OFFSET = 7;
export const RANK = 8;
export const FILE = 9;
export const OP = 10;
export const HOST = 11;
export const LAYER = 12;
/** Yes or no. */
export const FAILED = 13;
export const NESTED = 14;
export const COLLECTIVE = 15;

const NAMES: Readonly<Record<string, number>> = {
  pid: PID,
  process: PID,
  process_id: PID,
  bytes: BYTES,
  size: BYTES,
  length: BYTES,
  blocks: BLOCKS,
  start: START,
  start_time: START,
  end: END,
  end_time: END,
  moved: MOVED,
  moved_bytes: MOVED,
  bytes_moved: MOVED,
  offset: OFFSET,
  rank: RANK,
  file: FILE,
  path: FILE,
  op: OP,
  operation: OP,
  host: HOST,
  hostname: HOST,
  layer: LAYER,
  failed: FAILED,
  nested: NESTED,
  collective: COLLECTIVE,
};
const ROLE_LABELS = [
  "",
  "pid",
  "bytes",
  "blocks",
  "start",
  "end",
  "moved",
  "offset",
  "rank",
  "file",
  "op",
  "host",
  "layer",
  "failed",
  "nested",
  "collective",
];
const UNITS: Readonly<Record<string, TimeUnit>> = {
  s: "s",
  sec: "s",
  seconds: "s",
  ms: "ms",
  us: "us",
  ns: "ns",
};
/** Decimal digits from a unit down to a nanosecond. */
const UNIT_DIGITS: Readonly<Record<TimeUnit, number>> = { s: 9, ms: 6, us: 3, ns: 0 };
/** Without a header, columns come as in the paper's record, and perhaps the bytes moved. */
const HEADERLESS = [PID, BYTES, START, END, MOVED];

export interface Plan {
  readonly separator: number;
  readonly roles: Uint8Array;
  readonly startDigits: number;
  readonly endDigits: number;
  /** What a value of the bytes column counts: bytes, or blocks of this many bytes. */
  readonly bytesEach: number;
  /** Columns of a header that mean nothing here. */
  readonly ignored: readonly string[];
  readonly header: boolean;
}

interface PlanOptions {
  readonly time?: TimeUnit | undefined;
  readonly blockBytes?: number | undefined;
  /** For messages. */
  readonly source?: string;
  readonly lineNumber?: number;
}

/** The one of bytes, start and end that a header lacks. */
export function missingColumn(line: string): string | undefined {
  const separator = [",", ";", "\t"].find((candidate) => line.includes(candidate)) ?? " ";
  const roles = splitFields(line, separator).map((field) => columnOf(field).role);
  const missing = [BYTES, START, END].filter(
    (role) => !roles.includes(role) && !(role === BYTES && roles.includes(BLOCKS)),
  );
  return missing.length === 1 ? ROLE_LABELS[missing[0] as number] : undefined;
}

/** The plan of a first line that is not a comment; undefined when it is no table of accesses. */
export function planOf(line: string, options: PlanOptions = {}): Plan | undefined {
  const { time = "s", blockBytes = 512, source = "input", lineNumber = 1 } = options;
  const separator = [",", ";", "\t"].find((candidate) => line.includes(candidate)) ?? " ";
  const fields = splitFields(line, separator);
  const defaults = {
    separator: separator.charCodeAt(0),
    startDigits: UNIT_DIGITS[time],
    endDigits: UNIT_DIGITS[time],
  };
  if (fields.every(isNumber)) {
    if (fields.length !== 4 && fields.length !== 5) return undefined;
    return {
      ...defaults,
      roles: Uint8Array.from(HEADERLESS.slice(0, fields.length)),
      bytesEach: 1,
      ignored: [],
      header: false,
    };
  }
  const columns = fields.map(columnOf);
  const has = (role: number) => columns.some((column) => column.role === role);
  if (!has(START) || !has(END) || !(has(BYTES) || has(BLOCKS))) return undefined;
  for (const [index, { role }] of columns.entries()) {
    if (role !== SKIP && columns.findIndex((column) => column.role === role) !== index)
      throw new FormatError(
        source,
        { line: lineNumber },
        `two columns for "${ROLE_LABELS[role]}": ${line.trim()}`,
      );
  }
  // Bytes say more than blocks.
  const roles = columns.map(({ role }) => (role !== BLOCKS ? role : has(BYTES) ? SKIP : BYTES));
  const digits = (role: number) => UNIT_DIGITS[columns.find((column) => column.role === role)?.unit ?? time];
  return {
    ...defaults,
    roles: Uint8Array.from(roles),
    bytesEach: has(BYTES) ? 1 : blockBytes,
    startDigits: digits(START),
    endDigits: digits(END),
    ignored: fields.filter((_, index) => roles[index] === SKIP),
    header: true,
  };
}

/** The meaning of a column in words, for messages. */
export function roleLabel(role: number): string {
  return ROLE_LABELS[role] as string;
}

function columnOf(name: string): { role: number; unit?: TimeUnit } {
  const key = name.toLowerCase().replace(/[\s.-]+/g, "_");
  const plain = NAMES[key];
  if (plain !== undefined) return { role: plain };
  // `start_ns`, `end_seconds`
  const match = /^(start|end)_(?:time_)?([a-z]+)$/.exec(key);
  const unit = match === null ? undefined : UNITS[match[2] as string];
  return unit === undefined ? { role: SKIP } : { role: match?.[1] === "start" ? START : END, unit };
}

function splitFields(line: string, separator: string): string[] {
  const text = line.trim();
  const parts = separator === " " ? text.split(/\s+/) : text.split(separator);
  const fields = parts.map((field) => field.trim().replace(/^"(.*)"$/, "$1"));
  if (fields.length > 1 && fields.at(-1) === "") fields.pop();
  return fields;
}

function isNumber(field: string): boolean {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(field) || /^[+-]?(nan|inf|infinity)$/i.test(field);
}
