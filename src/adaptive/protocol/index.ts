/** The protocol as drivers use it: a process per rank, a setup for all, effects to perform. */

export { IndexColumns } from "./index-columns.ts";
export { targetOfFile } from "./ids.ts";
export { InvariantChecker, InvariantViolation } from "./invariants.ts";
export { groupOfTarget } from "./layout.ts";
export type { Learned, Message, MessageKind, WriteStart } from "./message.ts";
export { POLICY_NAMES, policyNamed } from "./policies/index.ts";
export { type Policy, sizeOf } from "./policy.ts";
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
  TargetId,
  TimerName,
} from "./step.ts";
