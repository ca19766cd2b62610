/** What the process that started the ranks and the ranks say to each other; ranks talk among themselves by sockets. */

export type ToRank =
  | {
      readonly kind: "start";
      readonly rank: number;
      readonly size: number;
      /** Holds the sockets; nobody else can look into it. */
      readonly folder: string;
      readonly data: unknown;
    }
  | { readonly kind: "connect" };

export type FromRank =
  | { readonly kind: "listening" }
  | { readonly kind: "ready" }
  | { readonly kind: "tell"; readonly message: unknown }
  /** `source`: no fault of ours but of what it names, such as a server that is gone. */
  | { readonly kind: "abort"; readonly reason: string; readonly source?: string }
  | { readonly kind: "done" };

export const socketPath = (folder: string, rank: number): string => `${folder}/${rank}`;
