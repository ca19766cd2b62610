/** One file through time: who wrote it, who read it, how much, and how long it rested between. */
import type { Document, Queryable, SqlRow } from "../../../model/index.ts";
import { formatBytes, formatCount } from "../../../base/units.ts";
import { exact, number, table } from "./item.ts";
import { quoted } from "./prepare.ts";

interface FileAccess {
  readonly runId: string;
  readonly jobId: string | null;
  readonly userId: number | null;
  readonly application: string | null;
  /** Seconds since 1970 UTC; null when the clock of the run cannot be right. */
  readonly startUnix: number | null;
  readonly endUnix: number | null;
  readonly type: "read" | "write" | "balanced" | "no data" | "not recorded";
  readonly role: "producer" | "consumer" | "both" | "neither";
  readonly bytesRead: bigint | null;
  readonly bytesWritten: bigint | null;
  readonly ioSeconds: number | null;
  readonly layer: string | null;
  readonly ranks: number | null;
  /** Seconds since the start of the access before. */
  readonly gapSeconds: number | null;
  /** … of the access of the same type before. */
  readonly sameTypeGapSeconds: number | null;
  readonly partial: boolean;
}

interface FileHistory {
  readonly fileId: string;
  readonly path: string;
  readonly mount: string | null;
  readonly fsType: string | null;
  readonly osts: readonly string[];
  readonly runs: number;
  readonly bytesRead: bigint;
  readonly bytesWritten: bigint;
  readonly readRuns: number;
  readonly writeRuns: number;
  readonly meanGapHours: number;
  readonly readMeanGapHours: number;
  readonly writeMeanGapHours: number;
  readonly badClockRuns: number;
  readonly applications: readonly {
    readonly application: string | null;
    readonly runs: number;
    readonly bytesRead: bigint;
    readonly bytesWritten: bigint;
    readonly role: FileAccess["role"];
  }[];
  readonly users: readonly number[];
  readonly accesses: readonly FileAccess[];
}

const ACCESSES_MAX = 10_000;

/** All files of that name, or with that record id: one per mount. None: an empty list. */
export async function fileHistory(db: Queryable, pathOrId: string): Promise<FileHistory[]> {
  const named = `select distinct file_id, mount, min(path) over (partition by file_id) as path, fs_type from files where path = ${quoted(pathOrId)}`;
  let rows = await db.rows(named);
  if (rows.length === 0 && /^\d{1,20}$/.test(pathOrId) && BigInt(pathOrId) < 1n << 64n) {
    rows =
      await db.rows(`select file_id, mount, (select min(path) from files where file_id = ${pathOrId}) as path,
      any_value(fs_type) as fs_type from accesses where file_id = ${pathOrId} group by file_id, mount`);
  }
  const ids = [...new Set(rows.map(({ file_id }) => String(file_id)))];
  const histories: FileHistory[] = [];
  for (const id of ids) {
    const found = rows.find(({ file_id }) => String(file_id) === id) as SqlRow;
    const mounts = await db.rows(
      `select mount, any_value(fs_type) as fs_type from accesses where file_id = ${id} group by mount order by mount`,
    );
    for (const { mount, fs_type } of mounts) {
      const path = found.path === null ? `record ${id}` : String(found.path);
      histories.push(await oneHistory(db, id, path, mount as string | null, fs_type as string | null));
    }
  }
  return histories;
}

