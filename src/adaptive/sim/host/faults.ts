/** What goes wrong in a simulated run, as data: a plan can be printed, cut down, and run again. */

export type Fault =
  /** The process ends without a word. */
  | { readonly kind: "kill"; readonly rank: number; readonly at: number }
  /** The same, before it takes its n-th input (from 1). */
  | { readonly kind: "kill-at-input"; readonly rank: number; readonly input: number }
  /** The process does nothing for a while; messages wait. */
  | { readonly kind: "pause"; readonly rank: number; readonly at: number; readonly seconds: number }
  /** The target's speed against its usual one; 0 hangs it. */
  | { readonly kind: "slow"; readonly target: number; readonly at: number; readonly factor: number }
  /** Room on the target; more than that is ENOSPC. */
  | { readonly kind: "full"; readonly target: number; readonly bytes: number }
  /** Writes fail with EIO from then on. */
  | { readonly kind: "eio"; readonly target: number; readonly at: number }
  | { readonly kind: "open-fails"; readonly target: number }
  | { readonly kind: "open-hangs"; readonly target: number }
  /** What was written is lost: the sync says EIO, or says nothing. */
  | { readonly kind: "sync-fails"; readonly target: number }
  | { readonly kind: "sync-hangs"; readonly target: number };

export interface NetworkFaults {
  /** Share of messages that are late, and by how much at most. */
  readonly lateShare: number;
  readonly lateSeconds: number;
  /** Share of messages that come a second time. */
  readonly repeatedShare: number;
}

export interface FaultPlan {
  readonly faults: readonly Fault[];
  readonly network?: NetworkFaults | undefined;
  /** Seconds after which the transport tells all that a process is gone; absent: it never does. */
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
      return `target ${fault.target} says EIO from ${fault.at} s`;
    default:
      return `target ${fault.target}: ${fault.kind.replace("-", " ")}`;
  }
}
