/** Rules on collective MPI-IO: where it is missing, and how it is set up. */
import { formatBytes } from "../../../base/units.ts";
import { largerCalls, NO_COST, unknownCost } from "../cost/remedies.ts";
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { type Action, type CostClaim, defineRule, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor, wayOf } from "../snippets/index.ts";
import { isCollective } from "./access-patterns.ts";
import { type Listed, spanOf, trust, worstRecords } from "./evidence.ts";
import {
  accessesOf,
  accessSeconds,
  bytesOf,
  callsOf,
  heaviest,
  KIB,
  known,
  mainWay,
  MIB,
  secondsOf,
  sum,
  type Way,
} from "./measures.ts";
import { independentFiles, independentOf } from "./mpi-io-files.ts";
import { fileOf, HDF5_NAME, hdf5Files, layerOf, mpiFiles, stripeOf, traceOf } from "./per-job.ts";
import {
  costSentence,
  grouped,
  many,
  partOf,
  partOfSeconds,
  percent,
  sizeText,
  theseFiles,
} from "./wording.ts";

function independent(way: Way): Rule {
  const what = `${way}s`;
  return defineRule({
    id: way === "write" ? "independent-mpiio" : "independent-mpiio-reads",
    title: way === "write" ? "Independent MPI-IO writes" : "Independent MPI-IO reads",
    subject: { text: `independent MPI-IO ${way}s`, plural: true },
    picture: { kind: "sizes", way },
    meaning:
      `Several ranks ${way} the same file through MPI-IO, mostly with independent calls: the library cannot combine their ` +
      "requests, and every rank talks to the servers.",
    needs: [["MPI-IO"]],
    thresholds: {
      share: limit`0.5 share | independent ${what} of all ${what} of a file | Drishti: collective_operations`,
      calls: limit`100 calls | independent ${what} | Plimsoll's choice: fewer calls are not a pattern; the severity follows from their cost`,
    },
    drishti: way === "write" ? "M03" : "M02",
    judge(job, limits) {
      const files = independentFiles(job, way, limits);
      if (files.length === 0) return undefined;
      const count = sum(files, (record) => independentOf(job, record, way));
      const calls = sum(files, (record) => callsOf(record, way));
      const seconds = sum(files, (record) => secondsOf(record, way));
      const bytes = sum(files, (record) => bytesOf(record, way));
      const worst = heaviest(files, (record) => independentOf(job, record, way));
      const mean = bytesOf(worst, way) / callsOf(worst, way);
      // Sizes and times of independent and collective calls on a file are not recorded apart.
      const mixed = files.some((record) => independentOf(job, record, way) < callsOf(record, way));
      const hdf5 = hdf5Files(job).has(worst.fileId)
        ? "The file is HDF5"
        : HDF5_NAME.test(worst.path)
          ? "If HDF5 wrote the file, as its name suggests"
          : undefined;
      const listed: Listed[] = files.map((record) => ({
        record,
        weight: independentOf(job, record, way),
        note: `${many(independentOf(job, record, way), `independent ${way}`)} by ${many(record.ranks, "rank")}, ${many(known(way === "read" ? record.collectiveReads : record.collectiveWrites), "collective one")}`,
      }));
      return {
        cost: atMostIf(
          bytes >= EXCHANGED_BYTES * calls,
          largerCalls(
            job,
            files.map((record) => ({ record, way })),
          ),
        ),
        measured: { share: count / calls, calls: count },
        statement:
          `${partOf(count, calls, `MPI-IO ${what}`)} ${way === "read" ? "from" : "to"} ${many(files.length, "shared file")} are independent; ${worst.path} is ${way === "read" ? "read" : "written"} by ${many(worst.ranks, "rank")}${independentOf(job, worst, way) === callsOf(worst, way) && mean >= 0 ? ` in calls of ${sizeText(Math.round(mean))} on average` : ""}.` +
          costSentence(
            job,
            seconds,
            mixed ? `All MPI-IO ${what} of ${theseFiles(files.length)} take` : "They take",
          ),
        evidence: {
          numbers: [
            { label: `independent ${what}`, value: count, unit: "calls", of: calls },
            { label: "bytes", value: bytes, unit: "bytes" },
            { label: "ranks", value: worst.ranks, unit: "ranks" },
            { label: `time in ${what} of these files, all ranks`, value: seconds, unit: "seconds" },
          ],
          ...worstRecords(listed),
          ...spanOf(listed, way),
        },
        action: collectiveAction(job, worst, way, mean, hdf5),
        effect:
          mean < MIB
            ? "Aggregators combine the pieces of all ranks into requests of megabytes."
            : "Fewer clients talk to each server, and requests are split at stripes; with calls of this size the gain is fewer lock conflicts, not fewer requests.",
        ...trust(job, ["MPI-IO"], "high", "independent and collective calls are counted separately"),
        claims: files.map(({ fileId }) => ({ fileId, way })),
      };
    },
  });
}

