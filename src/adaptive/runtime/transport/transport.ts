/** Where the processes of a run live, and how they reach each other. Messages between two keep their order. */
import type { HostReport, HostSetting } from "../host/setting.ts";

export interface Transport {
  readonly name: string;
  /** Starts the processes and waits until all that live have ended. */
  run(setting: HostSetting, watch: RunWatch): Promise<RunEnd>;
}

/** What whoever started a run gets to know meanwhile. */
export interface RunWatch {
  progress(target: number, bytes: number): void;
  trouble(target: number, text: string): void;
  /** A process began, or ended without being done. */
  began?(host: number, pid: number): void;
  died?(host: number, how: string): void;
  /** Stops everything. */
  readonly signal?: AbortSignal | undefined;
}

export interface RunEnd {
  /** Of processes that ended well; undefined for the others. */
  readonly reports: readonly (HostReport | undefined)[];
  /** Why it could not go on, when somebody said so. */
  readonly fatal: string | undefined;
  /** Seconds, on the clock of the run, at which all processes were there. */
  readonly readyAt: number;
}
