/** Rules on bytes that are moved more than once. */
import { formatBytes } from "../../../base/units.ts";
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { defineRule, type Rule } from "../rule.ts";
import { layerOf, posixFiles, REWRITE, rewrittenFiles, traceOf } from "./access-patterns.ts";
import { hints, readOnce } from "./snippets-a.ts";
import {
  bytesOf,
  callsOf,
  consecutiveOf,
  costSentence,
  extentOf,
  isPlainFile,
  KIB,
  type Listed,
  MIB,
  percent,
  secondsOf,
  sequentialOf,
  several,
  severityOf,
  spanBetween,
  spanOf,
  theseFiles,
  times,
  total,
  trust,
  type Way,
  worstFiles,
} from "./words-a.ts";

interface Again {
  readonly record: LayerRecord;
  readonly bytes: number;
  /** Different bytes; with counters at most so many. */
  readonly distinctBytes: number;
  readonly exact: boolean;
}

/** Files whose bytes a rank moved again; bytes that every rank moved once are another matter. */
function movedAgain(job: Job, way: Way, limits: { ratio: number; bytes: number }): Again[] {
  const records = [...posixFiles(job), ...job.layer("STDIO").filter(isPlainFile)];
  const found: Again[] = [];
  for (const record of records) {
    const bytes = bytesOf(record, way);
    const traced = traceOf(job, record)?.[way];
    if (traced !== undefined && traced.bytes >= 0.99 * bytes && traced.distinctByRankBytes > 0) {
      const distinctBytes = traced.distinctByRankBytes;
      if (traced.bytes >= limits.ratio * distinctBytes && traced.bytes - distinctBytes >= limits.bytes)
        found.push({ record, bytes: traced.bytes, distinctBytes, exact: true });
      continue;
    }
    const extent = extentOf(record, way);
    if (!(bytes >= limits.ratio * extent && bytes - extent >= limits.bytes)) continue;
    if (sameRankAgain(record, way, limits.ratio))
      found.push({ record, bytes, distinctBytes: extent, exact: false });
  }
  return found;
}

/**
 * Whether ranks moved their own bytes again, or every rank moved the same bytes once. Certain when a rank moved more
 * than there is. Otherwise each pass but the first begins with a step back: as many steps back of each rank as
 * passes, in a file that is otherwise accessed in order.
 */
function sameRankAgain(record: LayerRecord, way: Way, ratio: number): boolean {
  const bytes = bytesOf(record, way);
  const extent = extentOf(record, way);
  if (bytes >= ratio * extent * record.ranks) return true;
  const calls = callsOf(record, way);
  const stepsBack = (calls - sequentialOf(record, way) - record.ranks) / record.ranks;
  return stepsBack >= (bytes / extent - 1) / 2 && consecutiveOf(record, way) >= 0.5 * calls;
}

const AGAIN_THRESHOLDS = {
  ratio: {
    value: 2,
    unit: "ratio",
    meaning: "bytes moved over different bytes",
    source:
      "ours: everything at least twice (Drishti P09 and P10 compare with the highest offset, without a limit)",
  },
  bytes: {
    value: 64 * MIB,
    unit: "bytes",
    meaning: "bytes moved again in a file",
    source: "ours: less comes out of the page cache within milliseconds",
  },
} as const;

