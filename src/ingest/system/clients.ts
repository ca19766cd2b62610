/**
 * Client readings: each node's difference, summed per job as long as the rows wait. Nodes whose counters say nothing are
 * counted with the reason; a job may get several rows, which queries add up.
 */
import { FormatError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import { clientDelta, CounterTable, JobClientSums, type NodeDelta } from "../../formats/lustre/index.ts";
import { type MountSide, mountGrowth, readMounts } from "../../formats/mounts/index.ts";
import {
  type ClientReading,
  type ClientSide,
  readClientReading,
  sideItems,
} from "../../formats/samples/index.ts";
import {
  CLIENT_CALLS,
  MDT_CALLS,
  nodeWarningLines,
  type RowSink,
  storedJobMounts,
  type Value,
} from "../../model/index.ts";
import type { Added, FileImporter, ImportSetting } from "../input-format.ts";
import { count, type IngestNotes } from "../notes.ts";
import { siteZone } from "../origin.ts";
import { jobKey } from "./job-ids.ts";
import { JobRows } from "./job-rows.ts";
import { MountSums } from "./mount-sums.ts";

/** Nodes of a run are read within minutes; this far apart it is another run of the same id. */
const APART_NS = 600_000_000_000n;
const LARGEST = 2n ** 63n - 1n;

/** One run of a job, as far as its nodes have come. */
class JobSums {
  readonly first: ClientReading;
  readonly sums = new JobClientSums();
  fromNs: bigint;
  toNs: bigint;
  nodes = 0;
  nodeMemoryBytes: bigint | undefined;
  counted = 0;
  synthetic = 0;
  /** Of Lustre, by file system; and where nodes have it mounted, null when in several places. */
  readonly mounts = new Map<string, JobClientSums>();
  readonly places = new Map<string, string | null>();
  readonly others = new MountSums();
  readonly dropped = new Map<string, number>();
  readonly warnings = new Map<string, number>();

  constructor(first: ClientReading, fromNs: bigint, toNs: bigint) {
    this.first = first;
    this.fromNs = fromNs;
    this.toNs = toNs;
  }

  /** Readings of nodes of one run overlap; those of two runs cannot. One that has no length lies near the end. */
  holds(fromNs: bigint, toNs: bigint): boolean {
    if (this.fromNs < this.toNs && fromNs < toNs) return fromNs < this.toNs && toNs > this.fromNs;
    const apart = toNs > this.toNs ? toNs - this.toNs : this.toNs - toNs;
    return apart <= APART_NS;
  }
}

export class ClientImporter implements FileImporter {
  readonly #notes: IngestNotes;
  readonly #cluster: string | undefined;
  readonly #zone: string | undefined;
  readonly #origin: ImportSetting["origin"];
  readonly #jobs = new Map<string, JobSums[]>();
  readonly #table = new CounterTable();
  #runs = 0;

  constructor({ notes, cluster, origin, zone }: ImportSetting) {
    this.#zone = siteZone(zone);
    this.#notes = notes;
    this.#origin = origin;
    this.#cluster = cluster;
  }

  get rows(): number {
    return this.#runs;
  }

  add(source: ByteSource): Added {
    const reading = readClientReading(source);
    const { before, after } = reading;
    // The job runs still, or its epilog never came.
    if (after === undefined) return "waiting";
    const then = before === undefined ? undefined : sideItems(before, this.#table);
    const delta = clientDelta(then, sideItems(after, this.#table));
    const reason = uselessness(delta);
    const fromNs = before === undefined || before.atNs > after.atNs ? after.atNs : before.atNs;
    const job = this.#jobOf(reading, fromNs, after.atNs);
    this.#origin.collectedBy(reading.collector);
    job.synthetic = Math.max(job.synthetic, this.#origin.flag);
    if (fromNs < job.fromNs) job.fromNs = fromNs;
    if (after.atNs > job.toNs) job.toNs = after.atNs;
    job.nodes = Math.max(job.nodes, reading.nodes ?? 0);
    const memory = reading.nodeMemoryBytes;
    if (memory !== undefined && memory > (job.nodeMemoryBytes ?? 0n)) job.nodeMemoryBytes = memory;
    for (const note of reading.notes ?? []) note !== "" && add(job.warnings, note);
    const { places, hasOthers } = addMounts(job, reading);
    if (reason === NO_LUSTRE && hasOthers) return "stored";
    if (reason !== undefined) {
      add(job.dropped, reason);
      count(this.#notes.nodesDropped, reason);
      return "stored";
    }
    job.counted++;
    count(this.#notes.counts, "nodesCounted");
    for (const { fate, invalid } of delta.mounts) {
      if (fate !== "whole") add(job.warnings, FATES[fate]);
      if (invalid === 0) continue;
      add(job.warnings, "a negative counter was skipped");
      count(this.#notes.counts, "negativeCounters", invalid);
    }
    job.sums.add(reading.node, delta);
    for (const mount of delta.mounts) {
      if (mount.fate === "unmounted") continue;
      const sums = job.mounts.get(mount.fileSystem) ?? new JobClientSums();
      job.mounts.set(mount.fileSystem, sums);
      sums.add(reading.node, { ...delta, mounts: [mount], lnet: new Map() });
      const place = places.get(mount.fileSystem) ?? null;
      const known = job.places.get(mount.fileSystem);
      job.places.set(mount.fileSystem, known === undefined || known === place ? place : null);
    }
    return "stored";
  }

  #jobOf(reading: ClientReading, fromNs: bigint, toNs: bigint): JobSums {
    const key = `${reading.cluster ?? this.#cluster ?? ""}\n${reading.jobId}`;
    const runs = this.#jobs.get(key) ?? [];
    this.#jobs.set(key, runs);
    let run = runs.find((one) => one.holds(fromNs, toNs));
    if (run === undefined) {
      run = new JobSums(reading, fromNs, toNs);
      runs.push(run);
      this.#runs++;
    }
    return run;
  }

  async flush(sink: RowSink): Promise<void> {
    const rows = new JobRows();
    const mounts: Record<string, Value>[] = [];
    for (const runs of this.#jobs.values())
      for (const run of runs) {
        rows.push(this.#row(run));
        for (const [fileSystem, sums] of run.mounts) mounts.push(this.#mountRow(run, fileSystem, sums));
        for (const row of run.others.rows()) mounts.push({ ...this.#mountOwner(run), ...row });
      }
    count(this.#notes.counts, "clientRows", rows.length);
    this.#jobs.clear();
    this.#runs = 0;
    await rows.flush(sink);
    if (mounts.length === 0) return;
    const columns = storedJobMounts.columns.map(({ name }) => [name, mounts.map((row) => row[name] ?? null)]);
    await sink.append(storedJobMounts, mounts.length, Object.fromEntries(columns));
  }

  #mountOwner({ first, fromNs, toNs, synthetic }: JobSums) {
    return {
      job_key: jobKey(first.jobId),
      job_id: first.jobId,
      cluster: first.cluster ?? this.#cluster ?? null,
      user_id: first.uid ?? null,
      user_name: first.user ?? null,
      start_unix_ns: fromNs,
      end_unix_ns: toNs,
      synthetic,
    };
  }

  #mountRow(job: JobSums, fileSystem: string, sums: JobClientSums) {
    const bounded = (value: bigint) => (value > LARGEST ? LARGEST : value);
    const timed = (name: string) =>
      sums.counters.has(`usecs ${name}`) ? bounded(sums.sum(name, "usecs")) : null;
    return {
      ...this.#mountOwner(job),
      kind: "lustre",
      file_system: fileSystem || null,
      mount: job.places.get(fileSystem) ?? null,
      nodes_counted: sums.nodes,
      bytes_read: bounded(sums.sum("read_bytes", "bytes")),
      bytes_written: bounded(sums.sum("write_bytes", "bytes")),
      reads: bounded(sums.samples("read_bytes")),
      writes: bounded(sums.samples("write_bytes")),
      opens: bounded(sums.samples("open")),
      closes: bounded(sums.samples("close")),
      metadata_calls: bounded(MDT_CALLS.reduce((sum, name) => sum + sums.samples(name), 0n)),
      read_usecs: timed("read"),
      write_usecs: timed("write"),
    };
  }

  #row(job: JobSums) {
    const { first, sums, counted } = job;
    const dropped = [...job.dropped.values()].reduce((sum, nodes) => sum + nodes, 0);
    const bounded = (value: bigint) => (value > LARGEST ? LARGEST : value);
    const whenCounted = (value: bigint) => (counted === 0 ? null : bounded(value));
    const lnet = (key: string) => {
      const value = sums.lnet.get(key);
      return value === undefined ? null : bounded(value);
    };
    const warned = new Map(job.dropped);
    for (const [what, nodes] of job.warnings) warned.set(what, (warned.get(what) ?? 0) + nodes);
    return {
      job_id: first.jobId,
      source: "clients",
      cluster: first.cluster ?? this.#cluster ?? null,
      user_id: first.uid ?? null,
      user_name: first.user ?? null,
      nodes: job.nodes === 0 ? null : job.nodes,
      node_memory_bytes: job.nodeMemoryBytes ?? null,
      start_unix_ns: job.fromNs,
      end_unix_ns: job.toNs,
      synthetic: job.synthetic,
      zone: this.#zone,
      nodes_counted: counted,
      nodes_dropped: dropped,
      bytes_read: whenCounted(sums.sum("read_bytes", "bytes")),
      bytes_written: whenCounted(sums.sum("write_bytes", "bytes")),
      reads: whenCounted(sums.samples("read_bytes")),
      writes: whenCounted(sums.samples("write_bytes")),
      ...Object.fromEntries(
        Object.entries(CLIENT_CALLS).map(([column, counter]) => [column, whenCounted(sums.samples(counter))]),
      ),
      lnet_sent_bytes: lnet("send_length"),
      lnet_received_bytes: lnet("recv_length"),
      ...(warned.size > 0 && {
        warnings: nodeWarningLines(warned).sort().join("\n"),
        node_warnings: JSON.stringify(Object.fromEntries(warned)),
      }),
    };
  }
}

/** Adds what a node did on NFS and Storage Scale; gives where Lustre is mounted. Without a sample before the job there is no difference. */
function addMounts(job: JobSums, { node, before, after }: ClientReading) {
  if (after === undefined) return { places: new Map<string, string | null>(), hasOthers: false };
  const now = mountsOrWarning(job, after.files);
  const grown =
    before === undefined ? [] : mountGrowth(mountsOrWarning(job, before.files).mounts, now.mounts);
  for (const mount of grown) {
    if (mount.fate !== "whole") add(job.warnings, FATES[mount.fate]);
    job.others.add(node, mount);
  }
  return { places: now.lustre, hasOthers: grown.length > 0 };
}

function mountsOrWarning(job: JobSums, files: ClientSide["files"]): MountSide {
  try {
    return readMounts(files);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    add(job.warnings, `counters of NFS or Storage Scale cannot be read (${error.message})`);
    return { mounts: [], lustre: new Map() };
  }
}

const FATES = {
  remounted: "mounted during the job; counted from the mount",
  cleared: "counters were cleared during the job; counted from the reset",
  unmounted: "unmounted during the job; its counts on this mount are lost",
} as const;

const NO_LUSTRE = "no Lustre mount was read";

/** Why a node's counters cannot be used; undefined when they can. */
function uselessness({ complete, restricted, mounts }: NodeDelta): string | undefined {
  if (!complete) return "no sample before the job";
  if (restricted) return "the client counts only some processes (stats_track)";
  return mounts.some(({ fate }) => fate !== "unmounted") ? undefined : NO_LUSTRE;
}

function add(into: Map<string, number>, what: string): void {
  into.set(what, (into.get(what) ?? 0) + 1);
}
