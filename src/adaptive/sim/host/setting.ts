/** What a host needs to run processes. */
import type { Process, Rank, Setup } from "../../protocol/index.ts";
import type { EventQueue } from "../events.ts";
import type { StorageModel } from "../storage/index.ts";
import type { FaultPlan } from "./faults.ts";

/** The storage that a run uses; `World` of the storage model is one. */
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
  /** When each rank is there; at once where absent. */
  readonly ready?: Float64Array | undefined;
  /** The metadata server takes so long for an open, one after the other, and the client as long again. */
  readonly openSeconds: number;
  readonly syncSeconds: number;
  readonly commitSeconds: number;
  readonly plan?: FaultPlan | undefined;
  readonly check: boolean;
  readonly hash: boolean;
  readonly log?: ((line: string) => void) | undefined;
  /** A run that takes longer never ends. */
  readonly secondsMax: number;
  /** For tests: processes that break the rules. */
  readonly makeProcess?: (setup: Setup, rank: Rank) => Process;
}
