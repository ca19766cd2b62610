/** Opening a log for a command: limits as options, damage as the contract wants it. */
import { FormatError } from "../../base/errors.ts";
import { TextWriter } from "../../base/text-writer.ts";
import { DEFAULT_LIMITS, DarshanLog, type ModuleEntry } from "../../formats/darshan/index.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { openFile } from "../../node/file-source.ts";
import { gunzipped } from "../../node/gzip-source.ts";
import type { OptionSpecs, OptionValues } from "../command.ts";
import type { Context } from "../context.ts";

export const READ_OPTIONS = {
  "keep-going": {
    kind: "boolean",
    help: "use the readable part of a damaged log (exit code 3)",
  },
  "max-plain-bytes": {
    kind: "bytes",
    help: "stop at this many decompressed bytes (default 64 GiB)",
  },
  "max-records": {
    kind: "number",
    integer: true,
    help: "stop at this many records or segments per module (default 2^31)",
  },
  "max-record-bytes": {
    kind: "bytes",
    help: "max record size, except DXT (default 64 MiB)",
  },
  "max-name-bytes": { kind: "bytes", help: "max name length (default 1 MiB)" },
  "max-name-table-bytes": { kind: "bytes", help: "max name table size (default 1 GiB)" },
} as const satisfies OptionSpecs;

export type ReadOptions = OptionValues<typeof READ_OPTIONS>;

/** As when none of them is given. */
export const READ_DEFAULTS: ReadOptions = {
  keepGoing: false,
  maxPlainBytes: undefined,
  maxRecords: undefined,
  maxRecordBytes: undefined,
  maxNameBytes: undefined,
  maxNameTableBytes: undefined,
};

/** Opens `path`, a log or a gzip file of one, hands the log to `use`, and closes it. */
export async function withLog<T>(
  path: string,
  options: ReadOptions,
  use: (log: DarshanLog) => T | Promise<T>,
): Promise<T> {
  const source = gunzipped(openFile(path), { allowCut: options.keepGoing });
  try {
    const log = new DarshanLog(source, {
      codecs: nodeCodecs,
      keepGoing: options.keepGoing,
      limits: {
        plainBytesMax: options.maxPlainBytes ?? DEFAULT_LIMITS.plainBytesMax,
        recordsMax: options.maxRecords ?? DEFAULT_LIMITS.recordsMax,
        recordBytesMax: options.maxRecordBytes ?? DEFAULT_LIMITS.recordBytesMax,
        nameBytesMax: options.maxNameBytes ?? DEFAULT_LIMITS.nameBytesMax,
        nameTableBytesMax: options.maxNameTableBytes ?? DEFAULT_LIMITS.nameTableBytesMax,
      },
    });
    return await use(log);
  } finally {
    source.close();
  }
}

/**
 * Prints a log. All of the wanted modules are read once before, so that damage is found before a line is
 * printed: no output that looks whole and is not. With --keep-going the output itself marks where data ends.
 */
export function printLog(
  log: DarshanLog,
  options: ReadOptions,
  context: Context,
  wanted: (entry: ModuleEntry) => boolean,
  print: (out: TextWriter, onDamage: (entry: ModuleEntry, error: unknown) => void) => void,
): void {
  // Asking for the names reads them.
  void log.names;
  if (!options.keepGoing) readThrough(log, wanted);
  const out = new TextWriter((bytes) => context.out.write(bytes));
  print(out, damageKeeper(log, options));
  out.flush();
  skipDamage(log, context);
  sayWarnings(log, context);
}

/** What to do about damage in a module: throw it, or with --keep-going keep it for `skipDamage`. */
export function damageKeeper(
  log: DarshanLog,
  options: ReadOptions,
): (entry: ModuleEntry, error: unknown) => void {
  return (_, error) => {
    if (!options.keepGoing || !(error instanceof FormatError)) throw error;
    // A region that is read twice meets its damage twice.
    if (!log.damage.some(({ message }) => message === error.message)) log.damage.push(error);
  };
}

/** Names the damage that --keep-going went past; the exit code becomes 3. */
export function skipDamage(log: DarshanLog, context: Context): void {
  for (const { source, message } of log.damage) {
    context.skip(source, `${message.slice(source.length + 2)} (what comes before it is kept)`);
  }
}

export function readThrough(log: DarshanLog, wanted: (entry: ModuleEntry) => boolean): void {
  for (const entry of log.modules) {
    if (!wanted(entry)) continue;
    for (const _ of log.records(entry));
    for (const _ of log.segments(entry));
  }
}

/** Says what a person should know about the log, on stderr. */
export function sayWarnings(log: DarshanLog, context: Context): void {
  for (const warning of log.warnings) context.note(`${log.source.name}: ${warning}`);
  for (const entry of log.modules) {
    if (entry.partial) {
      context.note(
        `${log.source.name}: the ${entry.name} data is incomplete: Darshan ran out of memory for this module`,
      );
    }
    if (entry.spec === undefined && entry.region.length > 0) {
      context.note(`${log.source.name}: slot ${entry.slot} holds an unknown module`);
    }
  }
}
