/** What every process of a run is told at its start, and what it says at its end. All of it is plain data. */
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
  /** Writers at once per file, instead of what the policy finds. */
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
  /** On the clock that all processes of a machine share; times of the run count from here. */
  readonly beganSeconds: number;
}

export interface CommitSetting {
  /** Pieces of an earlier try. */
  readonly kept: readonly PieceEntry[];
  readonly append: boolean;
  readonly firstSubfile: number;
  readonly replaced: readonly string[];
  /** False when the back end keeps nothing: then there is no dataset. */
  readonly keeps: boolean;
}

export interface HostReport {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly writes: WriteLists;
  /** Seconds that each opening of a file took, and when it ended. */
  readonly opens: readonly { readonly file: FileId; readonly seconds: number; readonly at: number }[];
  readonly learned: readonly Learned[];
  /** Messages sent, to other processes and within, by kind. */
  readonly messages: Readonly<Record<string, number>>;
  /** The process that committed says which writes are in the dataset, as `file/offset`. */
  readonly used: readonly string[] | undefined;
  readonly decidedAt: number;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/** Neighbours live in different processes, and so do the leaders of groups. */
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
    // Where nothing moves, a slow write is not to be given up.
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

/** Seconds on a clock that all processes of a machine share. */
export const machineSeconds = (): number => Number(process.hrtime.bigint()) / 1e9;
