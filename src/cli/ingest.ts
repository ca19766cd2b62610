/** `plimsoll ingest`: logs, counters of file systems and jobs into a store. */
import { commandLine } from "../base/command-line.ts";
import { availableParallelism } from "node:os";
import { UsageError } from "../base/errors.ts";
import { formatBytes, formatCount, formatSeconds } from "../base/units.ts";
import { type IngestNotes, ingest } from "../ingest/index.ts";
import { defineCommand } from "./command.ts";
import { option } from "./option.ts";
import { parseSlice } from "./slice.ts";

export default defineCommand({
  name: "ingest",
  description:
    "Walks folders, detects the format of each file by content and adds it to a store: Darshan logs (one row per run and per file of a run), Lustre counters (collector output, periodic job_stats and stats dumps, Telegraf line protocol) and Slurm jobs (sacct output or the job completion file). Inputs already in the store are skipped, whatever their name, so the same command can be repeated after a kill or when new files arrive. Unreadable files are listed with the reason (exit code 3).",
  arguments: [{ name: "path", help: "folders and files", kind: "file", variadic: true }],
  options: {
    store: option.text("DIR", "store to add to; created if missing", { short: "s" }),
    slice: option.text(
      "I/N",
      "process slice I of N, such as 3/16; for job arrays that fill one store (not for counter dumps)",
    ),
    threads: option.whole("reader threads (default: one per core)", { min: 1, max: 256 }),
    memory: option.bytes("buffer memory of all threads together", { default: 512 * 2 ** 20, min: 2 ** 27 }),
    batch: option.whole("files per commit and thread: the work that a kill can lose", {
      min: 1,
      default: 50_000,
    }),
    cluster: option.text("NAME", "cluster of jobs and counters that do not name one"),
    "job-id": option.list(
      "TEMPLATE",
      "job id format of the servers, as in the clients' jobid_name (%j, %j:%u:%H, %e.%u.%h), with %C for the cluster; the first match counts",
    ),
    zone: option.text(
      "ZONE",
      "site time zone, such as Europe/Berlin: for scheduler times without one (default: UTC), and for hours and days in studies",
    ),
  },
  examples: {
    "plimsoll ingest /darshan/logs/2026 --store centre": "all logs of a year",
    "plimsoll ingest /darshan/logs --store centre --slice $SLURM_ARRAY_TASK_ID/64": "one task of a job array",
    "plimsoll ingest /var/spool/plimsoll jobs.sacct --store centre --cluster cab":
      "collector output and Slurm jobs",
    "plimsoll ingest /srv/segments --store centre --job-id %C:%j":
      "counters of a file system shared by two clusters, with jobid_name=cab:%j and quartz:%j on the clients",
  },
  async run({ arguments: paths, options }, context) {
    const { store, cluster, zone, jobId: jobIds } = options;
    if (store === undefined) throw new UsageError("name the store with --store DIR");
    const slice = options.slice === undefined ? undefined : parseSlice("--slice", options.slice);
    const { notes, ...summary } = await ingest(
      {
        ...{ paths, store, slice, cluster, zone, jobIds },
        threads: options.threads ?? availableParallelism(),
        memoryBytes: options.memory,
        batchInputs: options.batch,
        nowUnixSeconds: Date.now() / 1000,
      },
      context,
    );
    const { read, known, foreign, bytes, seconds, skipped, skippedTotal } = summary;
    if (skippedTotal > skipped.length)
      context.note(
        `${skippedTotal - skipped.length} more skipped; list all with: ${commandLine(["plimsoll", "sql", "--store", store, "select path, reason from sources where status = 'skipped'"])}`,
      );
    if (slice === undefined && read + known + foreign + skippedTotal === 0)
      context.note(`no files in ${paths.join(", ")}`);
    if (context.json) context.printJson({ ...summary, ...notes });
    else {
      // The rate of a few files says how long the program took to start.
      const rate = read < 10 ? "" : ` (${formatCount(read / seconds)} files/s)`;
      context.out.write(
        `${formatCount(summary.new)} new, ${formatCount(known)} known, ${formatCount(skippedTotal)} skipped${foreign > 0 ? `, ${formatCount(foreign)} other files` : ""}: ${formatBytes(bytes)} in ${formatSeconds(seconds)}${rate}\n`,
      );
      for (const line of notesLines(notes)) context.out.write(`${line}\n`);
      for (const line of lostLines(notes)) context.note(line);
      for (const warning of notes.warnings) context.note(warning);
    }
  },
});

/** What came of counters and jobs, in a few lines; none for logs alone. */
function notesLines({ counts, dropped, leftOut, nodesDropped }: IngestNotes): string[] {
  const list = (values: Readonly<Record<string, number>>) =>
    Object.entries(values)
      .sort(([, a], [, b]) => b - a)
      .map(([name, value]) => `${name} ${formatCount(value)}`)
      .join(", ");
  const lines: string[] = [];
  if (Object.keys(counts).length > 0) lines.push(`counters and jobs: ${list(worded(counts))}`);
  if (Object.keys(dropped).length > 0)
    lines.push(`not stored: counter deltas without a column: ${list(dropped)}`);
  if (Object.keys(leftOut).length > 0)
    lines.push(`not stored: parameters that do not count what a target did: ${list(leftOut)}`);
  if (Object.keys(nodesDropped).length > 0) lines.push(`nodes left out: ${list(nodesDropped)}`);
  return lines;
}

/** What nobody will ever know, since series could not be continued. */
function lostLines({ counts, lostLinks }: IngestNotes): string[] {
  const [first] = lostLinks;
  if (first === undefined) return [];
  const times = counts.lostLinks ?? 0;
  const time = (ns: bigint) => new Date(Number(ns / 1_000_000n)).toISOString().replace(/\.\d+Z$/, "Z");
  const where = `${first.target} ${first.kind} from ${time(first.fromUnixNs)} to ${time(first.toUnixNs)}`;
  const what = times === 1 ? where : `first ${where}; --json lists them`;
  return [
    `${times === 1 ? "once" : `${formatCount(times)} times`} a counter series could not be continued, and the counts in between are lost: ${what}; keep files for 20 minutes after ingest, so that the next ingest sees the last sample again`,
  ];
}

/** `knownReadings` as `known readings`. */
function worded(values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
      value,
    ]),
  );
}
