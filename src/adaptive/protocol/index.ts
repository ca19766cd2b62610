/** The protocol as drivers use it: a process per rank, a setup for all, effects to perform. */

export { type Entry, IndexColumns } from "./index-columns.ts";
export { fileId, targetOfFile } from "./ids.ts";
export { type InvariantName, InvariantChecker, InvariantViolation } from "./invariants.ts";
export { groupOfRank, groupOfTarget, type Layout } from "./layout.ts";
export type { Learned, Message, MessageKind, WriteStart } from "./message.ts";
export { POLICIES, POLICY_NAMES, policyNamed } from "./policies/index.ts";
export { type Policy, sizeOf, type Work } from "./policy.ts";
export { Process } from "./roles.ts";
export { SILENT_BEATS, type Setup, type SetupOptions, makeSetup } from "./setup.ts";
export type {
  Effects,
  FailureCode,
  FileId,
  Input,
  Outcome,
  Proposal,
  Rank,
  Seconds,
  TargetId,
  TimerName,
} from "./step.ts";
