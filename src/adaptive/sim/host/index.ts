/** The protocol on virtual time: what experiments, commands and pages use of it. */

export { type Fault, type FaultPlan, faultText, type NetworkFaults } from "./faults.ts";
export type { HostWorld } from "./setting.ts";
export { Ops } from "./ops.ts";
export { type AdaptiveOptions, type AdaptiveResult, runAdaptive, type TargetUse } from "./run.ts";
