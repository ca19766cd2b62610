/** Rules on the order of accesses, and on the calls between them. */
import type { Job } from "../job.ts";
import { defineRule, type Judgement, type Rule } from "../rule.ts";
import {
  layerOf,
  posixFiles,
  RANDOM,
  randomFiles,
  STRIDED,
  type Strided,
  stridedFiles,
} from "./access-patterns.ts";
import { collectiveCall, prefetch, setvbufLarge, sortedWrites, vectorView } from "./snippets-a.ts";
import {
  bytesOf,
  callsOf,
  costSentence,
  frequentSize,
  grouped,
  isPlainFile,
  KIB,
  type Listed,
  percent,
  secondsOf,
  several,
  severityOf,
  sizeText,
  spanOf,
  theseFiles,
  times,
  total,
  trust,
  type Way,
  worstFiles,
} from "./words-a.ts";

function random(way: Way): Rule {
  const what = `${way}s`;
  return defineRule({
    id: `random-${what}`,
    title: way === "read" ? "Random reads" : "Random writes",
    meaning:
      `Many ${what} begin before the end of the previous one of their rank: neither read-ahead nor the joining of ` +
      "neighbouring requests helps. A file that is read again from its beginning does not count.",
    needs: [["POSIX"]],
    thresholds: {
      share: {
        value: RANDOM.share,
        unit: "share",
        meaning: `${what} of a file that go back; of accesses in random order about half do`,
        source: "Drishti: random_operations",
      },
      calls: {
        value: RANDOM.calls,
        unit: "calls",
        meaning: `${what} that go back`,
        source: "Drishti: random_operations_absolute",
      },
    },
    drishti: way === "read" ? "P11" : "P13",
    judge(job, limits) {
      const files = randomFiles(job, way, limits);
      if (files.length === 0) return undefined;
      const records = files.map(({ record }) => record);
      const count = total(files, (file) => file.count);
      const calls = total(records, (record) => callsOf(record, way));
      const seconds = total(records, (record) => secondsOf(record, way));
      const usual = frequentSize(records, way);
      const listed: Listed[] = files.map((file) => ({
        record: file.record,
        weight: file.count,
        note: `${grouped(file.count)} of ${several(callsOf(file.record, way), way)} go back`,
      }));
      const mpi = files.some(({ record }) => layerOf(job, record, "MPI-IO") !== undefined);
      return {
        severity: severityOf(job, seconds),
        statement:
          `${percent(count, calls)} of ${what} (${grouped(count)} of ${grouped(calls)}) to ${several(files.length, "file")} begin before the end of the previous one of their rank` +
          `${usual === undefined ? "" : `; the most frequent size is ${sizeText(usual)}`}.` +
          costSentence(
            job,
            seconds,
            `${way === "write" ? "Writing" : "Reading"} ${theseFiles(files.length)} takes`,
          ),
        evidence: {
          numbers: [
            { label: `${what} that go back`, value: count, unit: "calls", of: calls },
            ...(usual === undefined
              ? []
              : [{ label: "most frequent size", value: usual, unit: "bytes" } as const]),
            { label: `time in ${what} of these files, all ranks`, value: seconds, unit: "seconds" },
          ],
          ...worstFiles(listed),
          ...spanOf(listed, way),
        },
        ...randomAdvice(way, mpi),
        effect:
          way === "read"
            ? "Sorted requests can be joined and prefetched; those that stay scattered no longer fetch data that nobody uses."
            : "Sorted requests can be joined into whole stripes before they reach the servers.",
        ...trust(
          job,
          ["POSIX"],
          "high",
          "counted by the recorder for every access; the first access of each open and whole passes are taken off",
        ),
      };
    },
  });
}

function randomAdvice(way: Way, mpi: boolean): Pick<Judgement, "advice" | "snippet"> {
  const order =
    way === "read"
      ? "Sort what is wanted by its offset before reading it"
      : "Sort pieces by their offset before writing them";
  if (mpi)
    return {
      advice: `${order}, describe the pieces in a file view (MPI_Type_create_hindexed) and make one collective call; two-phase I/O then moves large contiguous ranges.`,
      snippet: collectiveCall(way),
    };
  return way === "read"
    ? {
        advice: `${order}, announce the next pieces with posix_fadvise, and join neighbours. If every epoch reads the whole file in another order, read large blocks and shuffle in memory, or copy the file to the nodes first.`,
        snippet: prefetch,
      }
    : {
        advice: `${order} and write runs of neighbours with one call; if the order of arrival is random by nature, append to a log and sort it once at the end.`,
        snippet: sortedWrites,
      };
}

