/** The coordinator's record of a group. */
import type { IndexColumns } from "./index-columns.ts";
import type { GroupView } from "./policy.ts";
import type { Setup } from "./setup.ts";
import type { Rank, Seconds } from "./step.ts";

export interface Group extends GroupView {
  readonly bytes: number;
  state: "writing" | "busy" | "complete";
  waitingBytes: number;
  askedBytes: number;
  heardAt: Seconds;
  rate: number;
  stuck: boolean;
  /** How its last target failed. */
  failure: string;
  leader: Rank;
  epoch: number;
  /** The leader died after the group was complete, and was not replaced. */
  leaderless: boolean;
  entries: IndexColumns | undefined;
  /** Next time to ask for late writes to duplicate, and the wait after that. */
  copyFrom: Seconds;
  copyWait: Seconds;
  /** Waiting bytes in its last message. */
  reportedBytes: number;
  /** Serials of messages: last received, last sent. */
  lastSerial: number;
  serial: number;
}

export function newGroup(setup: Setup, group: number): Group {
  const bytes = bytesOfGroup(setup, group);
  return {
    group,
    bytes,
    state: "writing" as const,
    waitingBytes: bytes,
    askedBytes: 0,
    heardAt: 0,
    rate: Number.NaN,
    stuck: false,
    failure: "",
    leader: setup.layout.firstRank[group] as number,
    epoch: 0,
    leaderless: false,
    entries: undefined,
    copyFrom: 0,
    copyWait: 0,
    reportedBytes: -1,
    lastSerial: -1,
    serial: 0,
  };
}

export function bytesOfGroup(setup: Setup, group: number): number {
  const first = setup.layout.firstRank[group] as number;
  const end = setup.layout.firstRank[group + 1] as number;
  if (typeof setup.sizes === "number") return setup.sizes * (end - first);
  let bytes = 0;
  for (let rank = first; rank < end; rank++) bytes += setup.sizes[rank] as number;
  return bytes;
}
