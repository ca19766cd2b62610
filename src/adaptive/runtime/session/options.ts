/** Options of a writer. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { BackendSpec } from "../../backend/index.ts";
import { UsageError } from "../../../base/errors.ts";
import { POLICY_NAMES } from "../../protocol/index.ts";
import { requireFolderOf } from "../dataset/folders.ts";
import { type DatasetNames, datasetNames } from "../dataset/names.ts";
import type { HostSetting } from "../host/setting.ts";
import { defaultHistoryPath } from "../keep/history.ts";
import type { Transport } from "../transport/transport.ts";

export interface WriterOptions {
  /** Path of the dataset: NAME.bp. Data is reached through NAME.bp.dir. */
  readonly path: string;
  /** A folder on each storage target; default: the dataset's own folder. */
  readonly targets?: readonly string[] | undefined;
  /** Scheduling policy: `plimsoll` (ours), `paper`, or `static`, which moves nothing. */
  readonly policy?: string | undefined;
  /** Writer processes. */
  readonly writers?: number | undefined;
  /** Concurrent writers per target; default: measured. */
  readonly perTarget?: number | undefined;
  /** Bytes of all buffers of all processes. */
  readonly memoryBytes?: number | undefined;
  /** Appends steps to an existing dataset. */
  readonly append?: boolean | undefined;
  /** Continues an interrupted write; a complete one is left alone. */
  readonly resume?: boolean | undefined;
  /** Replaces an existing dataset and discards an interrupted write. */
  readonly force?: boolean | undefined;
  /** A file that keeps target speeds between runs; false for none. */
  readonly history?: string | false | undefined;
  /** Lustre OST of each target. */
  readonly osts?: readonly number[] | undefined;
  /** Throttle of each target in bytes per second; 0 for none. */
  readonly speeds?: readonly number[] | undefined;
  /** Instead of files on the targets. */
  readonly backend?: BackendSpec | undefined;
  /** Data in memory is always written from this process. */
  readonly inProcess?: boolean | undefined;
  /** Transport instead of child processes. Data in memory is always written from this process. */
  readonly transport?: Transport | undefined;
  /** Silence of four times this counts as death; 0: only deaths reported by the system count. */
  readonly heartbeatSeconds?: number | undefined;
  /** Time limit of a write, plus a second per MiB; 0: no limit. */
  readonly leaseSeconds?: number | undefined;
  readonly onProgress?: ((progress: StepProgress) => void) | undefined;
  /** Called with one line per handled problem. */
  readonly onNote?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StepProgress {
  readonly bytes: number;
  readonly totalBytes: number;
  readonly perTarget: readonly number[];
  readonly phase: "checking" | "writing";
}

export interface Checked
  extends Pick<HostSetting, "names" | "targets" | "policy" | "perTarget" | "memoryBytes" | "backend">,
    Pick<HostSetting, "heartbeatSeconds" | "leaseSeconds"> {
  readonly writers: number;
  readonly history: string | undefined;
}

const MIB = 1 << 20;
const MEMORY_BYTES = 256 * MIB;
const WRITERS_MAX = 1024;
/** Four of these are longer than a busy machine delays a process. */
const HEARTBEAT_SECONDS = 5;
const LEASE_SECONDS = 120;

export function checkOptions(options: WriterOptions): Checked {
  const names = datasetNames(resolve(options.path));
  requireFolderOf(names.index);
  const targets = targetFolders(options, names);
  const policy = options.policy ?? "plimsoll";
  if (!POLICY_NAMES.includes(policy))
    throw new UsageError(`unknown policy ${policy} (known: ${POLICY_NAMES.join(", ")})`);
  if (policy === "mpi-io")
    throw new UsageError("policy mpi-io is only simulated; choose paper, plimsoll or static");
  const together = [options.append, options.resume, options.force].filter(Boolean).length;
  if (together > 1 && !(options.append && options.resume))
    throw new UsageError("--force excludes --append and --resume");
  return {
    names,
    targets,
    policy,
    writers: writerCount("writers", options.writers ?? defaultWriters()),
    perTarget: options.perTarget === undefined ? undefined : writerCount("per-target", options.perTarget),
    memoryBytes: options.memoryBytes ?? MEMORY_BYTES,
    history: historyOf(options),
    backend: backendOf(options, targets.length),
    heartbeatSeconds: options.heartbeatSeconds ?? HEARTBEAT_SECONDS,
    leaseSeconds: options.leaseSeconds ?? LEASE_SECONDS,
  };
}

/** Enough to keep the cores busy while some writers wait for storage. */
const defaultWriters = (): number => Math.min(16, Math.max(2, 2 * availableParallelism()));

function targetFolders({ targets, osts, path }: WriterOptions, names: DatasetNames): string[] {
  // Created with the lock, at the start of a real write.
  if (targets === undefined || targets.length === 0) return everyOst([names.folder], osts);
  const found = targets.map((target) => {
    if (target === "") throw new UsageError("a target has no name; expected folders such as /ost0,/ost1");
    if (!existsSync(target)) throw new UsageError(`target ${target}: no such folder; make it first`);
    if (!statSync(target).isDirectory()) throw new UsageError(`target ${target}: not a folder`);
    return realpathSync(target);
  });
  const twice = found.find((one, i) => found.indexOf(one) < i);
  if (twice !== undefined && osts === undefined)
    throw new UsageError(`target ${twice} is named twice for ${path}; each target is one folder`);
  return everyOst(found, osts);
}

/** One folder can be on all OSTs. */
function everyOst(folders: string[], osts: readonly number[] | undefined): string[] {
  if (osts === undefined || folders.length === osts.length) return folders;
  const [only] = folders;
  if (folders.length !== 1 || only === undefined)
    throw new UsageError(
      `${folders.length} targets for ${osts.length} OSTs: give one folder, or one per OST`,
    );
  return osts.map(() => only);
}

function backendOf({ backend, osts, speeds }: WriterOptions, targets: number): BackendSpec {
  const inner: BackendSpec = backend ?? { kind: "posix", ...(osts === undefined ? {} : { osts }) };
  if (speeds === undefined) return inner;
  if (speeds.length > targets)
    throw new UsageError(`speeds for ${speeds.length} targets, but there are ${targets}`);
  return { kind: "throttled", of: inner, rates: speeds };
}

/** Throttled speeds say nothing about the targets; they are kept only on explicit request. */
function historyOf({ history, speeds, backend }: WriterOptions): string | undefined {
  if (history === false) return undefined;
  if (history !== undefined) return resolve(history);
  return speeds === undefined && backend === undefined ? defaultHistoryPath() : undefined;
}

function writerCount(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= WRITERS_MAX) return value;
  throw new UsageError(`${name} ${value}: expected a whole number from 1 to ${WRITERS_MAX}`);
}
