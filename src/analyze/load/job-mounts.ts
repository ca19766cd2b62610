/** What the nodes of a job did on each file system that they have mounted: Lustre, NFS, Storage Scale. */
import { formatBytes } from "../../base/units.ts";
import type { Block, Queryable, SqlRow } from "../../model/index.ts";
import { exact, number, quoted, text } from "./amounts.ts";
import { table } from "./blocks.ts";
import { type Counters, countersOf } from "./job-minutes.ts";

export interface MountUse extends Counters {
  readonly kind: string;
  readonly fileSystem: string | null;
  readonly mount: string | null;
  /** Nodes whose counters are in it. */
  readonly nodes: number;
  /** Mean time of a read and of a write on the client; null: not counted, or none was made. */
  readonly secondsPerRead: number | null;
  readonly secondsPerWrite: number | null;
  /** Requests of NFS that were sent again; null: not counted. */
  readonly retransmits: bigint | null;
}

/** Samples of nodes are taken a little before a run and after it. */
const MARGIN_SECONDS = 600;

interface RunTime {
  readonly jobId: string;
  readonly cluster: string | null;
  readonly startUnix: number | null;
  readonly endUnix: number | null;
}

/** The largest first. */
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

/** Worth a table when it says more than the sums of the job: another kind of file system, or several of Lustre. */
export const tellsMore = (mounts: readonly MountUse[]): boolean =>
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
    "File systems of its nodes by bytes, as clients counted them. Reads and writes of NFS are requests.",
    [
      ["fileSystem", "File system", "text", "Name, or server and export of NFS."],
      ["kind", "Kind", "text", "Lustre, NFS or IBM Storage Scale."],
      ["mount", "Mounted on", "text", "Folder, where all nodes have the same."],
      ["nodes", "Nodes", "count", "Nodes whose counters are in it."],
      ["bytesRead", "Read", "bytes", "Bytes read by programs."],
      ["bytesWritten", "Written", "bytes", "Bytes written by programs."],
      ["metadataCalls", "Metadata", "count", "Metadata operations; of NFS requests."],
      ["secondsPerRead", "A read", "seconds", "Mean time of a read on the client."],
      ["secondsPerWrite", "A write", "seconds", "Mean time of a write on the client."],
      ["retransmits", "Sent again", "count", "Requests of NFS that were sent again."],
    ],
    mounts.map((one) => [
      ...[one.fileSystem, KINDS[one.kind] ?? one.kind, one.mount, one.nodes],
      ...[one.bytesRead, one.bytesWritten, one.metadataCalls],
      ...[one.secondsPerRead, one.secondsPerWrite, one.retransmits],
    ]),
  );