/** Bursts of activity with quiet time between them. */
function burstCount(job: Job): number {
  const { activity } = job;
  if (activity === undefined) return Number.NaN;
  let bursts = 0;
  let busy = false;
  activity.bytesRead.forEach((read, bin) => {
    const moved = read + (activity.bytesWritten[bin] as number) > 0;
    if (moved && !busy) bursts++;
    busy = moved;
  });
  return bursts;
}

/** Ours: handing smaller pieces to aggregators takes next to nothing beside what their calls take. */
const EXCHANGED_BYTES = 128 * KIB;

/** Ours, as hdf5-metadata has it: headers and nodes of HDF5 are smaller. */
const HEADER_BYTES = 10 * KIB;

const atMostIf = (isBound: boolean, cost: CostClaim): CostClaim =>
  isBound && cost.kind === "remedy" ? { ...cost, atMost: true } : cost;

function collectiveAction(
  job: Job,
  { views }: LayerRecord,
  way: Way,
  mean: number,
  hdf5: string | undefined,
): Action {
  const change = `Make MPI-IO ${way}s collective`;
  const all =
    "All ranks must make the call, those without data with a count of 0; if ranks arrive at very different times, waiting can cost more than the call gains.";
  if (hdf5 !== undefined && way === "read" && mean < HEADER_BYTES)
    return {
      change: "Make HDF5 metadata collective",
      advice: `${hdf5}, such small reads by every rank are headers and indexes: make metadata collective (H5Pset_all_coll_metadata_ops), so that one rank reads it and broadcasts it.`,
      snippet: snippetFor(job, SNIPPETS.hdf5Metadata, { way }),
    };
  if (hdf5 !== undefined)
    return {
      change,
      advice: `${hdf5}: set collective transfers with H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE). ${all}`,
      snippet: snippetFor(job, SNIPPETS.hdf5Collective, { way }),
    };
  const view =
    views === 0
      ? "; if a rank's pieces are scattered, set a file view first, so that one call moves them all"
      : "";
  return {
    change,
    advice: `Replace MPI_File_${way}_at by MPI_File_${way}_at_all where all ranks ${way}${view}. ${all}`,
    snippet: snippetFor(job, SNIPPETS.collectiveCall, { way }),
  };
}

