/** Setting of a server at its start, and its answer. */
import type { Limits } from "../limits.ts";
import type { Joins, Syncs } from "../modes.ts";

export type ListenAt =
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number };

export interface ServerSetting {
  readonly server: number;
  readonly servers: number;
  readonly stripBytes: number;
  /** Holds the local files. */
  readonly folder: string;
  readonly listen: ListenAt;
  readonly token: string;
  readonly limits: Limits;
  readonly joins: Joins;
  readonly syncs: Syncs;
  /** Simulated seek time per jump, in milliseconds; 0: no simulation. */
  readonly simulateSeekMs: number;
}

/** To a server process, once. */
export interface StartMessage {
  readonly setting: ServerSetting;
  /** Keeps running when its parent is gone. */
  readonly detached: boolean;
}

/** From a server process, once. */
export type StartAnswer =
  | { readonly kind: "ready"; readonly listen: ListenAt; readonly instance: string; readonly pid: number }
  | { readonly kind: "failed"; readonly text: string };
