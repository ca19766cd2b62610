/** Read-modify-write rules: files that are both read and written. */
import { formatBytes } from "../../../base/units.ts";
import { estimatedCost, fewerBytes } from "../cost/remedies.ts";
import type { LayerRecord } from "../records.ts";
import { type Action, defineRule, limit, type Rule } from "../rule.ts";
import { fitsMemory, programOf, SNIPPETS, snippetFor } from "../snippets/index.ts";
import { isRewritten, rewrittenFiles } from "./access-patterns.ts";
import type { Job } from "../job.ts";
import { type Listed, spanOf, trust, worstRecords } from "./evidence.ts";
import { accessesOf, endOf, heaviest, MIB, sum } from "./measures.ts";
import { askedIn, layerOf, posixFiles, traceOf } from "./per-job.ts";
import { costSentence, many, partOfBytes, secondsText } from "./wording.ts";

const readModifyWrite = defineRule({
  id: "read-modify-write",
  title: "Read before written",
  subject: { text: "reads before writes", plural: true },
  picture: { kind: "layers" },
  meaning:
    "Parts of a file are read only to be written again: by data sieving in MPI-IO for writes with holes, or by a program that " +
    "reads, changes and writes the same place. This doubles the traffic and needs locks.",
  needs: [["POSIX"]],
  thresholds: {
    share: limit`0.1 share | bytes read for this, as part of the bytes written to the file | Plimsoll's choice: less is headers and edges of buffers`,
    switches: limit`100 calls | changes between reading and writing | Plimsoll's choice: a file that is first written and then read has few`,
    bytes: limit`${16 * MIB} bytes | bytes read for this, or | Plimsoll's choice: one collective buffer of ROMIO (cb_buffer_size, 16 MiB)`,
    turns: limit`10000 calls | such changes | Plimsoll's choice: each costs a microsecond or more`,
  },
  judge(job, limits, others) {
    const said = others.claimed(["write-amplification", "hdf5-chunk-cache"]);
    const found = rewrittenFiles(job, limits).filter(({ record }) => !said.has(record.fileId));
    if (found.length === 0) return undefined;
    const worst = heaviest(found, (file) => file.bytes);
    // The reasons differ, and so does the advice: the worst decides which is told.
    const files = found.filter(({ by }) => by === worst.by);
    const bytes = sum(files, (file) => file.bytes);
    const written = sum(files, ({ record }) => record.bytesWritten);
    const asked = sum(files, ({ record }) => layerOf(job, record, "MPI-IO")?.bytesWritten ?? 0);
    const seconds = sum(files, ({ record }) => record.readSeconds);
    const switches = sum(files, ({ record }) => record.rwSwitches);
    const mpi = worst.by === "mpi-io";
    const together = (layerOf(job, worst.record, "MPI-IO")?.collectiveWrites ?? 0) > 0;
    const seen =
      !mpi &&
      files.every(({ record }) => {
        const calls = traceOf(job, record);
        return calls !== undefined && isRewritten(calls);
      });
    const listed: Listed[] = files.map((file) => ({
      record: file.record,
      weight: file.bytes,
      note: `${formatBytes(file.bytes)} read for ${formatBytes(file.record.bytesWritten)} written, ${many(file.record.rwSwitches, "change")} of direction`,
    }));
    return {
      cost: mpi
        ? estimatedCost(
            files.map(({ record }) => ({ record, part: "read", remains: readsLeft(job, record, mpi) })),
            "without the reads; writes stay the same",
          )
        : estimatedCost(
            // What is read first changes in part only: the rest need not be written either.
            files.flatMap(({ record }) => {
              const remains = readsLeft(job, record, mpi);
              return [
                { record, part: "read" as const, remains },
                { record, part: "write" as const, remains },
              ];
            }),
            "only changed data is written, and nothing is read; the log does not show how much that is",
            { atMost: true },
          ),
      measured: { share: bytes / written, switches, bytes, turns: switches },
      statement:
        (mpi
          ? `The application writes ${formatBytes(asked)} to ${many(files.length, "file")} through MPI-IO. Below MPI-IO, ${formatBytes(written)} are written, and ${formatBytes(bytes)} are read that the application did not request.`
          : `In ${many(files.length, "file")}, reads of ${formatBytes(bytes)} alternate with writes of ${formatBytes(written)}: ${many(switches, "change")} between reading and writing.`) +
        costSentence(job, seconds, "These reads take"),
      evidence: {
        numbers: [
          { label: "bytes read before writing", value: bytes, unit: "bytes", of: written },
          ...(mpi ? [{ label: "bytes the application writes", value: asked, unit: "bytes" } as const] : []),
          { label: "changes between reading and writing", value: switches, unit: "calls" },
          { label: "time in these reads, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, "write"),
      },
      action: mpi ? withoutHoles(job, together) : inMemory(job),
      effect: `Up to ${formatBytes(bytes)} less to read, and no locks between reading and writing a buffer.`,
      ...trust(
        job,
        ["POSIX", "MPI-IO"],
        mpi || seen ? "high" : "medium",
        seen
          ? "every read and the write of the same place that follows it were recorded"
          : mpi
            ? "MPI-IO and POSIX counters cover the same file, and only POSIX shows the reads"
            : "reads and writes alternate in the same range; that they hit the same bytes is inferred",
      ),
      claims: found.map(({ record: { fileId } }) => ({ fileId })),
    };
  },
});

/** ROMIO's Lustre driver has its own switch for data sieving below collective writes. */
const withoutHoles = (job: Job, together: boolean): Action => ({
  change: "Close holes between written pieces",
  advice: `The pieces leave holes, and MPI-IO reads their content (data sieving). Close the holes: order dimensions so that data written together lies together, or write fill values as well; with collective writes ranks fill each other's holes (romio_cb_write). If the pieces are large, switch data sieving off for writes (romio_ds_write${together ? ", romio_lustre_ds_in_coll" : ""}); each piece is then a separate request.`,
  snippet: snippetFor(job, SNIPPETS.mpiHints, {
    hints: [
      { key: "romio_cb_write", value: "enable" },
      { key: "romio_ds_write", value: "disable" },
      ...(together ? [{ key: "romio_lustre_ds_in_coll", value: "disable" }] : []),
    ],
  }),
});

const inMemory = (job: Job): Action => ({
  change: "Change regions in memory",
  advice:
    "Collect the changes of a region in memory, then write it once; if whole records are replaced, write them without reading.",
  snippet: snippetFor(job, SNIPPETS.updateInMemory),
});

/** First written, then read, up to where it was written; in several passes or in turns no more than was written. */
const isReadBack = (record: LayerRecord) =>
  record.bytesWritten > 0 &&
  record.readStart > record.writeStart &&
  endOf(record, "read") <= endOf(record, "write") &&
  (record.readStart >= record.writeEnd ||
    record.rwSwitches <= 0.1 * accessesOf(record) ||
    record.bytesRead <= 1.1 * record.bytesWritten);
/** Part of the read time that is not spent on what is written next; single calls tell it. */
function readsLeft(job: Job, record: LayerRecord, mpi: boolean): number {
  const calls = traceOf(job, record);
  if (mpi || calls === undefined || !isRewritten(calls) || !(calls.read.seconds > 0)) return 0;
  return 1 - Math.min(1, calls.rewrites.readSeconds / calls.read.seconds);
}

/** What is on the node's own disk, other nodes do not see: not for a file that ranks share, unless all run on one. */
function handOn(job: Job, isShared: boolean, bytes: number): Action {
  const benchmark =
    "A benchmark should read the data back on another node (IOR -C); otherwise it measures the page cache.";
  return isShared && job.nodes !== 1 && programOf(job).mpi
    ? {
        change: "Exchange data by messages",
        advice: `Keep the data in memory: each rank keeps its part and gets the parts of others by messages. ${benchmark}`,
        snippet: snippetFor(job, SNIPPETS.byMessage),
      }
    : {
        change: "Keep written data in memory",
        advice: `Keep the data in memory, or put files that only this job needs on the node's local disk${fitsMemory(bytes) ? ", in /dev/shm" : ""} or on a burst buffer. ${benchmark}`,
        snippet: snippetFor(job, SNIPPETS.nodeTmp, { bytes }),
      };
}

const readAfterWrite = defineRule({
  id: "read-after-write",
  title: "Data read back",
  subject: { text: "data read back" },
  picture: {
    kind: "numbers",
    beside: "whole",
    words: ["Bytes written, and read back", "read back", "written"],
  },
  meaning:
    "A job writes a file and then reads it back. The data was already in memory; through the file system it moves twice more, or it comes from the page cache, and a benchmark then measures the cache.",
  needs: [["POSIX"]],
  thresholds: {
    share: limit`0.5 share | bytes read back, as part of the bytes written to the file | Plimsoll's choice: less is reading headers`,
    bytes: limit`${MIB} bytes | bytes read back from a file | Plimsoll's choice: less is reading headers; the severity follows from the cost`,
  },
  judge(job, limits, others) {
    const rewritten = others.claimed(["read-modify-write"]);
    const files = posixFiles(job)
      .filter((record) => !rewritten.has(record.fileId) && isReadBack(record))
      .map((record) => {
        const traced = traceOf(job, record)?.writtenAndReadBytes;
        const exact = traced !== undefined && traced >= 0;
        // Of what MPI-IO reads for its own sake, nothing is data that comes back.
        const asked = askedIn(job, record, "read")?.bytesRead ?? 0;
        const counted = Math.min(record.bytesRead, record.bytesWritten, asked);
        // Traces tell different bytes; what is written and read in several passes comes back in each.
        const bytes = exact && record.opens <= record.ranks ? Math.min(traced, asked) : counted;
        return { record, exact, bytes };
      })
      .filter(({ record, bytes }) => {
        const there = Math.min(record.bytesWritten, endOf(record, "write"));
        return bytes >= limits.bytes && bytes >= limits.share * there;
      });
    if (files.length === 0) return undefined;
    const bytes = sum(files, (file) => file.bytes);
    const written = sum(files, ({ record }) => record.bytesWritten);
    const seconds = sum(files, ({ record }) => record.readSeconds);
    const exact = files.every((file) => file.exact);
    const gap = files.reduce(
      (least, { record }) => Math.min(least, record.readStart - record.writeEnd),
      Infinity,
    );
    const listed: Listed[] = files.map((file) => ({
      record: file.record,
      weight: file.bytes,
      note: `${formatBytes(file.bytes)} of ${formatBytes(file.record.bytesWritten)} read back`,
    }));
    return {
      cost: fewerBytes(
        files.map(({ record, bytes: back }) => {
          const asked = askedIn(job, record, "read") ?? record;
          return { record: asked, way: "read", needed: asked.bytesRead - back };
        }),
        "without reading the data back",
      ),
      measured: { share: bytes / written, bytes },
      statement:
        `The job reads back ${partOfBytes(bytes, written, `what it wrote to ${many(files.length, "file")}`)}${files.length === 1 && gap >= 0 ? `, starting ${secondsText(gap)} after the last write` : ""}.` +
        costSentence(job, seconds, "These reads take"),
      evidence: {
        numbers: [
          { label: "bytes read back", value: bytes, unit: "bytes", of: written },
          { label: "time in reads of these files, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, "read"),
      },
      action: handOn(
        job,
        files.some(({ record }) => record.ranks > 1),
        written,
      ),
      effect: `Up to ${formatBytes(bytes)} less to read; for files that nobody needs later, also ${formatBytes(written)} less to write.`,
      ...trust(
        job,
        ["POSIX"],
        exact ? "high" : "medium",
        exact
          ? "from the offsets of traced calls"
          : "from bytes, highest offsets and times; that reads hit the written bytes is inferred",
      ),
      claims: files.map(({ record: { fileId } }) => ({ fileId, way: "read" })),
    };
  },
});

export const READ_MODIFY_WRITE_RULES: readonly Rule[] = [readModifyWrite, readAfterWrite];
