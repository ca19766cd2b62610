/** Opening a log for a command: limits as options, damage as the contract wants it. */
import { TextWriter } from "../../base/text-writer.ts";
import type { ModuleEntry } from "../../formats/darshan/header.ts";
import { DEFAULT_LIMITS } from "../../formats/darshan/limits.ts";
import type { DarshanLog } from "../../formats/darshan/log.ts";
import { damageKeeper, type LogOptions, readThrough, skipDamage } from "../../inputs/log/index.ts";
import type { OptionSpecs, OptionValues } from "../command.ts";
import type { Context } from "../context.ts";
import { option } from "../option.ts";

export const READ_OPTIONS = {
  "keep-going": option.flag("use the readable part of a damaged log (exit code 3)"),
  "max-plain-bytes": option.bytes("stop at this many decompressed bytes (default: 64 GiB)"),
  "max-records": option.whole("stop at this many records or segments per module (default: 2^31)"),
  "max-record-bytes": option.bytes("max record size, except DXT (default: 64 MiB)"),
  "max-name-bytes": option.bytes("max name length (default: 1 MiB)"),
  "max-name-table-bytes": option.bytes("max name table size (default: 1 GiB)"),
} as const satisfies OptionSpecs;

type ReadOptions = OptionValues<typeof READ_OPTIONS>;

/** The options as what opening a log takes. */
export const logOptions = (values: ReadOptions): Required<LogOptions> => ({
  keepGoing: values.keepGoing,
  limits: {
    plainBytesMax: values.maxPlainBytes ?? DEFAULT_LIMITS.plainBytesMax,
    recordsMax: values.maxRecords ?? DEFAULT_LIMITS.recordsMax,
    recordBytesMax: values.maxRecordBytes ?? DEFAULT_LIMITS.recordBytesMax,
    nameBytesMax: values.maxNameBytes ?? DEFAULT_LIMITS.nameBytesMax,
    nameTableBytesMax: values.maxNameTableBytes ?? DEFAULT_LIMITS.nameTableBytesMax,
  },
});

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

/** Says what a person should know about the log, on stderr. */
function sayWarnings(log: DarshanLog, context: Context): void {
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
