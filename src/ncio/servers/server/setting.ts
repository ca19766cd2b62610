/** What a server is told when it starts, and what it says back. */
import type { Limits } from "../limits.ts";

/**
 * How a server puts the pieces of one list or datatype request onto its disk. `none`: a call for each piece, as the servers of
 * the NCIO paper did. `touching`: pieces that touch in the local file are one call. `sieve`: also reads and writes across
 * small holes, which only the server may do, since nobody else writes its files meanwhile.
 */
export type Joins = "none" | "touching" | "sieve";
export const JOINS: readonly Joins[] = ["none", "touching", "sieve"];

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
  /** Each jump on the disk takes so long, in a model; 0: nothing is simulated. */
  readonly simulateSeekMs: number;
}

/** To a server process, once. */
export interface StartMessage {
  readonly setting: ServerSetting;
  /** Goes on when the process that started it is gone. */
  readonly detached: boolean;
}

/** From a server process, once. */
export type StartAnswer =
  | { readonly kind: "ready"; readonly listen: ListenAt; readonly instance: string; readonly pid: number }
  | { readonly kind: "failed"; readonly text: string };
