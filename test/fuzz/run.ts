// Feeds mutants to a reader and holds what it returns against the oracle.

import { firstDifference } from "../oracle/compare.ts";
import { OracleError, type OracleLimits, type OracleLog, oracleRead } from "../oracle/darshan-oracle.ts";
import { type MutateOptions, mutate, type SeedLog } from "./mutate.ts";

export interface FuzzLimits {
  /** Plain bytes of one log, for the oracle; should be what the reader is held to. 64 MiB. */
  plainBytesMax?: number;
  /** Longest time for one log. 1000 ms. */
  millisecondsMax?: number;
  /** Most the process may grow beyond its size at the start. 1 GiB. */
  rssGrowthMax?: number;
}

export interface FuzzProblem {
  index: number;
  description: string;
  problem: string;
  /** A command that makes the same mutant again. */
  replay: string;
}

export interface FuzzOptions {
  seedLogs: readonly SeedLog[];
  seed: number;
  count: number;
  /** First mutant's number; 0 unless told. */
  from?: number;
  readUnderTest: (bytes: Uint8Array) => OracleLog | Promise<OracleLog>;
  /** Whether the reader may throw this; anything else it throws is a problem. */
  isExpectedError: (error: unknown) => boolean;
  /** Whether the reader gave up because of a limit, not because of damage. */
  isLimitError: (error: unknown) => boolean;
  onProblem?: (problem: FuzzProblem, bytes: Uint8Array) => void;
  limits?: FuzzLimits;
  mutateOptions?: MutateOptions;
  /** Expands bzip2 for the oracle; the bzip2 command unless told. */
  bunzip2?: NonNullable<OracleLimits["bunzip2"]>;
  /** Makes the text of the replay command. */
  replayCommand?: (seed: number, index: number) => string;
}

export interface FuzzResult {
  count: number;
  read: number;
  rejected: number;
  limited: number;
  /** Mutants the oracle reads and the reader rejects without naming a limit; each is a problem too. */
  stricter: number;
  bombs: number;
  slowestMs: number;
  slowestIndex: number;
  /** Times spent making mutants, in the reader, and in the oracle with the comparison. */
  mutateMs: number;
  readerMs: number;
  oracleMs: number;
  rssGrowthMax: number;
  problems: FuzzProblem[];
}

const RSS_EVERY = 100;

type Outcome<T> = { ok: true; value: T } | { ok: false; error: unknown };

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export async function runFuzz(options: FuzzOptions): Promise<FuzzResult> {
  const plainBytesMax = options.limits?.plainBytesMax ?? 64 * 1048576;
  const millisecondsMax = options.limits?.millisecondsMax ?? 1000;
  const rssGrowthMax = options.limits?.rssGrowthMax ?? 1024 * 1048576;
  const replay =
    options.replayCommand ??
    ((seed, index) => `node scripts/fuzz.mjs --seed ${seed} --from ${index} --count 1`);
  const oracleLimits: OracleLimits = { plainBytesMax };
  if (options.bunzip2) oracleLimits.bunzip2 = options.bunzip2;
  const from = options.from ?? 0;
  const rssAtStart = process.memoryUsage().rss;
  let rssReported = false;
  const result: FuzzResult = {
    count: 0,
    read: 0,
    rejected: 0,
    limited: 0,
    stricter: 0,
    bombs: 0,
    slowestMs: 0,
    slowestIndex: -1,
    mutateMs: 0,
    readerMs: 0,
    oracleMs: 0,
    rssGrowthMax: 0,
    problems: [],
  };

  for (let index = from; index < from + options.count; index++) {
    const started = performance.now();
    const mutant = mutate(options.seedLogs, options.seed, index, options.mutateOptions);
    const report = (problem: string): void => {
      const entry = { index, description: mutant.description, problem, replay: replay(options.seed, index) };
      result.problems.push(entry);
      options.onProblem?.(entry, mutant.bytes);
    };
    result.count++;
    if (mutant.bomb) result.bombs++;
    // The reader gets its own copy, so that it cannot disturb what the oracle sees.
    const copy = Uint8Array.from(mutant.bytes);
    const made = performance.now();
    result.mutateMs += made - started;

    let actual: Outcome<OracleLog>;
    try {
      actual = { ok: true, value: await options.readUnderTest(copy) };
    } catch (error) {
      actual = { ok: false, error };
    }
    const done = performance.now();
    const took = done - made;
    result.readerMs += took;
    if (took > result.slowestMs) {
      result.slowestMs = took;
      result.slowestIndex = index;
    }
    if (took > millisecondsMax) report(`took ${Math.round(took)} ms`);

    let expected: Outcome<OracleLog>;
    try {
      expected = { ok: true, value: oracleRead(mutant.bytes, oracleLimits) };
    } catch (error) {
      // Anything else is a fault of the oracle and must not pass unseen.
      if (!(error instanceof OracleError)) throw error;
      expected = { ok: false, error };
    }

    if (actual.ok) {
      result.read++;
      if (expected.ok) {
        const difference = firstDifference(actual.value, expected.value);
        if (difference) report(`differs: ${difference}`);
      } else {
        report(`read, but the oracle says: ${messageOf(expected.error)}`);
      }
    } else {
      const limit = options.isLimitError(actual.error);
      if (limit) result.limited++;
      else result.rejected++;
      const message = messageOf(actual.error);
      if (!limit && !options.isExpectedError(actual.error)) {
        const name = actual.error instanceof Error ? actual.error.name : typeof actual.error;
        report(`unexpected error ${name}: ${message}`);
      } else if (message.trim() === "" || /[\r\n]/.test(message)) {
        report(`message is not one line: ${JSON.stringify(message)}`);
      } else if (expected.ok && !limit) {
        result.stricter++;
        report(`rejected, but the oracle reads it: ${message}`);
      }
    }
    result.oracleMs += performance.now() - done;

    if ((index - from) % RSS_EVERY === RSS_EVERY - 1 || index === from + options.count - 1) {
      const growth = process.memoryUsage().rss - rssAtStart;
      result.rssGrowthMax = Math.max(result.rssGrowthMax, growth);
      if (growth > rssGrowthMax && !rssReported) {
        rssReported = true;
        report(`the process has grown by ${Math.round(growth / 1048576)} MiB`);
      }
    }
  }
  return result;
}
