/** Messages between the parent process and the ranks; ranks talk to each other over sockets. */

export type ToRank =
  | {
      readonly kind: "start";
      readonly rank: number;
      readonly size: number;
      /** Holds the sockets; only this user can enter it. */
      readonly folder: string;
      readonly data: unknown;
    }
  | { readonly kind: "connect" };

export type FromRank =
  | { readonly kind: "listening" }
  | { readonly kind: "ready" }
  | { readonly kind: "tell"; readonly message: unknown }
  /** `source`: the failure is not ours but of the named source, such as a server that is gone. */
  | { readonly kind: "abort"; readonly reason: string; readonly source?: string }
  | { readonly kind: "done" };

export const socketPath = (folder: string, rank: number): string => `${folder}/${rank}`;
