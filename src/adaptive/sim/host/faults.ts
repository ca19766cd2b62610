/** Faults of a simulated run as data: a plan can be printed, reduced, and rerun. */

export type Fault =
  /** The process dies silently. */
  | { readonly kind: "kill"; readonly rank: number; readonly at: number }
  /** The same, before it takes its n-th input (from 1). */
  | { readonly kind: "kill-at-input"; readonly rank: number; readonly input: number }
  /** The process does nothing for a while; messages wait. */
  | { readonly kind: "pause"; readonly rank: number; readonly at: number; readonly seconds: number }
  /** Speed of the target relative to normal; 0 hangs it. */
  | { readonly kind: "slow"; readonly target: number; readonly at: number; readonly factor: number }
  /** Room on the target; more than that is ENOSPC. */
  | { readonly kind: "full"; readonly target: number; readonly bytes: number }
  /** Writes fail with EIO from then on. */
  | { readonly kind: "eio"; readonly target: number; readonly at: number }
  | { readonly kind: "open-fails"; readonly target: number }
  | { readonly kind: "open-hangs"; readonly target: number }
  /** Written data is lost: the sync fails with EIO, or hangs. */
  | { readonly kind: "sync-fails"; readonly target: number }
  | { readonly kind: "sync-hangs"; readonly target: number };

export interface NetworkFaults {
  /** Share of late messages, and their max delay. */
  readonly lateShare: number;
  readonly lateSeconds: number;
  /** Share of duplicated messages. */
  readonly repeatedShare: number;
}

export interface FaultPlan {
  readonly faults: readonly Fault[];
  readonly network?: NetworkFaults | undefined;
  /** Seconds after which the transport reports a death to all; absent: never. */
  readonly noticeSeconds?: number | undefined;
}

/** A fault in a few words. */
export function faultText(fault: Fault): string {
  switch (fault.kind) {
    case "kill":
      return `kill rank ${fault.rank} at ${fault.at} s`;
    case "kill-at-input":
      return `kill rank ${fault.rank} before its input ${fault.input}`;
    case "pause":
      return `pause rank ${fault.rank} at ${fault.at} s for ${fault.seconds} s`;
    case "slow":
      return fault.factor === 0
        ? `target ${fault.target} hangs from ${fault.at} s`
        : `target ${fault.target} has ${fault.factor} of its speed from ${fault.at} s`;
    case "full":
      return `target ${fault.target} has room for ${fault.bytes} bytes`;
    case "eio":
      return `target ${fault.target} fails with EIO from ${fault.at} s`;
    default:
      return `target ${fault.target}: ${fault.kind.replace("-", " ")}`;
  }
}