function again(way: Way): Rule {
  const [done, doing] = way === "read" ? ["read", "Reading"] : ["written", "Writing"];
  return defineRule({
    id: way === "read" ? "re-reads" : "overwrites",
    title: way === "read" ? "Data read again" : "Data overwritten",
    meaning:
      way === "read"
        ? "Ranks read the same bytes of a file several times. An input that every rank reads once is another finding."
        : "The same bytes of a file are written several times, so that all but the last time was in vain.",
    needs: [["POSIX", "STDIO"]],
    thresholds: AGAIN_THRESHOLDS,
    drishti: way === "read" ? "P09" : "P10",
    judge(job, limits) {
      const files = movedAgain(job, way, limits);
      if (files.length === 0) return undefined;
      const bytes = total(files, (file) => file.bytes);
      const distinct = total(files, (file) => file.distinctBytes);
      const seconds = total(files, ({ record }) => secondsOf(record, way));
      const exact = files.every((file) => file.exact);
      const listed: Listed[] = files.map((file) => ({
        record: file.record,
        weight: file.bytes - file.distinctBytes,
        note: `${formatBytes(file.bytes)} ${done} of ${formatBytes(file.distinctBytes)}: ${times(file.bytes / file.distinctBytes)}`,
      }));
      const reopened = files.every(({ record }) => record.opens >= record.ranks * (bytes / distinct) * 0.9);
      return {
        severity: severityOf(job, seconds * (1 - distinct / bytes), way === "read" ? "high" : "warn"),
        statement:
          `${formatBytes(bytes)} were ${done} ${way === "read" ? "from" : "to"} ${several(files.length, "file")} of ${exact ? "" : "at most "}${formatBytes(distinct)}${exact ? " of different bytes" : ""}: ` +
          `each byte ${exact ? "" : "at least "}${times(bytes / distinct)} on average.` +
          costSentence(job, seconds, `${doing} ${theseFiles(files.length)} takes`),
        evidence: {
          numbers: [
            { label: `bytes ${done}`, value: bytes, unit: "bytes" },
            { label: exact ? "different bytes" : "different bytes at most", value: distinct, unit: "bytes" },
            { label: `times each byte was ${done}`, value: bytes / distinct, unit: "ratio" },
            { label: `time in ${way}s of these files, all ranks`, value: seconds, unit: "seconds" },
          ],
          ...worstFiles(listed),
          ...spanOf(listed, way),
        },
        advice:
          way === "read"
            ? `Keep what was read in memory for the next pass; if it does not fit, copy the input once to the node's own disk or memory ($TMPDIR, /dev/shm) and read it there${reopened ? ". The file is opened again for every pass: open it once" : ""}.`
            : `Write a result when it is final${reopened ? "; the file is opened and written anew each time, so write fewer intermediate states or each to a file of its own that the next may replace" : ", or keep what changes often in memory"}.`,
        snippet:
          way === "read"
            ? readOnce
            : {
                language: "c",
                code: "/* keep intermediate states in memory; write every n-th */\nif (step % n == 0 || step == last) write_state(path, state);",
              },
        effect:
          way === "read"
            ? `At best the file system delivers ${formatBytes(distinct)} instead of ${formatBytes(bytes)}; less is gained where the page cache has served the later passes.`
            : `At best ${formatBytes(distinct)} are written instead of ${formatBytes(bytes)}.`,
        ...trust(
          job,
          ["POSIX", "STDIO"],
          exact ? "high" : "medium",
          exact
            ? "from the offsets of every traced call of each rank"
            : "from bytes moved and the highest offset; which bytes were moved again is not recorded",
        ),
      };
    },
  });
}