const blocking = defineRule({
  id: "blocking-mpiio",
  title: "Blocking MPI-IO between computing",
  subject: { text: "blocking MPI-IO" },
  picture: { kind: "timeline" },
  meaning:
    "A job alternates between computing and I/O and uses only blocking calls. Non-blocking calls can hide part of the I/O behind the next step.",
  needs: [["MPI-IO"], ["activity", "POSIX calls", "MPI-IO calls"]],
  thresholds: {
    share: limit`0.25 share | I/O time of the slowest rank as part of the run time | Plimsoll's choice: hiding less than a quarter of the run is rarely worth a second buffer`,
    bursts: limit`3 count | I/O phases with quiet time between them | Plimsoll's choice: an input and an output alone leave nothing to overlap with`,
  },
  drishti: "M06, M07",
  judge(job, limits, others) {
    const rewritten = others.claimed(["read-modify-write"]);
    const files = mpiFiles(job).filter(({ fileId }) => !rewritten.has(fileId));
    const calls = sum(files, accessesOf);
    const other = sum(
      files,
      (record) =>
        known(record.nonblockingReads) +
        known(record.nonblockingWrites) +
        known(record.splitReads) +
        known(record.splitWrites),
    );
    const bursts = burstCount(job);
    const share = job.io.slowestShare;
    const seconds = sum(files, accessSeconds);
    if (!(calls > 0 && other === 0 && share >= limits.share && bursts >= limits.bursts && share < 1))
      return undefined;
    if (!(seconds * 2 >= job.io.readSeconds + job.io.writeSeconds)) return undefined;
    const listed: Listed[] = files
      .filter((record) => record.reads + record.writes > 0)
      .map((record) => ({
        record,
        weight: accessSeconds(record),
        note: many(record.reads + record.writes, "blocking call"),
      }));
    return {
      cost: NO_COST,
      measured: { share, bursts },
      statement: `All ${grouped(calls)} reads and writes through MPI-IO block, in ${many(bursts, "phase")} of I/O with quiet time between them; I/O takes the slowest rank ${partOfSeconds(job.io.slowestSeconds, job.runSeconds, "the run time")}.`,
      evidence: {
        numbers: [
          { label: "blocking calls", value: calls, unit: "calls", of: calls + other },
          { label: "phases of I/O", value: bursts, unit: "count" },
          { label: "I/O time of the run, slowest rank", value: share, unit: "share" },
        ],
        ...worstRecords(listed),
      },
      action: meanwhile(job, wayOf(files)),
      effect: `At best the shorter of computing and I/O is hidden behind the other: up to ${percent(Math.min(share, 1 - share))} of the run time.`,
      ...trust(
        job,
        ["MPI-IO"],
        "low",
        "whether the program could have continued without the data is not recorded",
      ),
    };
  },
});

const meanwhile = (job: Job, way: Way): Action => ({
  change: way === "write" ? "Write while computing" : "Read ahead while computing",
  advice: `${way === "write" ? "Copy the data of a step and write it" : "Read the data of the next step"} with a non-blocking collective call while the ${way === "write" ? "next step" : "program computes on this one"} ${way === "write" ? "runs, " : ""}and then wait. How much actually overlaps depends on the MPI library's progress threads; HDF5 has an asynchronous connector (vol-async).`,
  snippet: snippetFor(job, SNIPPETS.overlap, { way }),
});

