/** Opening a Darshan log, and what to do about damage in it. */
import { FormatError } from "../../base/errors.ts";
import { type ByteSource, HEAD_BYTES } from "../../base/source.ts";
import { hasLogSignature, type ModuleEntry } from "../../formats/darshan/header.ts";
import type { Limits } from "../../formats/darshan/limits.ts";
import { DarshanLog } from "../../formats/darshan/log.ts";
import type { Listener } from "../../base/listener.ts";
import type { LogHost, OpenSource } from "./host.ts";

export type { LogHost, OpenOptions, OpenSource } from "./host.ts";

export interface LogOptions {
  /** Of a damaged log use what comes before the damage. */
  readonly keepGoing?: boolean;
  readonly limits?: Partial<Limits>;
}

/** Opens `path`, an input with counters or a gzip file of one, hands the log to `use`, and closes it. */
export async function withLog<T>(
  path: string,
  { keepGoing = false, limits = {} }: LogOptions,
  host: LogHost,
  use: (log: DarshanLog) => T | Promise<T>,
): Promise<T> {
  const source = host.open(path, { allowCut: keepGoing });
  try {
    return await use(new DarshanLog(await plainLog(source), { codecs: host.codecs, keepGoing, limits }));
  } finally {
    source.close();
  }
}

/** The log that holds the counters of an input; an input without counters is an error that says who takes it. */
async function plainLog(source: OpenSource): Promise<ByteSource> {
  const head = source.read(0, HEAD_BYTES);
  // Who reads nothing but logs need not load the catalogue.
  if (hasLogSignature(head)) return source;
  const { findFormat, otherUse } = await import("../../formats/catalogue.ts");
  const format = findFormat(head, source.name, "counters");
  if (format?.counters !== undefined) return format.counters(source);
  const use = otherUse(head, source.name);
  if (use !== undefined) throw new FormatError(source.name, {}, use);
  return source;
}

/** What to do about damage in a module: throw it, or with `keepGoing` keep it for `skipDamage`. */
export function damageKeeper(
  log: DarshanLog,
  { keepGoing = false }: LogOptions,
): (entry: ModuleEntry, error: unknown) => void {
  return (_, error) => {
    if (!keepGoing || !(error instanceof FormatError)) throw error;
    // A region that is read twice meets its damage twice.
    if (!log.damage.some(({ message }) => message === error.message)) log.damage.push(error);
  };
}

/** Names the damage that `keepGoing` went past. */
export function skipDamage(log: DarshanLog, listener: Listener): void {
  for (const { source, message } of log.damage) {
    listener.skip?.(source, `${message.slice(source.length + 2)} (the part before it is used)`);
  }
}

/** Reads all of the wanted modules, so that damage is found before anything is made of them. */
export function readThrough(log: DarshanLog, wanted: (entry: ModuleEntry) => boolean): void {
  for (const entry of log.modules) {
    if (!wanted(entry)) continue;
    for (const _ of log.records(entry));
    for (const _ of log.segments(entry));
  }
}
