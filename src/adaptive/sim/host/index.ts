/** The protocol on virtual time: its interface for experiments, commands and pages. */

export { type Fault, faultText, type NetworkFaults } from "./faults.ts";
export { type AdaptiveResult, runAdaptive } from "./run.ts";