const noHints = defineRule({
  id: "no-hints",
  title: "Collective MPI-IO without hints",
  subject: { text: "unhinted collective MPI-IO" },
  picture: { kind: "sizes" },
  meaning:
    "Collective MPI-IO on Lustre reaches the file system in requests that do not fill a stripe, and no hint tells the library otherwise.",
  needs: [["MPI-IO"], ["POSIX"], ["layout"]],
  thresholds: {
    fill: limit`0.5 share, at most | mean request below MPI-IO as part of a stripe | Plimsoll's choice: ROMIO's Lustre driver aims at whole stripes; edges may be shorter`,
    bytes: limit`${256 * MIB} bytes | bytes of the file | Plimsoll's choice: with smaller files, hints do not matter`,
  },
  judge(job, limits, others) {
    const small = others.claimed(["small-writes", "small-reads"]);
    const files = mpiFiles(job).flatMap((record) => {
      const posix = layerOf(job, record, "POSIX");
      const way = mainWay(record);
      if (posix === undefined || record.hints !== 0 || small.has(record.fileId)) return [];
      if (!isCollective(record, way) || !(bytesOf(record, way) >= limits.bytes)) return [];
      // Some MPI libraries write past the calls that the recorder wraps.
      if (!(bytesOf(posix, way) >= 0.5 * bytesOf(record, way))) return [];
      const request = bytesOf(posix, way) / callsOf(posix, way);
      const stripe = stripeOf(job, posix);
      return request < limits.fill * stripe ? [{ record, way, request, stripe } as const] : [];
    });
    if (files.length === 0) return undefined;
    const worst = heaviest(files, ({ record, way }) => bytesOf(record, way));
    const listed: Listed[] = files.map(({ record, way, request, stripe }) => ({
      record,
      weight: bytesOf(record, way),
      note: `requests of ${sizeText(request)} on average, stripe ${sizeText(stripe)}`,
    }));
    return {
      cost: NO_COST,
      measured: { fill: worst.request / worst.stripe, bytes: bytesOf(worst.record, worst.way) },
      statement: `${many(files.length, "file is", "files are")} accessed collectively on Lustre and without hints; requests to ${worst.record.path} average ${sizeText(worst.request)}, its stripe is ${sizeText(worst.stripe)}.`,
      evidence: {
        numbers: [
          { label: "mean request", value: worst.request, unit: "bytes", size: true },
          { label: "stripe", value: worst.stripe, unit: "bytes", size: true },
          {
            label: "opens that passed hints",
            value: 0,
            unit: "calls",
            of: sum(files, ({ record }) => record.opens),
          },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, worst.way),
      },
      action: stripeHints(job, worst, fileOf(job, worst.record)?.stripeCount || 1),
      effect: "Each aggregator request is a stripe, which a single server handles.",
      ...trust(
        job,
        ["MPI-IO", "POSIX"],
        "medium",
        "hints in the environment (ROMIO_HINTS, MPICH_MPIIO_HINTS) are not recorded",
      ),
    };
  },
});

/** Ranks that move the bytes of a collectively accessed file below MPI-IO; NaN when the log does not tell. */
function aggregatorsOf(job: Job, record: LayerRecord, way: Way): { count: number; source: string } {
  const posix = layerOf(job, record, "POSIX");
  const unknown = { count: Number.NaN, source: "" };
  // Some MPI libraries write past the calls that the recorder wraps.
  if (posix === undefined || !(bytesOf(posix, way) >= 0.5 * bytesOf(record, way))) return unknown;
  const traced = traceOf(job, posix)?.[way];
  if (traced !== undefined && traced.ranks > 0) return { count: traced.ranks, source: "traced calls" };
  if (!posix.shared) return { count: posix.ranks, source: "ranks that opened the file" };
  const { activity } = job;
  const all = sum(job.layer("POSIX"), (one) => bytesOf(one, way));
  if (activity?.layer !== "POSIX" || bytesOf(posix, way) < 0.95 * all) return unknown;
  const bytes = way === "read" ? activity.rankBytesRead : activity.rankBytesWritten;
  return { count: bytes.size, source: "bytes of each rank" };
}

/** Only new files take stripes from hints. */
function stripeHints(job: Job, { way, stripe }: { way: Way; stripe: number }, stripes: number): Action {
  const buffer = [
    { key: `romio_cb_${way}`, value: "enable" },
    { key: "cb_buffer_size", value: Math.max(16 * MIB, stripe) },
  ];
  const change = "Set collective buffering hints";
  return way === "read"
    ? {
        change,
        advice: "Give aggregators a buffer of whole stripes (cb_buffer_size).",
        snippet: snippetFor(job, SNIPPETS.mpiHints, { hints: buffer }),
      }
    : {
        change,
        advice:
          "Give aggregators a buffer of whole stripes (cb_buffer_size), and set the stripes of a new file (striping_factor, striping_unit). Stripe hints take effect only when the file is created.",
        snippet: snippetFor(job, SNIPPETS.mpiHints, {
          hints: [
            ...buffer,
            { key: "striping_unit", value: stripe },
            { key: "striping_factor", value: stripes },
          ],
        }),
      };
}