const readModifyWrite = defineRule({
  id: "read-modify-write",
  title: "Read before written",
  meaning:
    "Pieces of a file are read only to be written again: data sieving in MPI-IO for writes with holes, or a program that " +
    "reads, changes and writes the same place. It doubles the traffic and needs locks.",
  needs: [["POSIX"]],
  thresholds: {
    share: {
      value: REWRITE.share,
      unit: "share",
      meaning: "bytes read for this, of the bytes written to the file",
      source: "ours: less is headers and edges of buffers",
    },
    switches: {
      value: REWRITE.switches,
      unit: "calls",
      meaning: "changes between reading and writing",
      source: "ours: a file that is written and then read as a whole has few",
    },
    bytes: {
      value: REWRITE.bytes,
      unit: "bytes",
      meaning: "bytes read for this",
      source: "ours: one collective buffer of ROMIO (cb_buffer_size, 16 MiB)",
    },
  },
  judge(job, limits) {
    const files = rewrittenFiles(job, limits);
    if (files.length === 0) return undefined;
    const byLibrary = files.filter(({ by }) => by === "mpi-io");
    const bytes = total(files, (file) => file.bytes);
    const written = total(files, ({ record }) => record.bytesWritten);
    const asked = total(byLibrary, ({ record }) => layerOf(job, record, "MPI-IO")?.bytesWritten ?? 0);
    const seconds = total(files, ({ record }) => record.readSeconds);
    const switches = total(files, ({ record }) => record.rwSwitches);
    const worst = files.reduce((a, b) => (b.bytes > a.bytes ? b : a));
    const mpi = worst.by === "mpi-io";
    const together = (layerOf(job, worst.record, "MPI-IO")?.collectiveWrites ?? 0) > 0;
    const listed: Listed[] = files.map((file) => ({
      record: file.record,
      weight: file.bytes,
      note: `${formatBytes(file.bytes)} read for ${formatBytes(file.record.bytesWritten)} written, ${several(file.record.rwSwitches, "change")} of direction`,
    }));
    return {
      severity: severityOf(job, seconds),
      statement:
        (mpi
          ? `The application only writes ${several(files.length, "file")}, and yet ${formatBytes(bytes)} are read below MPI-IO for ${formatBytes(written)} written (${percent(bytes, written)}); it asked for ${formatBytes(asked)}.`
          : `${several(files.length, "file")}: ${formatBytes(bytes)} are read in turns with ${formatBytes(written)} written, with ${several(switches, "change")} between reading and writing.`) +
        costSentence(job, seconds, "These reads take"),
      evidence: {
        numbers: [
          { label: "bytes read to be written", value: bytes, unit: "bytes", of: written },
          ...(mpi
            ? [{ label: "bytes the application asked to write", value: asked, unit: "bytes" } as const]
            : []),
          { label: "changes between reading and writing", value: switches, unit: "calls" },
          { label: "time in these reads, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstFiles(listed),
        ...spanOf(listed, "write"),
      },
      advice: mpi
        ? `The pieces leave holes, and MPI-IO reads what is in them (data sieving). Switch it off for writes (romio_ds_write=disable)${together ? "" : ", make the writes collective so that ranks fill one another's holes"}, ` +
          "and close the holes: order dimensions so that what is written together lies together, or write fill values as well."
        : "Gather the changes of a region in memory, then write the region once; where whole records are replaced, write them without reading.",
      snippet: mpi
        ? hints([
            { key: "romio_ds_write", value: "disable" },
            { key: "romio_cb_write", value: "enable" },
          ])
        : {
            language: "c",
            code: "pread(fd, region, bytes, offset);  /* once */\nfor (size_t i = 0; i < changes; i++) apply(region, &change[i]);\npwrite(fd, region, bytes, offset); /* once */",
          },
      effect: `Up to ${formatBytes(bytes)} less to read, and no locks between reading and writing a buffer.`,
      ...trust(
        job,
        ["POSIX", "MPI-IO"],
        mpi ? "high" : "medium",
        mpi
          ? "MPI-IO and POSIX were counted for the same file, and only POSIX shows the reads"
          : "reads and writes alternate in the same range; that they hit the same bytes is inferred",
      ),
    };
  },
});

const readAfterWrite = defineRule({
  id: "read-after-write",
  title: "Data read back",
  meaning:
    "A file is written and then read by the same job. The data was in memory; through the file system it costs twice, or comes from a cache and measures nothing.",
  needs: [["POSIX"]],
  thresholds: {
    share: {
      value: 0.5,
      unit: "share",
      meaning: "bytes read back of the bytes written to the file",
      source: "ours: less is a look at headers",
    },
    bytes: {
      value: 64 * MIB,
      unit: "bytes",
      meaning: "bytes read back from a file",
      source: "ours: less comes out of the page cache within milliseconds",
    },
  },
  judge(job, limits) {
    const rewritten = new Set(rewrittenFiles(job).map(({ record }) => record.fileId));
    const files = posixFiles(job)
      .filter((record) => !rewritten.has(record.fileId) && record.readStart >= record.writeEnd)
      .map((record) => {
        const traced = traceOf(job, record)?.writtenAndReadBytes;
        const exact = traced !== undefined && traced >= 0;
        const counted = Math.min(record.bytesRead, record.bytesWritten, extentOf(record, "read"));
        return { record, exact, bytes: exact ? traced : counted };
      })
      .filter(({ record, bytes }) => {
        const there = Math.min(record.bytesWritten, extentOf(record, "write"));
        return bytes >= limits.bytes && bytes >= limits.share * there;
      });
    if (files.length === 0) return undefined;
    const bytes = total(files, (file) => file.bytes);
    const written = total(files, ({ record }) => record.bytesWritten);
    const seconds = total(files, ({ record }) => record.readSeconds);
    const exact = files.every((file) => file.exact);
    const first = Math.min(...files.map(({ record }) => record.readStart - record.writeEnd));
    const listed: Listed[] = files.map((file) => ({
      record: file.record,
      weight: file.bytes,
      note: `${formatBytes(file.bytes)} of ${formatBytes(file.record.bytesWritten)} read back`,
    }));
    return {
      severity: severityOf(job, seconds, "warn"),
      statement:
        `${percent(bytes, written)} of the bytes written to ${several(files.length, "file")} (${formatBytes(bytes)} of ${formatBytes(written)}) are read back by the same job, ${first < 1 ? "right" : `${Number(first.toPrecision(3))} s`} after the last write.` +
        costSentence(job, seconds, "Reading them takes"),
      evidence: {
        numbers: [
          { label: "bytes read back", value: bytes, unit: "bytes", of: written },
          { label: "time in reads of these files, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstFiles(listed),
        ...spanOf(listed, "read"),
      },
      advice:
        "Hand the data on in memory, or put files that only this job needs on the node's own disk, in /dev/shm or on a burst buffer. In a benchmark let another node read them (IOR -C), or the page cache is what is measured.",
      snippet: {
        language: "shell",
        code: "# scratch files of the job on the node, not on the parallel file system\nexport SCRATCH_FILES=$TMPDIR # or /dev/shm",
      },
      effect: `Up to ${formatBytes(bytes)} less to read; for files that nobody needs later also ${formatBytes(written)} less to write.`,
      ...trust(
        job,
        ["POSIX"],
        exact ? "high" : "medium",
        exact
          ? "from the offsets of traced calls"
          : "from bytes, highest offsets and times; that the same bytes were read is inferred",
      ),
    };
  },
});

const overlappingWrites = defineRule({
  id: "overlapping-writes",
  title: "Ranks write the same bytes",
  meaning:
    "Different ranks write the same bytes of a file. Their locks collide, and unless they are ordered by the program, which data stays is left to chance.",
  needs: [["DXT_POSIX"]],
  thresholds: {
    share: {
      value: 0.01,
      unit: "share",
      meaning: "bytes of several ranks, of the different bytes written",
      source: "ours: less is headers that all ranks write alike",
    },
    bytes: {
      value: 64 * KIB,
      unit: "bytes",
      meaning: "bytes that several ranks wrote",
      source: "ours: more than headers and the edges of blocks",
    },
  },
  judge(job, limits) {
    const files = posixFiles(job)
      .map((record) => ({ record, write: traceOf(job, record)?.write }))
      .flatMap(({ record, write }) =>
        write === undefined
          ? []
          : [{ record, write, bytes: write.distinctByRankBytes - write.distinctBytes }],
      )
      .filter(({ bytes, write }) => bytes >= limits.bytes && bytes >= limits.share * write.distinctBytes);
    if (files.length === 0) return undefined;
    const bytes = total(files, (file) => file.bytes);
    const distinct = total(files, ({ write }) => write.distinctBytes);
    const seconds = total(files, ({ record }) => record.writeSeconds);
    const below = files.some(({ record }) => layerOf(job, record, "MPI-IO") !== undefined);
    const worst = files.reduce((a, b) => (b.bytes > a.bytes ? b : a));
    const listed: Listed[] = files.map((file) => ({
      record: file.record,
      weight: file.bytes,
      note: `${formatBytes(file.bytes)} more than the ${formatBytes(file.write.distinctBytes)} of different bytes, by ${several(file.write.ranks, "rank")}`,
    }));
    return {
      severity: bytes >= 0.1 * distinct ? "high" : "warn",
      statement:
        `Ranks wrote ${formatBytes(bytes)} that other ranks wrote too: together ${formatBytes(bytes + distinct)} of each rank's own bytes, in ${formatBytes(distinct)} of different bytes of ${several(files.length, "file")}. ` +
        `Which rank's data stays depends on the order${below ? "" : ", which POSIX does not fix"}.`,
      evidence: {
        numbers: [
          { label: "bytes that other ranks wrote too", value: bytes, unit: "bytes", of: distinct },
          { label: "time in writes of these files, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstFiles(listed),
        ...spanBetween(worst.write.firstSeconds, worst.write.lastSeconds),
      },
      advice:
        "Check the offsets: each byte should belong to one rank. Where all ranks hold the same data, let one of them write it; ghost cells belong to one owner." +
        (below
          ? " MPI-IO that sieves data also writes the holes between its own pieces: switch it off for writes (romio_ds_write=disable)."
          : ""),
      snippet: {
        language: "c",
        code: [
          "/* bytes before mine: each rank begins where the previous one ends */",
          "MPI_Offset mine = bytes, offset = 0;",
          "MPI_Exscan(&mine, &offset, 1, MPI_OFFSET, MPI_SUM, MPI_COMM_WORLD);",
          "if (rank == 0) offset = 0; /* MPI_Exscan leaves it undefined there */",
        ].join("\n"),
      },
      effect: "A file whose content does not depend on timing, and no waiting for locks of other ranks.",
      ...trust(
        job,
        ["POSIX", "DXT_POSIX"],
        below ? "low" : "medium",
        below
          ? "exact offsets, but MPI-IO may have written holes back unchanged, and ranks may be ordered by the program"
          : "exact offsets; whether the program orders the ranks is not recorded",
      ),
    };
  },
});

export const AGAIN_RULES: readonly Rule[] = [
  again("read"),
  again("write"),
  readModifyWrite,
  readAfterWrite,
  overlappingWrites,
];
