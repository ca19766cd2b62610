/** Rules on C streams (fopen, fwrite, fprintf). */
import { formatBytes } from "../../../base/units.ts";
import { estimatedCost, unknownCost } from "../cost/remedies.ts";
import { timeModel } from "../cost/time-model.ts";
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { stalledSeconds } from "../trace-lookup.ts";
import { type Action, type CostClaim, defineRule, limit, type Rule } from "../rule.ts";
import { type Listed, spanOf, trust, worstRecords } from "./evidence.ts";
import {
  KIB,
  MIB,
  type Way,
  WAYS,
  accessSeconds,
  accessesOf,
  bytesMoved,
  bytesOf,
  callsOf,
  endOf,
  known,
  secondsOf,
  sum,
} from "./measures.ts";
import { posixFiles, stdioFiles } from "./per-job.ts";
import { isTinyStream, programOf, SNIPPETS, snippetFor } from "../snippets/index.ts";
import { costSentence, many, partOfBytes, secondsText, sizeText } from "./wording.ts";

const stdioBulk = defineRule({
  id: "stdio-bulk",
  title: "Bulk data through C streams",
  subject: { text: "bulk data through streams" },
  picture: { kind: "time" },
  meaning:
    "A large part of the data goes through stdio, which copies it through a small buffer and knows nothing of parallel I/O.",
  needs: [["STDIO"]],
  thresholds: {
    share: limit`0.1 share | bytes through streams, of all bytes | Drishti: interface_stdio`,
    bytes: limit`${64 * MIB} bytes | bytes through streams | Plimsoll's choice: less is logs and settings, for which streams are right`,
  },
  drishti: "S01",
  judge(job, limits, others) {
    const said = others.claimed(["stdio-small", "random-reads", "re-reads"]);
    const files = stdioFiles(job).filter((record) => bytesMoved(record) > 0 && !said.has(record.fileId));
    const bytes = sum(files, bytesMoved);
    const all = bytes + sum(posixFiles(job), bytesMoved);
    if (!(bytes >= limits.bytes && bytes >= limits.share * all)) return undefined;
    const calls = sum(files, accessesOf);
    const seconds = sum(files, accessSeconds);
    const writes = sum(files, (record) => record.bytesWritten) >= bytes / 2;
    // Calls of megabytes pass the buffer by, and a seek that leaves it fetches all of it again.
    const buffer = bytes < MIB * calls && sum(files, (record) => known(record.seeks)) < SEEKS_MOST * calls;
    const listed: Listed[] = files.map((record) => ({
      record,
      weight: bytesMoved(record),
      note: `${formatBytes(record.bytesRead || 0)} read, ${formatBytes(record.bytesWritten || 0)} written`,
    }));
    return {
      cost: asWithoutStreams(job, files),
      measured: { share: bytes / all, bytes },
      statement:
        `C streams move ${partOfBytes(bytes, all, "the data")}, in ${many(calls, "call")} on ${many(files.length, "file")}.` +
        costSentence(job, seconds),
      evidence: {
        numbers: [
          { label: "bytes through streams", value: bytes, unit: "bytes", of: all },
          { label: "calls", value: calls, unit: "calls" },
          { label: "time in these calls, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, writes ? "write" : "read"),
      },
      action: pastStreams(job, files, writes ? "write" : "read", buffer),
      effect: "Fewer system calls and one copy less; MPI-IO also gives fewer files and aligned requests.",
      ...trust(
        job,
        ["STDIO", "POSIX"],
        "high",
        "bytes are counted for every call; request sizes below the streams are not recorded",
      ),
    };
  },
});

const stdioSmall = defineRule({
  id: "stdio-small",
  title: "Unbuffered or flushed small stream calls",
  subject: { text: "small stream calls", plural: true },
  picture: {
    kind: "numbers",
    beside: "I/O time",
    words: ["Time in small stream calls, of all I/O", "small stream calls", "all I/O"],
  },
  meaning:
    "Many small calls on a C stream reach the file system one by one, because the stream has no buffer or is flushed after each call.",
  needs: [["STDIO"]],
  thresholds: {
    bytes: limit`${4 * KIB} bytes, at most | mean size of the calls | Plimsoll's choice: the usual buffer of a stream (st_blksize)`,
    calls: limit`100 calls | calls on a file | as small-writes: fewer calls are not a pattern; the severity follows from their cost`,
    flushes: limit`0.1 ratio | flushes per write | Plimsoll's choice: with one flush per ten writes, the buffer hardly fills`,
    least: limit`0.1 seconds | time that a buffer would save per file, at least, if nothing is flushed | Plimsoll's choice: formatting a line takes time as well`,
    saving: limit`0.5 share | part of the call time that a buffer would save, above which the stream counts as unbuffered | Plimsoll's choice: assumes 0.1 µs for a call into the buffer, and 1 GB/s for moving the buffer`,
  },
  judge(job, limits) {
    const files = stdioFiles(job)
      .map((record) => {
        const calls = accessesOf(record);
        const bytes = bytesMoved(record);
        const seconds = accessSeconds(record) - sum(WAYS, (way) => stalledSeconds(job, record, way));
        const flushed =
          record.writes > 0 &&
          record.syncs > 0 &&
          // Often, or before the buffer is full.
          (record.syncs >= limits.flushes * record.writes ||
            record.bytesWritten < limits.bytes * record.syncs);
        return { record, calls, bytes, seconds, flushed };
      })
      .filter(
        ({ calls, bytes, seconds, flushed }) =>
          calls >= limits.calls &&
          bytes < limits.bytes * calls &&
          (flushed ||
            seconds - bufferedSeconds(calls, bytes) >= Math.max(limits.least, limits.saving * seconds)),
      );
    if (files.length === 0) return undefined;
    const calls = sum(files, (file) => file.calls);
    const bytes = sum(files, (file) => file.bytes);
    const flushes = sum(files, ({ record }) => known(record.syncs));
    const countsFlushes = files.some(({ record }) => !Number.isNaN(record.syncs));
    const seconds = sum(files, (file) => file.seconds);
    // What takes most of the time decides what is told.
    const flushed =
      2 *
        sum(
          files.filter((file) => file.flushed),
          (file) => file.seconds,
        ) >=
        seconds && files.some((file) => file.flushed);
    const listed: Listed[] = files.map((file) => ({
      record: file.record,
      weight: file.calls,
      note: `${many(file.calls, "call")} of ${sizeText(file.bytes / file.calls)} on average${Number.isNaN(file.record.syncs) ? "" : `, ${many(file.record.syncs, "flush", "flushes")}`}`,
    }));
    return {
      cost: bufferedStreams(
        job,
        files.map(({ record }) => record),
      ),
      measured: {
        bytes: bytes / calls,
        calls,
        flushes: countsFlushes
          ? flushes /
            Math.max(
              1,
              sum(files, ({ record }) => known(record.writes)),
            )
          : Number.NaN,
        least: seconds - bufferedSeconds(calls, bytes),
        saving: 1 - bufferedSeconds(calls, bytes) / seconds,
      },
      statement:
        `${many(calls, "call")} on ${many(files.length, "stream")} move ${sizeText(bytes / calls)} and take ${secondsText(seconds / calls)} on average${countsFlushes ? `, ${flushes === 0 ? "without a flush" : `with ${many(flushes, "flush", "flushes")}`}` : ""}: ` +
        "the stream buffers hardly collect them." +
        costSentence(job, seconds),
      evidence: {
        numbers: [
          { label: "calls", value: calls, unit: "calls" },
          { label: "mean size", value: bytes / calls, unit: "bytes", size: true },
          ...(countsFlushes ? [{ label: "flushes", value: flushes, unit: "calls" as const }] : []),
          { label: "time in these calls, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, "write"),
      },
      action: streamAction(
        job,
        files.map(({ record }) => record),
        flushed ? "flushed" : countsFlushes ? "unbuffered" : "either",
      ),
      effect: "Thousands of records reach the file system in one write.",
      ...trust(
        job,
        ["STDIO"],
        flushed ? "high" : "low",
        flushed
          ? "flushes are counted"
          : `inferred from the time per call: ${countsFlushes ? "whether a stream has a buffer is" : "buffers and flushes of streams are"} not recorded`,
      ),
      claims: files.map(({ record: { fileId } }) => ({ fileId })),
    };
  },
});

/** Ours: with one seek for ten accesses a buffer of megabytes is often fetched for little. */
const SEEKS_MOST = 0.1;

function pastStreams(job: Job, files: readonly LayerRecord[], way: Way, buffer: boolean): Action {
  const snippet = snippetFor(job, SNIPPETS.pastStreams, { way, fileBytes: largestOf(files), buffer });
  const first = buffer
    ? " As a first step without a rewrite, give streams a buffer of a few megabytes with setvbuf: the default is the file system's block size, often 4 KiB."
    : "";
  const change = "Move bulk data without streams";
  if (!programOf(job).mpi)
    return { change, advice: `Move bulk data with ${way} in calls of a few megabytes.${first}`, snippet };
  const known = job.facts.has("MPI-IO") ? "MPI-IO, which the job uses already" : "MPI-IO, HDF5 or PnetCDF";
  return {
    change,
    advice: `Move bulk data with ${known}, so that ranks can share a file and ${way} together.${first}`,
    snippet,
  };
}

function streamAction(
  job: Job,
  records: readonly LayerRecord[],
  cause: "flushed" | "unbuffered" | "either",
): Action {
  const [writes, reads] = WAYS.map((way) => sum(records, (record) => known(callsOf(record, way))));
  const way = (reads as number) > (writes as number) ? "read" : "write";
  const params = { way, fileBytes: largestOf(records) } as const;
  const snippet = snippetFor(job, SNIPPETS.streamBuffer, params);
  if (isTinyStream(params))
    return params.way === "read"
      ? {
          change: "Read small files with one call",
          advice: "Read the file with one call and keep it: it is smaller than a stream buffer.",
          snippet,
        }
      : {
          change: "Write small files with one call",
          advice:
            "Assemble the file in memory and write it with one call: it is smaller than a stream buffer.",
          snippet,
        };
  if (cause === "flushed")
    return {
      change: "Flush streams at checkpoints only",
      advice:
        "Do not call fflush after each record (in C++: no std::endl and no std::unitbuf in loops); flush at checkpoints, and let a buffer (setvbuf) collect the output in between.",
      snippet,
    };
  return {
    change: "Give streams a buffer",
    advice: `Give the stream a buffer (setvbuf), and remove ${cause === "either" ? "setbuf(stream, NULL) and any flush after each record (fflush, std::endl)" : "setbuf(stream, NULL)"}.`,
    snippet,
  };
}

/** Ours: a call that only copies into or out of the buffer, and the rate at which a full buffer is moved. */
const BUFFERED_CALL_SECONDS = 0.1e-6;
const BUFFER_BYTES_PER_SECOND = 1e9;

const bufferedSeconds = (calls: number, bytes: number) =>
  BUFFERED_CALL_SECONDS * calls + bytes / BUFFER_BYTES_PER_SECOND;

/** The bytes at the rate that this job reaches without streams. */
function asWithoutStreams(job: Job, records: readonly LayerRecord[]): CostClaim {
  const healthy = records.flatMap((record) =>
    WAYS.flatMap((way) => {
      const model = timeModel(job, "POSIX", way);
      const seconds = secondsOf(record, way);
      if (!(seconds > 0) || model === undefined || model.source === "nominal") return [];
      return [
        { record, part: way, remains: Math.min(1, (model.perByte * known(bytesOf(record, way))) / seconds) },
      ];
    }),
  );
  return healthy.length > 0
    ? estimatedCost(healthy, "the bytes at the rate that this job reaches without streams")
    : unknownCost("how fast these bytes are moved without streams is not in the log", "info");
}

/** Every call finds a buffer of megabytes; what stalled would stall again. */
function bufferedStreams(job: Job, records: readonly LayerRecord[]): CostClaim {
  const healthy = records.flatMap((record) =>
    WAYS.map((way) => {
      const seconds = secondsOf(record, way);
      const buffered = bufferedSeconds(known(callsOf(record, way)), known(bytesOf(record, way)));
      const needed = buffered + stalledSeconds(job, record, way);
      return { record, part: way, remains: seconds > 0 ? Math.min(1, needed / seconds) : 1 };
    }),
  );
  return estimatedCost(healthy, "calls of 0.1 µs into a buffer, which is moved at 1 GB/s");
}

/** Size of the largest file, by the last byte that was touched. */
function largestOf(records: readonly LayerRecord[]): number {
  return records.reduce((most, record) => {
    const end = Math.max(...WAYS.map((way) => known(endOf(record, way))));
    return Math.max(most, end > 0 ? end : bytesMoved(record));
  }, 0);
}

export const STDIO_RULES: readonly Rule[] = [stdioBulk, stdioSmall];
