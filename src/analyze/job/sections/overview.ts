/** The first things to know: bytes, I/O share, throughput; and the warnings. */
import { formatBytes, formatCount, formatMany, formatSeconds, formatShare } from "../../../base/units.ts";
import type { Block, Section, Tile } from "../../../model/index.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { ReportInput } from "../input.ts";
import type { AppliedFilter, Job } from "../job.ts";
import { skippedCalls } from "../run-calls.ts";
import { whoOf } from "../who.ts";

export function overview(input: ReportInput): Section {
  return {
    id: "overview",
    title: "Overview",
    blocks: [{ kind: "tiles", tiles: tiles(input) }, ...warnings(input)],
  };
}

function tiles({ job }: ReportInput): Tile[] {
  const { io } = job;
  const about = ({ id, text }: { id: string; text: string }) => `${id}: ${text}`;
  const none = job.files.length === 0;
  const single = job.files.filter(({ called }) => called.ranks === 1).length;
  const recorders = recordersOf(job);
  // It is the slowest in files of its own: where most time goes to shared files, another one may be.
  const isOwn = (job.ledger.ownSeconds.get(io.slowestRank) ?? -1) >= 0.5 * io.slowestSeconds;
  const { one, label } = whoOf(job);
  const rank = isOwn ? ` (${one} ${io.slowestRank})` : "";
  return [
    {
      label: "Written",
      value: none ? 0 : io.bytesWritten,
      unit: "bytes",
      note: `read ${formatBytes(none ? 0 : io.bytesRead)}`,
      exact: `${io.bytesWrittenExact} bytes written, ${io.bytesReadExact} bytes read`,
      about: about(DEFINITIONS.bytes),
    },
    {
      label: "I/O share",
      value: io.meanShare,
      unit: "share",
      note: `of a mean ${one}; slowest ${formatShare(io.slowestShare)}${rank}`,
      exact: `average ${io.meanSeconds} s, slowest ${io.slowestSeconds} s of ${Number.isNaN(job.runSeconds) ? "a run time that is not known" : `${job.runSeconds} s`}`,
      about: about(DEFINITIONS.share),
    },
    {
      label: "Throughput",
      value: io.bytesPerSecond,
      unit: "bytes/s",
      ...(io.slowestSeconds > 0 && {
        note: `${formatBytes((io.bytesRead || 0) + (io.bytesWritten || 0))} in ${formatSeconds(io.slowestSeconds)}`,
      }),
      about: about(DEFINITIONS.throughput),
    },
    {
      label,
      value: job.ranks,
      unit: "count",
      ...(job.runs.length > 1
        ? { note: `in ${job.runs.length} logs` }
        : job.osts.length > 0
          ? { note: `on ${formatMany(job.osts.length, "OST")}` }
          : {}),
      about: "Processes of all logs.",
    },
    {
      label: "Files",
      value: job.files.length,
      unit: "count",
      ...(single > 0 && { note: `${formatCount(single)} of one ${one} each` }),
      about: "Files with a record in any layer.",
    },
    {
      label: "Recorded by",
      value: Number.NaN,
      unit: "text",
      text: recorders.join(", ") || "not known",
      note: [...job.modules].slice(0, 8).join(", ") || "no modules",
      about: "The recorder with its version, and the modules with data.",
    },
  ];
}

/** Names with versions, at most three. */
export function recordersOf(job: Job): string[] {
  const names = job.runs.map(({ kind, libraryVersion, logVersion }) =>
    kind === "darshan" ? `Darshan ${libraryVersion ?? `format ${logVersion}`}` : (libraryVersion ?? kind),
  );
  return [...new Set(names)].slice(0, 3);
}

const filterText = ({ include, exclude, ...left }: AppliedFilter) =>
  `Only some of the files are shown (${[
    ...include.map((pattern) => `--include ${pattern}`),
    ...exclude.map((pattern) => `--exclude ${pattern}`),
  ].join(
    ", ",
  )}). Excluded from all numbers: ${formatMany(left.filesLeftOut, "file")} with ${formatBytes(left.bytesReadLeftOut)} read and ${formatBytes(left.bytesWrittenLeftOut)} written.`;

/** What a reader must know before believing a number. */
function warnings({ job }: Pick<ReportInput, "job">): Block[] {
  const blocks: Block[] = [];
  const several = job.runs.length > 1;
  if (job.filter !== undefined) blocks.push({ kind: "notice", level: "note", text: filterText(job.filter) });
  for (const run of job.runs) {
    const where = several ? `${run.source}: ` : "";
    for (const module of run.partialModules)
      blocks.push({
        kind: "notice",
        level: "error",
        text: `${where}The ${module} data is incomplete: Darshan ran out of memory for this module, so its numbers are lower bounds.`,
        how: "Give Darshan more memory next time: DARSHAN_MODMEM=64 (MiB), and DARSHAN_NAMEMEM for many files; or exclude files with DARSHAN_NAME_EXCLUDE.",
      });
    for (const warning of run.warnings)
      blocks.push({ kind: "notice", level: "warning", text: `${where}${warning}` });
    if (Number.isNaN(run.runSeconds))
      blocks.push({
        kind: "notice",
        level: "warning",
        text: `${where}The log has no end time, so shares of the run time are unknown.`,
        how: "This happens when a process is killed before it finishes its log.",
      });
  }
  const jobs = new Set(job.runs.map(({ jobId }) => jobId));
  if (jobs.size > 1)
    blocks.push({
      kind: "notice",
      level: "warning",
      text: `The ${job.runs.length} logs are of ${jobs.size} different jobs (${[...jobs].slice(0, 5).join(", ")}); they are shown as if they were one.`,
    });
  if (job.io.meanSeconds > 1.001 * job.runSeconds)
    blocks.push({
      kind: "notice",
      level: "warning",
      text: `The ${whoOf(job).many} spent ${formatSeconds(job.io.meanSeconds)} in I/O calls on average, more than the run time of ${formatSeconds(job.runSeconds)}: threads wait at the same time. Shares are capped at 100 %.`,
    });
  // A job from calls alone says it among the warnings of its run.
  if (job.trace && job.trace.dropped > 0 && (job.modules.has("DXT_POSIX") || job.modules.has("DXT_MPIIO")))
    blocks.push({ kind: "notice", level: "warning", text: skippedCalls(job.trace.dropped) });
  return blocks;
}