async function oneHistory(
  db: Queryable,
  fileId: string,
  path: string,
  mount: string | null,
  fsType: string | null,
): Promise<FileHistory> {
  const rows =
    await db.rows(`select a.run_id, a.user_id, a.start_unix_ns, a.end_unix_ns, a.bytes_read, a.bytes_written,
      a.slowest_seconds, a.layer, a.ranks, a.partial, a.osts, r.job_id, r.application, coalesce(r.clock, 'ok') as clock
    from accesses a left join runs r on a.run_id = r.run_id
    where a.file_id = ${fileId} and a.mount is not distinct from ${mount === null ? "null" : quoted(mount)}
    order by coalesce(r.clock, 'ok') <> 'ok', a.start_unix_ns, a.run_id`);
  const accesses: FileAccess[] = [];
  const lastOf = new Map<string, number>();
  for (const row of rows) {
    const timed = row.clock === "ok" && row.start_unix_ns !== null;
    const [read, written] = [amount(row.bytes_read), amount(row.bytes_written)];
    const type = typeOf(read, written);
    const startUnix = timed ? Number(row.start_unix_ns) / 1e9 : null;
    const since = (key: string) => {
      const last = lastOf.get(key);
      return startUnix === null || last === undefined ? null : startUnix - last;
    };
    accesses.push({
      runId: String(row.run_id),
      jobId: row.job_id === null ? null : String(row.job_id),
      userId: row.user_id === null ? null : number(row.user_id),
      application: row.application === null ? null : String(row.application),
      startUnix,
      endUnix: timed && row.end_unix_ns !== null ? Number(row.end_unix_ns) / 1e9 : null,
      type,
      role: roleOf(read ?? 0n, written ?? 0n),
      bytesRead: read,
      bytesWritten: written,
      ioSeconds: row.slowest_seconds === null ? null : number(row.slowest_seconds),
      layer: row.layer === null ? null : String(row.layer),
      ranks: row.ranks === null ? null : number(row.ranks),
      gapSeconds: since("any"),
      sameTypeGapSeconds: since(type),
      partial: Number(row.partial ?? 0) === 1,
    });
    if (startUnix !== null) {
      lastOf.set("any", startUnix);
      lastOf.set(type, startUnix);
    }
  }
  const mean = (values: readonly (number | null)[]) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0
      ? Number.NaN
      : known.reduce((sum, value) => sum + value, 0) / known.length / 3600;
  };
  const of = (type: FileAccess["type"]) => accesses.filter((one) => one.type === type);
  return {
    fileId,
    path,
    mount,
    fsType,
    osts: [
      ...new Set(rows.flatMap(({ osts }) => (osts === null ? [] : String(osts).split(" ").filter(Boolean)))),
    ],
    runs: accesses.length,
    bytesRead: total(accesses, "bytesRead"),
    bytesWritten: total(accesses, "bytesWritten"),
    readRuns: of("read").length,
    writeRuns: of("write").length,
    meanGapHours: mean(accesses.map(({ gapSeconds }) => gapSeconds)),
    readMeanGapHours: mean(of("read").map(({ sameTypeGapSeconds }) => sameTypeGapSeconds)),
    writeMeanGapHours: mean(of("write").map(({ sameTypeGapSeconds }) => sameTypeGapSeconds)),
    badClockRuns: accesses.filter(({ startUnix }) => startUnix === null).length,
    applications: perApplication(accesses),
    users: [...new Set(accesses.flatMap(({ userId }) => (userId === null ? [] : [userId])))],
    accesses,
  };
}

const amount = (value: SqlRow[string] | undefined): bigint | null =>
  value === null || value === undefined || exact(value) < 0n ? null : exact(value);

const total = (accesses: readonly FileAccess[], side: "bytesRead" | "bytesWritten") =>
  accesses.reduce((sum, one) => sum + (one[side] ?? 0n), 0n);

function typeOf(read: bigint | null, written: bigint | null): FileAccess["type"] {
  if (read === null || written === null) return "not recorded";
  if (read === 0n && written === 0n) return "no data";
  return read > written ? "read" : read < written ? "write" : "balanced";
}

const roleOf = (read: bigint, written: bigint): FileAccess["role"] =>
  read > 0n ? (written > 0n ? "both" : "consumer") : written > 0n ? "producer" : "neither";

function perApplication(accesses: readonly FileAccess[]): FileHistory["applications"] {
  const groups = new Map<string | null, FileAccess[]>();
  for (const one of accesses) {
    const group = groups.get(one.application);
    if (group === undefined) groups.set(one.application, [one]);
    else group.push(one);
  }
  return [...groups].map(([application, group]) => {
    const [bytesRead, bytesWritten] = [total(group, "bytesRead"), total(group, "bytesWritten")];
    return {
      application,
      runs: group.length,
      bytesRead,
      bytesWritten,
      role: roleOf(bytesRead, bytesWritten),
    };
  });
}