const aggregators = defineRule({
  id: "aggregators",
  title: "Number of aggregators",
  subject: { text: "the number of aggregators" },
  picture: { kind: "layers" },
  meaning:
    "Collective MPI-IO moves the data through some of the ranks. Too few aggregators cannot keep the file's stripes busy; too many compete for the same stripes.",
  needs: [["MPI-IO"], ["POSIX"], ["layout"]],
  thresholds: {
    few: limit`0.5 ratio, at most | aggregators per stripe, below | Plimsoll's choice: half of the stripes are idle at any time (ROMIO's Lustre driver aims at one per stripe)`,
    many: limit`4 ratio | aggregators per stripe, above | Plimsoll's choice: ROMIO's Lustre driver takes small multiples of the stripe count`,
    bytes: limit`${256 * MIB} bytes | bytes of the file | Plimsoll's choice: with smaller files it does not matter`,
  },
  drishti: "M08, M09",
  judge(job, limits) {
    const files = mpiFiles(job).flatMap((record) => {
      const way = mainWay(record);
      if (!isCollective(record, way) || !(bytesOf(record, way) >= limits.bytes)) return [];
      const { count, source } = aggregatorsOf(job, record, way);
      const stripes = fileOf(job, record)?.stripeCount ?? Number.NaN;
      const few = count < limits.few * stripes && count < 0.5 * record.ranks;
      const many = count > limits.many * stripes;
      return few || many ? [{ record, way, count, source, stripes, few }] : [];
    });
    if (files.length === 0) return undefined;
    const worst = heaviest(files, ({ record, way }) => bytesOf(record, way));
    const seconds = sum(files, ({ record, way }) => secondsOf(record, way));
    const listed: Listed[] = files.map(({ record, way, count, stripes }) => ({
      record,
      weight: bytesOf(record, way),
      note: `${many(count, "aggregator")} for ${many(stripes, "stripe")}`,
    }));
    return {
      cost: unknownCost(
        "the log does not show how much faster another number of aggregators would be",
        "info",
      ),
      measured: {
        few: worst.count / worst.stripes,
        many: worst.count / worst.stripes,
        bytes: bytesOf(worst.record, worst.way),
      },
      statement:
        `${grouped(worst.count)} of ${many(worst.record.ranks, "rank")} ${worst.count === 1 ? "moves" : "move"} the data of ${worst.record.path} (${formatBytes(bytesOf(worst.record, worst.way))}), which has ${many(worst.stripes, "stripe")}: ${worst.few ? "too few to keep all of them busy" : "several compete for each of them"}.` +
        costSentence(job, seconds, "Collective calls on such files take"),
      evidence: {
        numbers: [
          { label: "aggregators", value: worst.count, unit: "ranks", of: worst.record.ranks },
          { label: "stripes", value: worst.stripes, unit: "count" },
          { label: "time in collective calls, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, worst.way),
      },
      action: {
        change: "Set the number of aggregators",
        advice: `Request ${many(Math.min(worst.stripes, worst.record.ranks), "aggregator")} (cb_nodes), one per stripe${worst.few ? ", spread over the nodes" : ""}.`,
        snippet: snippetFor(job, SNIPPETS.mpiHints, {
          hints: [
            { key: `romio_cb_${worst.way}`, value: "enable" },
            { key: "cb_nodes", value: Math.min(worst.stripes, worst.record.ranks) },
          ],
        }),
      },
      effect: worst.few
        ? "All servers of the file work at the same time."
        : "Aggregators no longer wait for each other's locks.",
      ...trust(
        job,
        ["MPI-IO", "POSIX"],
        worst.source === "traced calls" ? "high" : "medium",
        `aggregators counted by ${worst.source}`,
      ),
    };
  },
});

export const COLLECTIVE_RULES: readonly Rule[] = [
  independent("write"),
  independent("read"),
  blocking,
  noHints,
  aggregators,
];
