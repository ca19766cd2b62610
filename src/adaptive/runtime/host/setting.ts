/** Setting and report of every process of a run, as plain data. */
import { assert } from "../../../base/assert.ts";
import type { BackendSpec } from "../../backend/index.ts";
import {
  type FileId,
  type Learned,
  makeSetup,
  type Outcome,
  type Policy,
  policyNamed,
  type Rank,
  type Setup,
  targetOfFile,
} from "../../protocol/index.ts";
import { type DatasetNames, dataPath } from "../dataset/names.ts";
import type { PieceEntry } from "../piece/piece-info.ts";
import { overheadBytes, type Range, type Stage } from "../stage/stage.ts";
import type { WriteLists } from "./write-lists.ts";

export interface HostSetting {
  readonly stage: Stage;
  /** The data of each rank. */
  readonly blocks: readonly Range[];
  readonly hosts: number;
  readonly policy: string;
  /** Concurrent writers per file, instead of the policy's number. */
  readonly perTarget: number | undefined;
  readonly priorRates: readonly number[] | undefined;
  readonly priorSlots: readonly number[] | undefined;
  readonly targets: readonly string[];
  readonly backend: BackendSpec;
  readonly names: DatasetNames;
  readonly attempt: string;
  readonly commit: CommitSetting;
  /** Buffers of one process. */
  readonly memoryBytes: number;
  readonly heartbeatSeconds: number;
  readonly leaseSeconds: number;
  /** Start of the run on the machine's monotonic clock; times of the run count from here. */
  readonly beganSeconds: number;
}

export interface CommitSetting {
  /** Pieces of an earlier try. */
  readonly kept: readonly PieceEntry[];
  readonly append: boolean;
  readonly firstSubfile: number;
  readonly replaced: readonly string[];
  /** False when the back end discards data: then there is no dataset. */
  readonly keeps: boolean;
}

export interface HostReport {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly writes: WriteLists;
  /** Duration and end of each file open, in seconds. */
  readonly opens: readonly { readonly file: FileId; readonly seconds: number; readonly at: number }[];
  readonly learned: readonly Learned[];
  /** Messages sent, including those within the process, by kind. */
  readonly messages: Readonly<Record<string, number>>;
  /** From the committing process: writes in the dataset, as `file/offset`. */
  readonly used: readonly string[] | undefined;
  readonly decidedAt: number;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/** Places neighbouring ranks, and leaders of groups, in different processes. */
export const hostOfRank = (rank: Rank, hosts: number): number => (rank + Math.floor(rank / hosts)) % hosts;

export function ranksOfHost({ blocks, hosts }: HostSetting, host: number): Rank[] {
  return blocks.flatMap((_, rank) => (hostOfRank(rank, hosts) === host ? [rank] : []));
}

export function setupOf(setting: HostSetting): Setup {
  const { blocks, targets, stage, priorRates, priorSlots, heartbeatSeconds } = setting;
  const policy = withSlots(policyNamed(setting.policy), setting.perTarget);
  assert(
    blocks.every(({ from, to }) => to > from),
    "every rank has data",
  );
  const work = {
    writers: blocks.length,
    targets: targets.length,
    sizes: Float64Array.from(blocks, ({ from, to }) => to - from),
    priorRates,
    priorSlots,
  };
  return makeSetup(policy, work, {
    sharedSources: true,
    retainData: true,
    heartbeatSeconds,
    // A policy that moves nothing must not give up a slow write.
    leaseSeconds: policy.offers === "never" ? 0 : setting.leaseSeconds,
    overheadBytes: overheadBytes(stage, blocks),
  });
}

function withSlots(policy: Policy, slots: number | undefined): Policy {
  if (slots === undefined) return policy;
  return {
    ...policy,
    slotsMax: slots,
    file(work, target) {
      const file = policy.file(work, target);
      file.slots = () => slots;
      return file;
    },
  };
}

export const pathOfFile = ({ targets, names, attempt }: HostSetting, file: FileId): string =>
  dataPath(targets[targetOfFile(file, targets.length)] as string, names.base, attempt, file);

/** Seconds on the machine's monotonic clock, common to all its processes. */
export const machineSeconds = (): number => Number(process.hrtime.bigint()) / 1e9;