/** Seed 004 (Ching et al., NCIO), section 6. */
const NCIO = "A. Ching et al., NCIO, section 6";
const REGIONS_MANY = 16384;
const SIEVE_GAP_BYTES = KIB;

const noncontiguous = defineRule({
  id: "noncontiguous",
  title: "Strided small accesses",
  meaning:
    "Ranks access small pieces at equal gaps, one POSIX call a piece. Described as one noncontiguous access, MPI-IO can " +
    "join them: by datatype I/O, data sieving or two-phase I/O, depending on size, number and density of the pieces.",
  needs: [["POSIX"]],
  thresholds: {
    share: {
      value: STRIDED.share,
      unit: "share",
      meaning: "accesses of a file at one of its four most frequent gaps",
      source: "ours: a file with less is not strided as a whole",
    },
    calls: {
      value: STRIDED.calls,
      unit: "calls",
      meaning: "strided accesses",
      source: "as small-writes (Drishti: small_requests_absolute)",
    },
    bytes: {
      value: STRIDED.bytes,
      unit: "bytes",
      meaning: "mean size of the pieces",
      source: "Drishti: small_bytes",
    },
    regions: {
      value: REGIONS_MANY,
      unit: "count",
      meaning:
        "pieces of a rank above which two-phase I/O is advised even where ranks do not wait for one another",
      source: NCIO,
    },
    sieveGap: {
      value: SIEVE_GAP_BYTES,
      unit: "bytes",
      meaning: "gap up to which data sieving is advised",
      source: "A. Ching et al., NCIO, section 5.3: sieving wins up to about 1 KByte spacing",
    },
  },
  judge(job, limits) {
    const files = stridedFiles(job, limits);
    if (files.length === 0) return undefined;
    const worst = files.reduce((a, b) => (b.count > a.count ? b : a));
    const count = total(files, (file) => file.count);
    const calls = total(files, ({ record, way }) => callsOf(record, way));
    const seconds = total(files, ({ record, way }) => secondsOf(record, way));
    const density = worst.regionBytes / (worst.regionBytes + worst.gapBytes);
    const listed: Listed[] = files.map((file) => ({
      record: file.record,
      weight: file.count,
      note: `${several(file.count, `strided ${file.way}`)}: ${sizeText(file.regionBytes)}${file.gapBytes > 0 ? `, then a gap of ${sizeText(file.gapBytes)}` : ""}`,
    }));
    return {
      severity: severityOf(job, seconds),
      statement:
        `${percent(count, calls)} of accesses (${grouped(count)} of ${grouped(calls)}) to ${several(files.length, "file")} come at a regular gap: in ${worst.record.path} ` +
        `ranks ${worst.way} ${sizeText(worst.regionBytes)}${worst.gapBytes > 0 ? ` and skip ${sizeText(worst.gapBytes)} (${percent(density, 1)} of the range is used by a rank)` : ""}.` +
        costSentence(job, seconds),
      evidence: {
        numbers: [
          { label: "strided accesses", value: count, unit: "calls", of: calls },
          { label: "piece", value: worst.regionBytes, unit: "bytes" },
          { label: "gap", value: worst.gapBytes, unit: "bytes" },
          { label: "density", value: density, unit: "share" },
          {
            label: "bytes moved",
            value: total(files, ({ record, way }) => bytesOf(record, way)),
            unit: "bytes",
          },
          { label: "time in these accesses, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstFiles(listed),
        ...spanOf(listed, worst.way),
      },
      advice: stridedAdvice(job, worst, limits),
      snippet: vectorView(worst.way, worst.regionBytes, worst.gapBytes),
      effect:
        "One call describes all pieces of a rank, and the library moves large contiguous ranges instead of single pieces.",
      ...trust(
        job,
        ["POSIX"],
        worst.source === "traces" ? "high" : "medium",
        worst.source === "traces"
          ? "from the offsets of every traced call"
          : "from the four most frequent gaps of each rank; which ranks fill one another's gaps is not recorded",
      ),
    };
  },
});

function stridedAdvice(
  job: Job,
  { record, way, count, gapBytes }: Strided,
  limits: { regions: number; sieveGap: number },
): string {
  const perRank = count / record.ranks;
  const dense = gapBytes <= limits.sieveGap;
  const source = `(${NCIO})`;
  if (record.ranks === 1 || job.ranks === 1)
    return dense
      ? `One process makes all the calls and gaps are at most ${sizeText(limits.sieveGap)}: ${way} the whole range in large pieces and pick in memory (data sieving), or let MPI-IO do it with a file view and romio_ds_${way}=enable ${source}.`
      : `One process makes all the calls: use MPI-IO with a file view (datatype I/O), the best of the methods without other ranks ${source}; gaps above ${sizeText(limits.sieveGap)} make data sieving a loss, so set romio_ds_${way}=disable.`;
  if (perRank > limits.regions)
    return `Each rank makes about ${grouped(perRank)} accesses, more than ${grouped(limits.regions)} small pieces: use two-phase I/O, that is a file view and MPI_File_${way}_all ${source}. Ranks wait for one another in these calls, so make them where they meet anyway.`;
  return `Use MPI-IO with a file view instead of a POSIX call for each piece. Where all ranks ${way} at the same time, MPI_File_${way}_all (two-phase I/O) joins the pieces of all ranks; where they do not, MPI_File_${way} with the same view (datatype I/O) avoids the waiting${dense ? `, and gaps of at most ${sizeText(limits.sieveGap)} allow data sieving` : ""} ${source}. Larger pieces and smaller gaps help every method.`;
}

const excessSeeks = defineRule({
  id: "excess-seeks",
  title: "Many seeks",
  meaning:
    "POSIX seeks that no jump in the file asks for, which cost a system call each, and seeks of C streams, which also throw the buffer away.",
  needs: [["POSIX", "STDIO"]],
  thresholds: {
    share: {
      value: 0.5,
      unit: "ratio",
      meaning: "such seeks per read or write",
      source: "ours: with fewer, most accesses need no seek already",
    },
    calls: {
      value: 1000,
      unit: "calls",
      meaning: "such seeks",
      source: "ours: a seek costs about a microsecond, so only thousands can be felt",
    },
  },
  judge(job, limits) {
    const files = [...posixFiles(job), ...job.layer("STDIO").filter(isPlainFile)]
      .map((record) => {
        const accesses = (record.reads || 0) + (record.writes || 0);
        // A seek after an open, or before an access that jumps, is needed. Streams do not count jumps.
        const jumps =
          record.layer === "POSIX" ? accesses - record.consecutiveReads - record.consecutiveWrites : 0;
        return { record, accesses, count: record.seeks - (record.opens || 0) - jumps };
      })
      .filter(({ count, accesses }) => count >= limits.share * accesses && accesses > 0);
    const count = total(files, (file) => file.count);
    if (!(count >= limits.calls)) return undefined;
    const accesses = total(files, (file) => file.accesses);
    const streams = files.some(({ record }) => record.layer === "STDIO");
    const seconds = total(files, ({ record }) => record.metaSeconds);
    const listed: Listed[] = files.map((file) => ({
      record: file.record,
      weight: file.count,
      note: `${several(file.record.seeks, "seek")} (${file.record.layer}) for ${`${grouped(file.accesses)} accesses`}`,
    }));
    return {
      severity: severityOf(job, seconds, streams ? "high" : "warn"),
      statement:
        `${several(count, "seek")} ${streams ? "on C streams" : "that no jump between accesses needs"}, for ${grouped(accesses)} accesses to ${several(files.length, "file")} (${times(count / accesses)} as many).` +
        costSentence(job, seconds, `Metadata calls of ${theseFiles(files.length)}, seeks among them, take`),
      evidence: {
        numbers: [
          { label: streams ? "seeks" : "seeks without a jump", value: count, unit: "calls" },
          { label: "reads and writes", value: accesses, unit: "calls" },
          { label: "time in metadata calls of these files, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstFiles(listed),
      },
      advice: streams
        ? "Do not call fseek, rewind or ftell+fseek to a place where the stream already stands; each call drops the buffer, so that the next read fetches it again. Read the region into memory instead."
        : "Leave out lseek where the file position is right already, or use pread and pwrite, which carry the offset with them.",
      snippet: streams
        ? setvbufLarge
        : {
            language: "c",
            code: "pread(fd, buffer, bytes, offset);  /* instead of lseek() and read() */\npwrite(fd, buffer, bytes, offset); /* instead of lseek() and write() */",
          },
      effect: streams
        ? "Buffers stay valid, so that reads of the file system become fewer and larger."
        : "One system call less for each access.",
      ...trust(
        job,
        ["POSIX", "STDIO"],
        "medium",
        "jumps are counted for POSIX only, and seeks are not timed apart",
      ),
    };
  },
});

const excessSyncs = defineRule({
  id: "excess-syncs",
  title: "Frequent syncs",
  meaning:
    "fsync, fdatasync or MPI_File_sync after every few writes: each waits until the servers have the data on disk, so writes cannot be joined or overlap.",
  needs: [["POSIX", "MPI-IO"]],
  thresholds: {
    share: {
      value: 0.1,
      unit: "ratio",
      meaning: "syncs per write of a file",
      source: "ours: at one sync for ten writes the wait for the disk is on the way of every write",
    },
    calls: {
      value: 100,
      unit: "calls",
      meaning: "syncs of a file",
      source: "ours: at about 10 ms a sync, a hundred of them are a second",
    },
    perRank: {
      value: 10,
      unit: "calls",
      meaning: "syncs of a file by each rank",
      source: "ours: a sync by all ranks at the end of a file is one a rank and sound",
    },
  },
  judge(job, limits) {
    const files = [
      ...job.layer("MPI-IO"),
      ...posixFiles(job).filter((record) => !((layerOf(job, record, "MPI-IO")?.syncs ?? 0) > 0)),
    ]
      .filter(
        (record) =>
          record.syncs >= limits.calls &&
          record.syncs >= limits.perRank * record.ranks &&
          record.syncs >= limits.share * record.writes,
      )
      .map((record) => ({ record, count: record.syncs }));
    if (files.length === 0) return undefined;
    const count = total(files, (file) => file.count);
    const writes = total(files, ({ record }) => record.writes);
    const seconds = total(files, ({ record }) => record.writeSeconds);
    const mpi = files.some(({ record }) => record.layer === "MPI-IO");
    const listed: Listed[] = files.map(({ record }) => ({
      record,
      weight: record.syncs,
      note: `${several(record.syncs, "sync")} for ${several(record.writes, "write")} (${record.layer})`,
    }));
    return {
      severity: severityOf(job, seconds),
      statement:
        `${several(count, "sync")} for ${several(writes, "write")} to ${several(files.length, "file")}: one sync for every ${Number((writes / count).toPrecision(2))} writes.` +
        costSentence(job, seconds, `Writes and syncs of ${theseFiles(files.length)} take`),
      evidence: {
        numbers: [
          { label: "syncs", value: count, unit: "calls" },
          { label: "writes", value: writes, unit: "calls" },
          { label: "time in writes and syncs of these files, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstFiles(listed),
        ...spanOf(listed, "write"),
      },
      advice: mpi
        ? "Call MPI_File_sync once, after the last write of a checkpoint; MPI_File_close makes the data visible to others by itself."
        : "Sync once, after the last write of a file, and rename the file into place; a crash then loses the new file at most, never the old one.",
      snippet: {
        language: "c",
        code: mpi
          ? "for (int i = 0; i < pieces; i++) MPI_File_write_all(fh, piece[i], count, type, &status);\nMPI_File_sync(fh); /* once */"
          : 'for (size_t i = 0; i < pieces; i++) write(fd, piece[i], bytes);\nfdatasync(fd); /* once */\nclose(fd);\nrename("checkpoint.new", "checkpoint");',
      },
      effect:
        "Writes go to the caches of clients and servers and are joined there; the disk is waited for once.",
      ...trust(
        job,
        ["POSIX", "MPI-IO"],
        "high",
        "counted by the recorder for every call; the time of syncs is contained in that of writes",
      ),
    };
  },
});

export const ORDER_RULES: readonly Rule[] = [
  random("read"),
  random("write"),
  noncontiguous,
  excessSeeks,
  excessSyncs,
];
