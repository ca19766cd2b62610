/** Starts the processes of a run and connects them. Messages between two keep their order. */
import type { HostReport, HostSetting } from "../host/setting.ts";

export interface Transport {
  readonly name: string;
  /** Starts the processes and waits until all have ended or died. */
  run(setting: HostSetting, watch: RunWatch): Promise<RunEnd>;
}

/** Callbacks during a run. */
export interface RunWatch {
  progress(target: number, bytes: number): void;
  trouble(target: number, text: string): void;
  /** A process started, or died. */
  began?(host: number, pid: number): void;
  died?(host: number, how: string): void;
  /** Stops everything. */
  readonly signal?: AbortSignal | undefined;
}

export interface RunEnd {
  /** Reports of processes that finished; undefined for the others. */
  readonly reports: readonly (HostReport | undefined)[];
  /** Reason of a fatal error, if any. */
  readonly fatal: string | undefined;
  /** Time when all processes were ready, in seconds of the run's clock. */
  readonly readyAt: number;
}
