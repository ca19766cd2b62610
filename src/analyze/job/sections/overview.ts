/** The first things to know: bytes, I/O share, throughput; and the warnings. */
import { formatSeconds, formatShare } from "../../../base/units.ts";
import type { Block, Section, Tile } from "../../../model/index.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { ReportInput } from "../input.ts";

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
  const rank = Number.isNaN(io.slowestRank) ? "" : ` (rank ${io.slowestRank})`;
  return [
    {
      label: "Bytes read",
      value: none ? 0 : io.bytesRead,
      unit: "bytes",
      exact: `${io.bytesReadExact} bytes`,
      about: about(DEFINITIONS.bytes),
    },
    {
      label: "Bytes written",
      value: none ? 0 : io.bytesWritten,
      unit: "bytes",
      exact: `${io.bytesWrittenExact} bytes`,
      about: about(DEFINITIONS.bytes),
    },
    {
      label: "I/O share of the run time",
      value: io.meanShare,
      unit: "share",
      note: `average rank; slowest ${formatShare(io.slowestShare)}${rank}`,
      exact: `average ${io.meanSeconds} s, slowest ${io.slowestSeconds} s of ${Number.isNaN(job.runSeconds) ? "a run time that is not known" : `${job.runSeconds} s`}`,
      about: about(DEFINITIONS.share),
    },
    {
      label: "Estimated throughput",
      value: io.bytesPerSecond,
      unit: "bytes/s",
      ...(io.slowestSeconds > 0 && {
        note: `bytes / ${formatSeconds(io.slowestSeconds)} of the slowest rank`,
      }),
      about: about(DEFINITIONS.throughput),
    },
  ];
}

/** What a reader must know before believing a number. */
function warnings({ job }: Pick<ReportInput, "job">): Block[] {
  const blocks: Block[] = [];
  const several = job.runs.length > 1;
  for (const run of job.runs) {
    const where = several ? `${run.source}: ` : "";
    for (const module of run.partialModules)
      blocks.push({
        kind: "notice",
        level: "error",
        text: `${where}The ${module} data is incomplete: Darshan ran out of memory for this module, so its numbers are lower bounds.`,
        how: "Give Darshan more memory next time: DARSHAN_MODMEM=64 (MiB), and DARSHAN_NAMEMEM for many files; or leave files out with DARSHAN_NAME_EXCLUDE.",
      });
    for (const warning of run.warnings)
      blocks.push({ kind: "notice", level: "warning", text: `${where}${warning}` });
    if (Number.isNaN(run.runSeconds))
      blocks.push({
        kind: "notice",
        level: "warning",
        text: `${where}The log has no end time, so shares of the run time are not known.`,
        how: "This happens when a process is killed before it ends its log.",
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
      text: `The ranks spent ${formatSeconds(job.io.meanSeconds)} in I/O calls on average, more than the run time of ${formatSeconds(job.runSeconds)}: threads wait at the same time. Shares are cut at 100 %.`,
    });
  if ((job.trace?.dropped ?? 0) > 0)
    blocks.push({
      kind: "notice",
      level: "warning",
      text: `${job.trace?.dropped} traced calls end before they start, or have no size, and were left out.`,
    });
  return blocks;
}
