/** Rules on what MPI-IO is asked for: size, description and opens. */
import { formatBytes } from "../../../base/units.ts";
import { fewerOperations, largerCalls } from "../cost/remedies.ts";
import { defineRule, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor } from "../snippets/index.ts";
import { countOf, type Matched, smallCalls } from "./access-patterns.ts";
import { type Listed, spanOf, trust, worstRecords } from "./evidence.ts";
import {
  bytesMoved,
  bytesOf,
  callsOf,
  frequentSize,
  heaviest,
  mainWay,
  MIB,
  secondsOf,
  sum,
  type Way,
  WAYS,
} from "./measures.ts";
import { independentOf, isOpenedAlone, viewlessFiles } from "./mpi-io-files.ts";
import { layerOf, libraryFiles, mpiFiles } from "./per-job.ts";
import { costSentence, grouped, many, partOf, sizeText } from "./wording.ts";

interface Requests extends Matched {
  readonly way: Way;
}

const mpiioSmall = defineRule({
  id: "mpiio-small",
  title: "Small independent MPI-IO requests",
  subject: { text: "small MPI-IO requests", plural: true },
  picture: { kind: "sizes", upTo: "bytes" },
  meaning:
    "Many independent MPI-IO requests are below 1 MiB: the library has to gather, sieve or cache them. If they reach the " +
    "file system unchanged, or the reason is a lack of collective calls or of a file view, other findings say so.",
  needs: [["MPI-IO"]],
  thresholds: {
    bytes: limit`${MIB} bytes, at most | requests below this are small | Drishti: small_bytes`,
    share: limit`0.5 share | small requests as part of all independent requests to a file | Plimsoll's choice: most of them, since the library mends some`,
    calls: limit`1000 calls | small requests | Drishti: small_requests_absolute`,
  },
  judge(job, limits, others) {
    const library = libraryFiles(job);
    const said = others.claimed(["independent-mpiio", "independent-mpiio-reads", "mpiio-file-view"]);
    const saidBelow = {
      write: others.claimed(["small-writes", "sub-block-writes", "random-writes"], "write"),
      read: others.claimed(["small-reads", "random-reads"], "read"),
    };
    const files: Requests[] = mpiFiles(job)
      .filter(({ fileId }) => !said.has(fileId) && !library.has(fileId))
      .flatMap((record) =>
        WAYS.flatMap((way) => {
          const alone = independentOf(job, record, way);
          const count = Math.min(alone, smallCalls(record, way, limits.bytes));
          const most = alone >= 0.5 * callsOf(record, way) && count >= limits.share * alone;
          return count > 0 && most && !saidBelow[way].has(record.fileId) ? [{ record, way, count }] : [];
        }),
      );
    const count = countOf(files);
    if (!(count >= limits.calls)) return undefined;
    const calls = sum(files, ({ record, way }) => callsOf(record, way));
    const seconds = sum(files, ({ record, way }) => secondsOf(record, way));
    const worst = heaviest(files, (file) => file.count);
    const usual = frequentSize([worst.record], worst.way);
    const below = layerOf(job, worst.record, "POSIX");
    const asked = bytesOf(worst.record, worst.way);
    const moved = below === undefined ? Number.NaN : bytesOf(below, worst.way);
    const listed = listOf(
      files,
      (file) => `${many(file.count, `small ${file.way}`)} of ${grouped(callsOf(file.record, file.way))}`,
    );
    return {
      cost: largerCalls(job, files),
      measured: { bytes: asked / callsOf(worst.record, worst.way), share: count / calls, calls: count },
      statement:
        `${partOf(count, calls, "MPI-IO requests")} to ${many(files.length, "file")} are independent and below ${sizeText(limits.bytes)}` +
        `${usual === undefined ? "" : `; the most frequent size is ${sizeText(usual)}`}.` +
        (moved > 1.1 * asked
          ? ` Below MPI-IO, ${formatBytes(moved)} are moved for the ${formatBytes(asked)} that the application requests in ${worst.record.path}.`
          : "") +
        costSentence(job, seconds),
      evidence: {
        numbers: [
          { label: "small independent requests", value: count, unit: "calls", of: calls },
          { label: "bytes requested", value: asked, unit: "bytes" },
          ...(moved >= 0 ? [{ label: "bytes moved below", value: moved, unit: "bytes" } as const] : []),
          { label: "time in these requests, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, worst.way),
      },
      action: {
        change: "Make one collective call",
        advice: `Pass all pieces of a rank to one call, collective if all ranks take part (MPI_File_${worst.way}_at_all), with a file view if they are scattered.`,
        snippet: snippetFor(job, SNIPPETS.collectiveCall, worst),
      },
      effect: "One call instead of thousands, and no unrequested bytes.",
      ...trust(
        job,
        ["MPI-IO"],
        "medium",
        "the log counts sizes of independent and collective requests together",
      ),
    };
  },
});

const fileView = defineRule({
  id: "mpiio-file-view",
  title: "No file view for scattered requests",
  subject: { text: "scattered MPI-IO requests", plural: true },
  picture: { kind: "sizes" },
  meaning:
    "Ranks make many small MPI-IO calls on scattered pieces without a file view. With a view, one call describes all pieces. " +
    "Independent calls on shared files are left to independent-mpiio.",
  needs: [["MPI-IO"]],
  thresholds: {
    bytes: limit`${MIB} bytes, at most | mean size of the requests | Drishti: small_bytes`,
    perRank: limit`100 calls | requests of each rank | Plimsoll's choice: that many calls, each of them a synchronisation of all ranks if they are collective, can become one`,
    apart: limit`0.5 share | requests that do not begin where the previous one of the rank ended | Plimsoll's choice: most of them`,
    calls: limit`1000 calls | requests | Drishti: small_requests_absolute`,
  },
  judge(job, limits, others) {
    const random = {
      write: others.claimed(["random-writes"], "write"),
      read: others.claimed(["random-reads"], "read"),
    };
    const files = viewlessFiles(job, limits, (fileId, way) => random[way].has(fileId));
    if (files.length === 0) return undefined;
    const count = countOf(files);
    const worst = heaviest(files, (file) => file.count);
    const seconds = sum(files, ({ record, way }) => secondsOf(record, way));
    const mean = bytesOf(worst.record, worst.way) / worst.count;
    const listed = listOf(
      files,
      (file) =>
        `${many(file.count, file.collective ? `collective ${file.way}` : file.way)} by ${many(file.record.ranks, "rank")}, no view`,
    );
    return {
      cost: largerCalls(job, files),
      measured: { bytes: mean, perRank: worst.count / worst.record.ranks, calls: count },
      statement:
        `${many(worst.record.ranks, "rank makes", "ranks make")} ${many(worst.count, worst.collective ? `collective ${worst.way}` : worst.way)} of ${sizeText(Math.round(mean))} on average to ${worst.record.path} without a file view; ` +
        `${partOf(worst.apart * worst.count, worst.count, "them")} do not start where the previous one ended.` +
        costSentence(job, seconds),
      evidence: {
        numbers: [
          { label: "requests without a view", value: count, unit: "calls" },
          { label: "requests not adjacent to the previous one", value: worst.apart, unit: "share" },
          { label: "mean size", value: mean, unit: "bytes", size: true },
          { label: "time in these requests, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, worst.way),
      },
      action: {
        change: "Set a file view",
        advice:
          "Build a datatype of all pieces of the rank (MPI_Type_vector, MPI_Type_create_subarray or MPI_Type_create_hindexed), set it as the file view and make one call; for a single process this is datatype I/O, the best method without other ranks (A. Ching et al., NCIO, section 6).",
        snippet: snippetFor(job, SNIPPETS.vectorView, {
          way: worst.way,
          regionBytes: mean,
          gapBytes: worst.record.strides[0]?.bytes ?? 0,
        }),
      },
      effect: worst.collective
        ? "Ranks synchronise once instead of for every piece."
        : "The library sees all pieces and can merge or sieve them.",
      ...trust(
        job,
        ["MPI-IO"],
        worst.traced ? "high" : "medium",
        worst.traced
          ? "from the offsets of traced calls"
          : "the access order is taken from the POSIX calls below",
      ),
      claims: files.map(({ record: { fileId }, way }) => ({ fileId, way })),
    };
  },
});

const openPerRank = defineRule({
  id: "mpiio-open-per-rank",
  title: "File opened by each rank alone",
  subject: { text: "opens by single ranks", plural: true },
  picture: { kind: "files", by: "opens" },
  meaning:
    "Many ranks open the same file through MPI-IO, each with its own communicator (MPI_COMM_SELF): collective calls, shared hints and a single open on the metadata server are lost.",
  needs: [["MPI-IO"]],
  thresholds: {
    ranks: limit`8 ranks | ranks that open the file alone | Plimsoll's choice: with fewer ranks, separate opens do no harm`,
    bytes: limit`${MIB} bytes | bytes moved through these opens | Plimsoll's choice: less is, for example, a namelist that each rank reads`,
  },
  judge(job, limits) {
    const files = mpiFiles(job).filter(
      (record) => isOpenedAlone(record) && record.ranks >= limits.ranks && bytesMoved(record) >= limits.bytes,
    );
    if (files.length === 0) return undefined;
    const worst = heaviest(files, (record) => record.opens);
    const opens = sum(files, (record) => record.opens);
    const seconds = sum(files, (record) => record.metaSeconds);
    const listed: Listed[] = files.map((record) => ({
      record,
      weight: record.opens,
      note: `${many(record.opens, "open")} by ${many(record.ranks, "rank")}, none together`,
    }));
    return {
      cost: fewerOperations(
        files.map((record) => ({ record, needed: 1, made: record.opens })),
        "one open for all ranks at the mean cost of an open",
      ),
      measured: { ranks: worst.ranks, bytes: bytesMoved(worst) },
      statement:
        `Each rank opens ${many(files.length, "file")} through MPI-IO by itself: ${many(opens, "open")}, none of them together; ${worst.path} is opened by ${many(worst.ranks, "rank")}.` +
        costSentence(job, seconds, "Opens and closes of such files take"),
      evidence: {
        numbers: [
          { label: "opens of a single rank", value: opens, unit: "calls", of: opens },
          { label: "ranks", value: worst.ranks, unit: "ranks" },
          { label: "time in opens and closes, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, mainWay(worst)),
      },
      action: {
        change: "Open the file once for all ranks",
        advice:
          "Open the file once with the communicator of all ranks that use it; independent calls still work, and collective ones become possible.",
        snippet: snippetFor(job, SNIPPETS.openTogether),
      },
      effect: "One open for all ranks if the library supports it (deferred open), and two-phase I/O.",
      ...trust(job, ["MPI-IO"], "high", "opens on a communicator of one process are counted separately"),
    };
  },
});

function listOf<T extends Requests>(files: readonly T[], note: (file: T) => string): Listed[] {
  return files.map((file) => ({ record: file.record, weight: file.count, note: note(file) }));
}

export const REQUEST_RULES: readonly Rule[] = [mpiioSmall, fileView, openPerRank];
