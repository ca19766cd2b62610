/** What a coordinator knows of a group. */
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
  /** The leader died after the group was complete; nobody was put in its place. */
  leaderless: boolean;
  entries: IndexColumns | undefined;
  /** When to ask it again for late writes to copy, and how long to wait after that. */
  copyFrom: Seconds;
  copyWait: Seconds;
  /** What it last said to be waiting. */
  saidBytes: number;
  /** Numbers of messages: last heard, last sent. */
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
    saidBytes: -1,
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