export function fileDocument(history: FileHistory, about: { command: string; madeBy: string }): Document {
  const { path, mount, runs, bytesRead, bytesWritten, readRuns, writeRuns, applications, accesses } = history;
  const first = accesses.find(({ startUnix }) => startUnix !== null)?.startUnix ?? 0;
  const hours = (value: number) => (Number.isNaN(value) ? "unknown" : `${Number(value.toPrecision(3))} h`);
  const lanes = ["read", "write", "other"];
  const spans = accesses.slice(0, 2000).flatMap(({ startUnix, endUnix, type }) => {
    if (startUnix === null) return [];
    const lane = type === "read" ? 0 : type === "write" ? 1 : 2;
    const role = (["read", "write", "neutral"] as const)[lane] ?? "neutral";
    const x1 = startUnix - first;
    return [{ x1, x2: Math.max(x1, (endUnix ?? startUnix) - first), y1: lane + 0.2, y2: lane + 0.8, role }];
  });
  return {
    title: path,
    facts: [
      { label: "Record id", text: history.fileId },
      {
        label: "Mount",
        text: `${mount ?? "not recorded"}${history.fsType === null ? "" : ` (${history.fsType})`}`,
      },
      { label: "OSTs", text: history.osts.join(" ") || "not recorded" },
      { label: "Read", text: formatBytes(Number(bytesRead)), exact: `${bytesRead} B` },
      { label: "Written", text: formatBytes(Number(bytesWritten)), exact: `${bytesWritten} B` },
      { label: "Mean gap", text: hours(history.meanGapHours) },
      { label: "Users", text: history.users.slice(0, 5).join(", ") },
    ],
    verdict: `${formatCount(runs)} runs of ${applications.length} ${applications.length === 1 ? "application" : "applications"} touched this file: ${readRuns} read it (every ${hours(history.readMeanGapHours)}), ${writeRuns} wrote it (every ${hours(history.writeMeanGapHours)}).`,
    sections: [
      {
        id: "applications",
        title: "Producers and consumers",
        blocks: [
          table(
            "applications",
            "Applications that touched the file.",
            [
              ["application", "Application", "text", "Base name of the executable."],
              ["role", "Role", "text", "producer: only wrote; consumer: only read."],
              ["runs", "Runs", "count", "Runs that touched the file."],
              ["bytesRead", "Read", "bytes", "Bytes read."],
              ["bytesWritten", "Written", "bytes", "Bytes written."],
            ],
            applications.map((one) => [one.application, one.role, one.runs, one.bytesRead, one.bytesWritten]),
          ),
        ],
      },
      {
        id: "time",
        title: "Through time",
        blocks: [
          ...(spans.length === 0
            ? []
            : [
                {
                  kind: "figure" as const,
                  figure: {
                    id: "file-through-time",
                    title: "Runs that touched the file",
                    caption: `${spans.length} runs; each box is a run from start to end.`,
                    summary: `${readRuns} read runs and ${writeRuns} write runs.`,
                    definition: "A07@1",
                    options: { gap: "start-start" },
                    chart: {
                      kind: "spans" as const,
                      x: { label: "time since the first run", unit: "seconds" as const },
                      y: { label: "type", unit: "none" as const },
                      laneNames: lanes,
                      spans,
                    },
                  },
                },
              ]),
          ...(history.badClockRuns === 0
            ? []
            : [
                {
                  kind: "notice" as const,
                  level: "warning" as const,
                  text: `${history.badClockRuns} runs have an impossible clock; they are listed last, without times.`,
                },
              ]),
          table(
            "accesses",
            "Runs that used the file, in order of start.",
            [
              ["start", "Start", "unix-seconds", "Start of the run, UTC."],
              ["gap", "Gap", "seconds", "Since the start of the previous run."],
              [
                "sameTypeGap",
                "Same type",
                "seconds",
                "Since the start of the previous run of the same type.",
              ],
              ["type", "Type", "text", "Type by bytes read from and written to this file."],
              ["application", "Application", "text", "Base name of the executable."],
              ["bytesRead", "Read", "bytes", "Bytes read."],
              ["bytesWritten", "Written", "bytes", "Bytes written."],
              ["io", "I/O time", "seconds", "I/O time of the slowest rank."],
              ["layer", "Layer", "text", "Interface."],
              ["ranks", "Ranks", "ranks", "Ranks with a record."],
              ["user", "User", "index", "User id."],
              ["job", "Job", "text", "Job id."],
            ],
            accesses
              .slice(0, ACCESSES_MAX)
              .map((one) => [
                one.startUnix,
                one.gapSeconds,
                one.sameTypeGapSeconds,
                one.type,
                one.application,
                one.bytesRead,
                one.bytesWritten,
                one.ioSeconds,
                one.layer,
                one.ranks,
                one.userId,
                one.jobId,
              ]),
            accesses.length,
          ),
        ],
      },
    ],
    command: about.command,
    madeBy: about.madeBy,
  };
}
