/** Jobs as Slurm's accounting has them. */
import { FormatError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import { readSlurm, SACCT_COMMAND, type SlurmJob } from "../../formats/slurm/index.ts";
import type { RowSink } from "../../model/index.ts";
import type { Added, FileImporter, ImportSetting } from "../input-format.ts";
import { count, type IngestNotes, warn } from "../notes.ts";
import { siteZone } from "../origin.ts";
import { type JobRow, JobRows } from "./job-rows.ts";

export class SchedulerImporter implements FileImporter {
  readonly #notes: IngestNotes;
  readonly #options: { readonly cluster?: string; readonly zone?: string };
  readonly #origin: ImportSetting["origin"];
  readonly #rows = new JobRows();

  constructor({ notes, cluster, zone, origin }: ImportSetting) {
    this.#notes = notes;
    this.#origin = origin;
    this.#options = { ...(cluster !== undefined && { cluster }), ...(zone !== undefined && { zone }) };
  }

  get rows(): number {
    return this.#rows.length;
  }

  add(source: ByteSource): Added {
    const { jobs, notes } = readSlurm(source, this.#options);
    if (jobs.length === 0 && notes.broken > 0) {
      const [first] = notes.brokenLines;
      throw new FormatError(source.name, { line: first?.line ?? 1 }, first?.reason ?? "no row can be read");
    }
    for (const job of jobs)
      this.#rows.push({ ...rowOf(job), synthetic: this.#origin.flag, zone: siteZone(this.#options.zone) });
    count(this.#notes.counts, "schedulerJobs", jobs.length);
    count(this.#notes.counts, "steps", notes.steps);
    count(this.#notes.counts, "brokenRows", notes.broken);
    const [broken] = notes.brokenLines;
    if (broken !== undefined)
      warn(
        this.#notes,
        `${source.name}: ${notes.broken} unreadable rows, the first at line ${broken.line}: ${broken.reason}`,
      );
    if (notes.missingColumns.length > 0)
      warn(
        this.#notes,
        `${source.name}: columns ${notes.missingColumns.join(", ")} are missing, so jobs may not be matched with counters; create the list with: ${SACCT_COMMAND}`,
      );
    const [complaint] = notes.complaints;
    if (complaint !== undefined)
      warn(this.#notes, `${source.name}: Slurm reported an error: ${complaint}; ${jobs.length} jobs found`);
    if (notes.localTimes > 0 && this.#options.zone === undefined)
      warn(
        this.#notes,
        `${source.name}: ${notes.localTimes} times have no time zone and were read as UTC; use --zone, or let sacct print epoch times`,
      );
    return "stored";
  }

  flush(sink: RowSink): Promise<void> {
    return this.#rows.flush(sink);
  }
}

const ns = (seconds: number | undefined) =>
  seconds === undefined ? null : BigInt(Math.round(seconds)) * 1_000_000_000n;
const text = (value: string) => (value === "" ? null : value);

function rowOf(job: SlurmJob): JobRow {
  return {
    job_id: job.jobId,
    source: "scheduler",
    cluster: text(job.cluster),
    user_id: /^\d+$/.test(job.uid) ? BigInt(job.uid) : null,
    user_name: text(job.user),
    account: text(job.account),
    partition: text(job.partition),
    name: text(job.name),
    state: text(job.state),
    nodes: job.nodes ?? null,
    node_list: text(job.nodeList === "None assigned" ? "" : job.nodeList),
    cpus: job.cpus ?? null,
    submit_unix_ns: ns(job.submitUnix),
    start_unix_ns: ns(job.startUnix),
    end_unix_ns: ns(job.endUnix),
  };
}
