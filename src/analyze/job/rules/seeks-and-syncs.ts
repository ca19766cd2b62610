/** Seek and sync rules: calls between reads and writes. */
import { estimatedCost, oneSync, syncSeconds } from "../cost/remedies.ts";
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { type Action, defineRule, type Judgement, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor, wayOf } from "../snippets/index.ts";
import { fewerSeeks, isTimedByCall } from "../cost/call-remedies.ts";
import { countOf } from "./access-patterns.ts";
import { type Listed, spanOf, trust, worstRecords } from "./evidence.ts";
import { accessesOf, callsOf, sum, WAYS, type Way } from "./measures.ts";
import { layerOf, mpiFiles, posixFiles, stdioFiles } from "./per-job.ts";
import { costSentence, grouped, many, rough, theseFiles } from "./wording.ts";

const excessSeeks = defineRule({
  id: "excess-seeks",
  title: "Many seeks",
  subject: { text: "redundant seeks", plural: true },
  picture: { kind: "time", of: "metadata" },
  meaning:
    "Redundant POSIX seeks (to the current offset) cost a system call each; seeks on C streams flush or drop the buffer when they leave it.",
  needs: [["POSIX", "STDIO"]],
  thresholds: {
    share: limit`0.5 ratio | redundant seeks per read or write | Plimsoll's choice: with fewer, most accesses already go without a seek`,
    calls: limit`1000 calls | such seeks | Plimsoll's choice: a seek costs about a microsecond, so only thousands matter`,
  },
  judge(job, limits) {
    const files = [...posixFiles(job), ...stdioFiles(job)]
      .map((record) => {
        const accesses = accessesOf(record);
        // A seek after an open, or before an access that jumps, is needed. Streams do not count jumps.
        const jumps =
          record.layer === "POSIX" ? accesses - record.consecutiveReads - record.consecutiveWrites : 0;
        return { record, accesses, count: record.seeks - (record.opens || 0) - jumps };
      })
      .filter(({ count, accesses }) => count >= limits.share * accesses && accesses > 0);
    const count = countOf(files);
    if (!(count >= limits.calls)) return undefined;
    const accesses = sum(files, (file) => file.accesses);
    const onStreams = files.filter(({ record }) => record.layer === "STDIO");
    const streams = countOf(onStreams) >= 0.5 * count;
    const ways = WAYS.filter((way) => files.some(({ record }) => callsOf(record, way) > 0));
    const seconds = sum(files, ({ record }) => record.metaSeconds);
    const listed: Listed[] = files.map((file) => ({
      record: file.record,
      weight: file.count,
      note: `${many(file.record.seeks, "seek")} (${file.record.layer}) for ${grouped(file.accesses)} accesses`,
    }));
    return {
      cost: fewerSeeks(
        files,
        estimatedCost(
          files.map(({ record, count: redundant }) => ({
            record,
            part: "meta",
            remains: 1 - seekShare(record, redundant),
          })),
          "metadata time of these files in proportion to their seeks, for lseek at most 10 µs each; seeks are not timed separately",
          { atMost: true },
        ),
      ),
      measured: { share: count / accesses, calls: count },
      statement:
        `${streams ? `${many(count, "seek")} beyond the first of each open` : many(count, "redundant seek")}, for ${grouped(accesses)} accesses to ${many(files.length, "file")}: ${rough(count / accesses)} for each${streams ? ", on C streams" : ""}.` +
        costSentence(job, seconds, `Metadata calls of ${theseFiles(files.length)}, seeks among them, take`),
      evidence: {
        numbers: [
          { label: streams ? "seeks" : "redundant seeks", value: count, unit: "calls" },
          { label: "reads and writes", value: accesses, unit: "calls" },
          { label: "time in metadata calls of these files, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
      },
      action: streams
        ? regionOfStream(job, wayOf(files.map(({ record }) => record)))
        : offsetsInCalls(job, ways),
      effect: streams
        ? "Buffers stay valid, so reads from the file system become fewer and larger."
        : `Up to ${many(count, "system call")} saved.`,
      ...trust(
        job,
        ["POSIX", "STDIO"],
        "medium",
        files.every(({ record }) => isTimedByCall(record))
          ? "every seek was recorded with its time; jumps are counted for POSIX only"
          : "jumps are counted for POSIX only, and seeks are not timed separately",
      ),
      claims: files.map(({ record: { fileId } }) => ({ fileId })),
    };
  },
});

/**
 * Ours: lseek moves a number in the kernel, a microsecond and less; ten with a recorder around it. (SEEK_END may ask a
 * server for the size; logs do not tell it apart.) The rest of
 * the metadata time is that of opens and stats. A seek of a stream may fetch its buffer again.
 */
const LSEEK_SECONDS_MAX = 10e-6;

/** Part of a file's metadata time that these seeks can take. */
function seekShare({ layer, seeks, metaSeconds }: LayerRecord, redundant: number): number {
  const share = Math.min(1, redundant / seeks);
  if (layer !== "POSIX" || !(metaSeconds > 0)) return share;
  return Math.min(share, (redundant * LSEEK_SECONDS_MAX) / metaSeconds);
}

const SYNC_LIMITS = {
  calls: limit`20 calls | syncs of a file | Plimsoll's choice: at a few milliseconds each, fewer cost less than 0.1 s`,
  perRank: limit`10 calls | syncs of a file per rank | Plimsoll's choice: one sync per rank at the end of a file or checkpoint is fine`,
} as const;

/** Files with many syncs for their writes, in the layer that the program calls. */
const syncedFiles = (
  job: Job,
  limits: { readonly share: number; readonly calls: number; readonly perRank: number },
): LayerRecord[] =>
  [
    ...mpiFiles(job),
    ...posixFiles(job).filter((record) => !((layerOf(job, record, "MPI-IO")?.syncs ?? 0) > 0)),
  ].filter(
    (record) =>
      // A file without writes was written in a way that was not recorded: how many there are is not known.
      !(record.writes === 0) &&
      record.syncs >= limits.calls &&
      record.syncs >= limits.perRank * record.ranks &&
      record.syncs >= limits.share * record.writes,
  );

const regionOfStream = (job: Job, way: Way): Action =>
  way === "read"
    ? {
        change: "Read regions into memory",
        advice:
          "Do not seek to the current position. A seek out of the buffer refills it, however little is then read: read the region into memory once and select from it.",
        snippet: snippetFor(job, SNIPPETS.readRegion, { way }),
      }
    : {
        change: "Write streams in order",
        advice:
          "Do not seek to the current position. A seek flushes the buffer: assemble the region in memory and write it with one call, or write in order.",
        snippet: snippetFor(job, SNIPPETS.readRegion, { way }),
      };

const offsetsInCalls = (job: Job, ways: readonly Way[]): Action => ({
  change: "Use calls with an offset",
  advice: `Omit lseek if the file position is already right, or use ${ways.map((way) => (way === "read" ? "pread" : "pwrite")).join(" and ")}, which ${ways.length === 1 ? "takes" : "take"} the offset as an argument.`,
  snippet: snippetFor(job, SNIPPETS.positioned, { ways }),
});

const mpiSyncOnce = (job: Job): Action => ({
  change: "Sync once, after the last write",
  advice:
    "Call MPI_File_sync once, after the last write of a checkpoint; MPI_File_close syncs the file by itself.",
  snippet: snippetFor(job, SNIPPETS.mpiSyncOnce),
});

const syncOnce = (job: Job): Action => ({
  change: "Sync once, after the last write",
  advice:
    "Write to a new file, sync it once after the last write, and rename it into place; a crash then loses at most the new file, never the old one.",
  snippet: snippetFor(job, SNIPPETS.syncOnce),
});

/** Most syncs go to a database of SQLite: a file beside which its journal or write-ahead log is written. */
function isDatabase(job: Job, files: readonly LayerRecord[]): boolean {
  const paths = new Set(posixFiles(job).map(({ path }) => path));
  const own = files.filter(({ path }) =>
    /-(journal|wal)$/.test(path)
      ? paths.has(path.replace(/-(journal|wal)$/, ""))
      : paths.has(`${path}-journal`) || paths.has(`${path}-wal`),
  );
  return sum(own, ({ syncs }) => syncs) >= 0.5 * sum(files, ({ syncs }) => syncs);
}

const oneTransaction: Action = {
  change: "Put many changes into one transaction",
  advice:
    "SQLite syncs at every commit: put many changes into one transaction (BEGIN, many INSERT, COMMIT). On a local disk, its write-ahead log (PRAGMA journal_mode=WAL with synchronous=NORMAL) needs fewer syncs as well; on a shared file system, use neither the write-ahead log nor the database itself from several nodes.",
};

const fsyncPerWrite = defineRule({
  id: "fsync-per-write",
  title: "A sync after every write",
  subject: { text: "a sync after every write" },
  picture: { kind: "time", of: "syncs" },
  meaning:
    "fsync, fdatasync or MPI_File_sync follows nearly every write and waits until the data is on stable storage, so every write costs a round trip to disk.",
  needs: [["POSIX", "MPI-IO"]],
  thresholds: {
    share: limit`0.5 ratio | syncs per write to a file | Plimsoll's choice: a sync for every write or every second one`,
    ...SYNC_LIMITS,
  },
  judge: (job, limits) => syncJudgement(job, syncedFiles(job, limits)),
});

const excessSyncs = defineRule({
  id: "excess-syncs",
  title: "Frequent syncs",
  subject: { text: "frequent syncs", plural: true },
  picture: { kind: "time", of: "syncs" },
  meaning:
    "fsync, fdatasync or MPI_File_sync after every few writes: each waits until the data is on stable storage, so writes can neither be merged nor overlap. A sync after every write has a separate finding.",
  needs: [["POSIX", "MPI-IO"]],
  thresholds: {
    share: limit`0.03 ratio | syncs per write to a file | Plimsoll's choice: from about one sync per thirty writes on, waiting for the disk takes longer than writing into a cache`,
    ...SYNC_LIMITS,
  },
  judge(job, limits, others) {
    const said = others.claimed(["fsync-per-write"]);
    return syncJudgement(
      job,
      syncedFiles(job, limits).filter(({ fileId }) => !said.has(fileId)),
    );
  },
});

function syncJudgement(job: Job, files: readonly LayerRecord[]): Judgement | undefined {
  if (files.length === 0) return undefined;
  const count = sum(files, ({ syncs }) => syncs);
  const writes = sum(files, (record) => record.writes);
  const seconds = sum(files, (record) => syncSeconds(job, record));
  const mpi = files.some(({ layer }) => layer === "MPI-IO");
  const listed: Listed[] = files.map((record) => ({
    record,
    weight: syncSeconds(job, record),
    note: `${many(record.syncs, "sync")} for ${many(record.writes, "write")} (${record.layer})`,
  }));
  return {
    cost: oneSync(job, files),
    measured: { share: count / writes, calls: count, perRank: count / sum(files, ({ ranks }) => ranks) },
    statement:
      `${many(count, "sync")} for ${many(writes, "write")} to ${many(files.length, "file")}${syncsText(count, writes)}.` +
      costSentence(job, seconds, "The syncs take about"),
    evidence: {
      numbers: [
        { label: "syncs", value: count, unit: "calls" },
        { label: "writes", value: writes, unit: "calls" },
        { label: "time of syncs, all ranks, about", value: seconds, unit: "seconds" },
      ],
      ...worstRecords(listed),
      ...spanOf(listed, "write"),
    },
    action: mpi ? mpiSyncOnce(job) : isDatabase(job, files) ? oneTransaction : syncOnce(job),
    effect:
      "Writes go to the caches of clients and servers and are merged there; the program waits for the disk only once.",
    ...trust(
      job,
      ["POSIX", "MPI-IO"],
      "high",
      files.every(({ syncSeconds: timed }) => timed >= 0)
        ? "every sync was recorded with its time"
        : "every sync is counted; Darshan includes sync time in write time, from which it is separated by the longest write",
    ),
    claims: files.map(({ fileId }) => ({ fileId, way: "write" })),
  };
}

/** `: one sync for every 10 writes`; empty without writes. */
function syncsText(syncs: number, writes: number): string {
  if (!(writes > 0)) return "";
  if (rough(Math.max(syncs / writes, writes / syncs)) === "1") return ": one sync per write";
  return syncs <= writes
    ? `: one sync for every ${rough(writes / syncs)} writes`
    : `: ${rough(syncs / writes)} syncs per write`;
}

export const SEEK_AND_SYNC_RULES: readonly Rule[] = [fsyncPerWrite, excessSyncs, excessSeeks];
