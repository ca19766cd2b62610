/** The protocol on virtual time: what experiments, commands and pages use of it. */

export { type Fault, faultText, type NetworkFaults } from "./faults.ts";
export { type AdaptiveResult, runAdaptive } from "./run.ts";
