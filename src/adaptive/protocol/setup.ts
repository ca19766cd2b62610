/** The initial knowledge of every process of a run. */
import { assert } from "../../base/assert.ts";
import { UsageError } from "../../base/errors.ts";
import type { Layout } from "./layout.ts";
import { type Policy, type Work, sizeOf } from "./policy.ts";
import type { Seconds, TargetId } from "./step.ts";

export interface SetupOptions {
  /** Any process can read any block (a drain of files); else only the rank itself has its data. */
  readonly sharedSources?: boolean;
  /** Writers keep their data until everything is durable, so that it can be written again. */
  readonly retainData?: boolean;
  /** 0: only the transport detects deaths; no timer runs. */
  readonly heartbeatSeconds?: Seconds;
  /** Time limit of a write, plus its bytes / `leaseBytesPerSecond`; 0: no limit. */
  readonly leaseSeconds?: Seconds;
  readonly leaseBytesPerSecond?: number;
  /** Group g opens its files g times this after the start. */
  readonly openStaggerSeconds?: Seconds;
  /** Attempts per range before the run gives up. */
  readonly triesMax?: number;
  /** Extra room of every write in its file, for headers. */
  readonly overheadBytes?: number;
}

export interface Setup extends Work, Required<SetupOptions> {
  readonly policy: Policy;
  readonly layout: Layout;
  /** Targets that the policy does not use. */
  readonly skipped: readonly TargetId[];
}

/** Silence that counts as death, in heartbeats. */
export const SILENT_BEATS = 4;
/** Max doublings: longer than any run. */
const PATIENCE_MAX = 20;
/** A run without progress for this many silences is given up. */
const STALLED_SILENCES = 50;

/**
 * Silence that counts as death, in seconds. It doubles with every change of coordinator: if messages take longer than expected,
 * living processes would otherwise depose each other forever.
 */
export function silenceSeconds(
  heartbeatSeconds: Seconds,
  coordinatorEpoch: number,
  writers: number,
): Seconds {
  const changes = Math.floor(coordinatorEpoch / writers);
  return heartbeatSeconds * SILENT_BEATS * 2 ** Math.min(changes, PATIENCE_MAX);
}

export function makeSetup(policy: Policy, work: Work, options: SetupOptions = {}): Setup {
  checkWork(work);
  const skipped = policy.skipped?.(work) ?? [];
  assert(
    skipped.every((target) => target >= 0 && target < work.targets),
    "a policy skips existing targets",
  );
  return {
    writers: work.writers,
    targets: work.targets,
    sizes: work.sizes,
    priorRates: work.priorRates,
    priorSlots: work.priorSlots,
    policy,
    layout: policy.layout(work),
    skipped,
    sharedSources: options.sharedSources ?? false,
    retainData: options.retainData ?? true,
    heartbeatSeconds: options.heartbeatSeconds ?? 0,
    leaseSeconds: options.leaseSeconds ?? 0,
    leaseBytesPerSecond: options.leaseBytesPerSecond ?? 2 ** 20,
    openStaggerSeconds: options.openStaggerSeconds ?? 0,
    triesMax: options.triesMax ?? 5,
    overheadBytes: options.overheadBytes ?? 0,
  };
}

/** Max time without progress: well beyond the longest lease. */
export function stallSeconds(setup: Setup): Seconds {
  const { heartbeatSeconds, leaseSeconds, leaseBytesPerSecond, writers } = setup;
  if (leaseSeconds === 0) return Number.POSITIVE_INFINITY;
  let largest = 0;
  const different = typeof setup.sizes === "number" ? 1 : writers;
  for (let rank = 0; rank < different; rank++) largest = Math.max(largest, sizeOf(setup, rank));
  const lease = leaseSeconds + largest / leaseBytesPerSecond;
  return Math.max(STALLED_SILENCES * SILENT_BEATS * heartbeatSeconds, 4 * lease);
}

function checkWork(work: Work): void {
  const { writers, targets, sizes } = work;
  if (!Number.isInteger(writers) || writers < 1 || writers > 2 ** 31 - 1)
    throw new UsageError(`${writers} writers: expected a whole number from 1 to 2147483647`);
  if (!Number.isInteger(targets) || targets < 1)
    throw new UsageError(`${targets} targets: expected a whole number from 1`);
  if (typeof sizes !== "number" && sizes.length !== writers)
    throw new UsageError(`${sizes.length} sizes for ${writers} writers: expected one per writer`);
  let total = 0;
  const different = typeof sizes === "number" ? 1 : writers;
  for (let rank = 0; rank < different; rank++) {
    const size = sizeOf(work, rank);
    if (!Number.isSafeInteger(size) || size < 0)
      throw new UsageError(`rank ${rank} has ${size} bytes: expected a whole number from 0 to 2^53`);
    total += size;
  }
  if (total === 0) throw new UsageError("all writers together have 0 bytes: nothing to write");
  for (const [name, values] of [
    ["prior rates", work.priorRates],
    ["prior slots", work.priorSlots],
  ] as const)
    if (values !== undefined && values.length !== targets)
      throw new UsageError(`${values.length} ${name} for ${targets} targets: expected one per target`);
}
