/** Setting of a host. */
import type { Process, Rank, Setup } from "../../protocol/index.ts";
import type { EventQueue } from "../events.ts";
import type { StorageModel } from "../storage/index.ts";
import type { FaultPlan } from "./faults.ts";

/** The storage of a run, such as `World` of the storage model. */
export interface HostWorld {
  readonly queue: EventQueue;
  readonly storage: StorageModel;
  handle(): void;
}

export interface HostSetting {
  readonly setup: Setup;
  readonly world: HostWorld;
  readonly seed: number;
  readonly latencySeconds: number;
  readonly serviceSeconds: number;
  /** Start time of each rank; default: 0. */
  readonly ready?: Float64Array | undefined;
  /** Time of the metadata server per open, one after the other; the client needs the same again. */
  readonly openSeconds: number;
  readonly syncSeconds: number;
  readonly commitSeconds: number;
  readonly plan?: FaultPlan | undefined;
  readonly check: boolean;
  readonly hash: boolean;
  readonly log?: ((line: string) => void) | undefined;
  /** A longer run counts as endless. */
  readonly secondsMax: number;
  /** For tests: processes that break the rules. */
  readonly makeProcess?: (setup: Setup, rank: Rank) => Process;
}
