/** Many logs as rows of a ranking: what a thread does with some of them. */
import { FormatError } from "../../base/errors.ts";
import { HEAD_BYTES } from "../../base/source.ts";
import { type FilterState, NameFilter, type NamePatterns } from "../../base/glob.ts";
import { otherUse } from "../../formats/catalogue.ts";
import { hasLogSignature, isLogName } from "../../formats/darshan/header.ts";
import { DarshanLog } from "../../formats/darshan/log.ts";
import { addSums, type FileSums, type LogSums, logSums, noSums } from "../../formats/darshan/log-sums.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import type { Found } from "../../node/walk.ts";
import { openInput, skipReason } from "../job/index.ts";
import { nodeHost } from "../node.ts";

export interface RankedRun extends Omit<LogSums, "slowestSeconds"> {
  readonly source: string;
  readonly application: string;
  readonly jobId: string;
  readonly userId: string;
  readonly ranks: number;
  readonly startUnixSeconds: number;
  /** Null when the log does not say. */
  readonly runSeconds: number | null;
  /** Null where only sums are stored. */
  readonly slowestSeconds: number | null;
  readonly partialModules: string;
  /** A generator made it. */
  readonly isSynthetic: boolean;
}

export interface RankedFile extends FileSums {
  readonly path: string;
  runs: number;
}

export interface RankingWork extends NamePatterns {
  readonly files: boolean;
}

export interface RankingPart {
  readonly runs: readonly RankedRun[];
  readonly files: readonly RankedFile[];
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly filter: FilterState | undefined;
}

export function readPart(
  paths: readonly Found[],
  { include, exclude, files: wantsFiles }: RankingWork,
): RankingPart {
  const filter = include.length + exclude.length === 0 ? undefined : new NameFilter({ include, exclude });
  const runs: RankedRun[] = [];
  const files = new Map<string, RankedFile>();
  const skipped: { path: string; reason: string }[] = [];
  for (const { path, named } of paths) {
    // What a damaged log gave before its damage must not count.
    const own: [string, FileSums][] = [];
    try {
      const run = readRun(
        path,
        named,
        filter,
        wantsFiles ? (name, sums) => void own.push([name, sums]) : undefined,
      );
      if (run === undefined || (filter !== undefined && run.files === 0)) continue;
      runs.push(run);
      for (const [name, sums] of own) addFile(files, name, sums);
    } catch (error) {
      skipped.push({ path, reason: skipReason(error, path) });
    }
  }
  return { runs, files: [...files.values()], skipped, filter: filter?.state };
}

export function addFile(files: Map<string, RankedFile>, path: string, sums: FileSums, runs = 1): void {
  let file = files.get(path);
  if (file === undefined) files.set(path, (file = { path, runs: 0, ...noSums() }));
  file.runs += runs;
  addSums(file, sums);
}

/** Undefined for what lies beside logs in a folder and is none. */
function readRun(
  path: string,
  named: boolean,
  filter: NameFilter | undefined,
  file: ((path: string, sums: FileSums) => void) | undefined,
): RankedRun | undefined {
  const source = openInput(path, nodeHost);
  try {
    const head = source.read(0, HEAD_BYTES);
    if (!hasLogSignature(head)) {
      if (!named && !isLogName(path)) return undefined;
      throw new FormatError(path, {}, otherUse(head, path) ?? "not a Darshan log");
    }
    const log = new DarshanLog(source, { codecs: nodeCodecs });
    const sums = logSums(log, { keeps: filter && ((name) => filter.keeps(name)), file });
    const { job } = log;
    const program = job.commandLine.trim().split(/\s+/)[0] ?? "";
    return {
      source: path,
      application: program.slice(program.lastIndexOf("/") + 1),
      ...{ jobId: String(job.jobId), userId: String(job.uid), ranks: Number(job.nprocs) },
      startUnixSeconds: Number(job.startSeconds) + Number(job.startNanoseconds) / 1e9,
      runSeconds: job.endSeconds === 0n ? null : job.runTimeSeconds,
      isSynthetic: job.isSynthetic,
      partialModules: log.modules
        .filter(({ partial }) => partial)
        .map(({ name }) => name)
        .join(" "),
      ...sums,
    };
  } finally {
    source.close();
  }
}
