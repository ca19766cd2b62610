/** I/O of a job's nodes per mounted file system: Lustre, NFS, Storage Scale. */
import { formatBytes } from "../../base/units.ts";
import type { Block, Queryable, SqlRow } from "../../model/index.ts";
import { exact, number, quoted, text } from "./amounts.ts";
import { table } from "./blocks.ts";
import { type Counters, countersOf } from "./job-minutes.ts";

export interface MountUse extends Counters {
  readonly kind: string;
  readonly fileSystem: string | null;
  readonly mount: string | null;
  /** Nodes with counters. */
  readonly nodes: number;
  /** Mean time of a read and of a write on the client; null: not counted, or no calls. */
  readonly secondsPerRead: number | null;
  readonly secondsPerWrite: number | null;
  /** Retransmitted NFS requests; null: not counted. */
  readonly retransmits: bigint | null;
}

/** Nodes are sampled shortly before and after a run. */
const MARGIN_SECONDS = 600;

interface RunTime {
  readonly jobId: string;
  readonly cluster: string | null;
  readonly startUnix: number | null;
  readonly endUnix: number | null;
}

/** Largest first. */
export async function mountsOf(db: Queryable, run: RunTime): Promise<MountUse[]> {
  const ns = (seconds: number) => BigInt(Math.round(seconds)) * 1_000_000_000n;
  const { jobId, cluster, startUnix, endUnix } = run;
  const conditions = [
    `job_id = ${quoted(jobId)}`,
    ...(cluster === null ? [] : [`(cluster is null or cluster = ${quoted(cluster)})`]),
    ...(startUnix === null ? [] : [`end_unix_ns >= ${ns(startUnix - MARGIN_SECONDS)}`]),
    ...(endUnix === null ? [] : [`start_unix_ns <= ${ns(endUnix + MARGIN_SECONDS)}`]),
  ];
  const sums = ["bytes_read", "bytes_written", "reads", "writes", "metadata_calls", "retransmits"];
  const rows =
    await db.rows(`select kind, file_system, if(count(distinct mount) = 1 and count(mount) = count(*), any_value(mount), null) as mount,
      sum(nodes_counted) as nodes, ${sums.map((name) => `sum(${name}) as ${name}`).join(", ")},
      sum(read_usecs) / nullif(sum(reads) filter (read_usecs is not null), 0) / 1e6 as read_seconds,
      sum(write_usecs) / nullif(sum(writes) filter (write_usecs is not null), 0) / 1e6 as write_seconds
    from job_mounts where ${conditions.join(" and ")}
    group by kind, file_system order by sum(bytes_read) + sum(bytes_written) desc, file_system`);
  return rows.map(useOf);
}

function useOf(row: SqlRow): MountUse {
  const known = (name: string) => (row[name] === null ? null : number(row[name]));
  return {
    ...{ kind: String(row.kind), fileSystem: text(row.file_system), mount: text(row.mount) },
    ...{ nodes: number(row.nodes), ...countersOf(row) },
    ...{ secondsPerRead: known("read_seconds"), secondsPerWrite: known("write_seconds") },
    retransmits: row.retransmits === null ? null : exact(row.retransmits),
  };
}

/** Shown only if it adds to the sums of the job: another kind of file system, or several Lustre file systems. */
export const isWorthTable = (mounts: readonly MountUse[]): boolean =>
  mounts.length > 1 || mounts.some(({ kind }) => kind !== "lustre");

const KINDS: Readonly<Record<string, string>> = {
  lustre: "Lustre",
  nfs: "NFS",
  gpfs: "Storage Scale",
};

export const mountText = ({ kind, fileSystem, bytesRead, bytesWritten }: MountUse): string =>
  `${fileSystem ?? KINDS[kind] ?? kind} (${formatBytes(Number(bytesRead))} read, ${formatBytes(Number(bytesWritten))} written)`;

export const mountTable = (mounts: readonly MountUse[]): Block =>
  table(
    "mounts",
    "File systems by bytes, from client counters. NFS reads and writes are requests.",
    [
      ["fileSystem", "File system", "text", "Name; for NFS, server and export."],
      ["kind", "Kind", "text", "Lustre, NFS or IBM Storage Scale."],
      ["mount", "Mounted on", "text", "Mount point, if the same on all nodes."],
      ["nodes", "Nodes", "count", "Nodes with counters."],
      ["bytesRead", "Read", "bytes", "Bytes read by programs."],
      ["bytesWritten", "Written", "bytes", "Bytes written by programs."],
      ["metadataCalls", "Metadata", "count", "Metadata operations; for NFS, requests."],
      ["secondsPerRead", "A read", "seconds", "Mean time of a read on the client."],
      ["secondsPerWrite", "A write", "seconds", "Mean time of a write on the client."],
      ["retransmits", "Retransmitted", "count", "Retransmitted NFS requests."],
    ],
    mounts.map((one) => [
      ...[one.fileSystem, KINDS[one.kind] ?? one.kind, one.mount, one.nodes],
      ...[one.bytesRead, one.bytesWritten, one.metadataCalls],
      ...[one.secondsPerRead, one.secondsPerWrite, one.retransmits],
    ]),
  );
