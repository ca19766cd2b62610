/** Runs that touch several selected files: those of one user and program that start within ten minutes. */
import { SAME_RUN_SECONDS } from "./scenario.ts";
import { type AccessTruth, addAccess, type FileTruth, type Group, type RunTruth, SELECTED } from "./truth.ts";

/** This many files at least are looked at together, whatever the number of OSTs. */
export const MERGED_FILES = 2000;

interface OpenRun {
  readonly run: Mutable<RunTruth>;
  readonly files: Set<FileTruth>;
}
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * Groups of one file each become one group for each user, whose runs touch up to `filesPerRun` files. The first start
 * is that of all; a file's runs stay in their order, none of them starts with another, and no run touches a file twice.
 * `number` gives the next run number.
 */
export function* mergedGroups(
  groups: readonly Group[],
  filesPerRun: number,
  number: () => number,
): Generator<Group> {
  const byUser = new Map<number, Group[]>();
  for (const group of groups) {
    const user = (group.runs[0] as RunTruth).user;
    const own = byUser.get(user);
    if (own === undefined) byUser.set(user, [group]);
    else own.push(group);
  }
  for (const own of byUser.values()) yield mergedGroup(own, filesPerRun, number);
}

function mergedGroup(groups: readonly Group[], filesPerRun: number, number: () => number): Group {
  const accesses = groups
    .flatMap(({ files }, at) => files.flatMap((file) => file.accesses.map((access) => ({ access, at }))))
    .sort((a, b) => a.access.run.start - b.access.run.start || a.at - b.at);
  const files = new Map<FileTruth, FileTruth>();
  for (const { files: own } of groups) for (const file of own) files.set(file, { ...file, accesses: [] });
  const open = new Map<string, OpenRun>();
  const lastStart = new Map<FileTruth, number>();
  const runs: RunTruth[] = [];
  for (const { access } of accesses) {
    const { run, file } = access;
    // The second user that a file may have is a program's other user.
    const key = `${run.user} ${run.application}`;
    let into = open.get(key);
    const last = lastStart.get(file) ?? 0;
    if (into === undefined || !takes(into, access, last, filesPerRun)) {
      // A run that was moved forward may lie before one that starts now.
      into = { run: { ...run, kind: SELECTED, number: number(), accesses: [] }, files: new Set() };
      open.set(key, into);
      runs.push(into.run);
    }
    into.files.add(file);
    lastStart.set(file, into.run.start);
    const end = Math.max(into.run.start * 1000 + into.run.durationMs, run.start * 1000 + run.durationMs);
    into.run.durationMs = end - into.run.start * 1000;
    const ranks = access.ioRanks === run.ranks ? into.run.ranks : access.ioRanks;
    const { layer, bytesRead, bytesWritten, readSeconds, writeSeconds, slowestSeconds } = access;
    const perSecond = slowestSeconds / (readSeconds + writeSeconds);
    addAccess(into.run, files.get(file) as FileTruth, layer, ranks, bytesRead, bytesWritten, {
      readSeconds: readSeconds * perSecond,
      writeSeconds: writeSeconds * perSecond,
    });
  }
  return { runs, files: [...files.values()] };
}

function takes(
  { run, files }: OpenRun,
  { run: other, file }: AccessTruth,
  last: number,
  most: number,
): boolean {
  return (
    other.start - run.start <= SAME_RUN_SECONDS && files.size < most && !files.has(file) && last < run.start
  );
}
