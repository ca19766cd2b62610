/** Rules on who does the I/O. */
import { formatBytes, formatSeconds } from "../../../base/units.ts";
import type { Job, JobFile } from "../job.ts";
import { defineRule, type Rule } from "../rule.ts";
import { lateInOwnFiles, lateInSharedFiles, longestCall, soleTarget, timeOn } from "./late-ranks.ts";
import { rankSpread } from "./rank-spread.ts";
import { slowestTarget } from "./slow-ost.ts";
import {
  bytesOf,
  count,
  fires,
  folderOf,
  percent,
  realFiles,
  severityOf,
  shareOfBytes,
  shareOfSeconds,
  sum,
  times,
  unlessPartial,
  worstFiles,
} from "./words-b.ts";

const COST = {
  value: 0.05,
  unit: "share",
  meaning: "part of the run time that it must cost",
  source: "ours: below a twentieth of the run a change is hard to measure",
} as const;

const ANY_FILES = [["POSIX", "MPI-IO", "STDIO", "DFS", "DAOS"]] as const;

export const oneRankIo = defineRule({
  id: "one-rank-io",
  title: "One rank does the I/O",
  meaning:
    "One rank moves nearly all data of a job with many ranks, so the job gets the rate of a single client while the others wait.",
  needs: ANY_FILES,
  thresholds: {
    share: {
      value: 0.9,
      unit: "share",
      meaning: "part of the bytes that one rank moves",
      source: "ours: what remains is headers and logs",
    },
    ranks: {
      value: 4,
      unit: "ranks",
      meaning: "ranks that the job has at least",
      source: "ours: with two or three ranks a single writer loses little",
    },
    cost: COST,
  },
  judge(job, limits) {
    const spread = job.ranks >= limits.ranks ? rankSpread(job) : undefined;
    if (spread === undefined || !(spread.heaviestBytes >= limits.share * spread.totalBytes)) return undefined;
    const { heaviestRank: rank, heaviestBytes: bytes, totalBytes } = spread;
    const files = realFiles(job).filter(({ called }) => called.slowestRank === rank && bytesOf(called) > 0);
    const seconds = sum(files, ({ slowestSeconds }) => slowestSeconds);
    const cost = seconds / job.runSeconds;
    if (!(cost >= limits.cost)) return undefined;
    const writes = sum(files, ({ bytesWritten }) => bytesWritten) >= 0.5 * bytes;
    return {
      severity: severityOf(cost, seconds),
      statement: `Rank ${rank} moves ${shareOfBytes(bytes, totalBytes)} of the data of a job with ${count(job.ranks)} ranks. That takes it ${formatSeconds(seconds)}, ${percent(cost)} of the run time of ${formatSeconds(job.runSeconds)}.`,
      evidence: {
        numbers: [
          { label: "bytes of that rank", value: bytes, unit: "bytes", of: totalBytes },
          { label: "its I/O time", value: seconds, unit: "seconds", of: job.runSeconds },
          { label: "its rate", value: bytes / seconds, unit: "bytes/s" },
          { label: "ranks", value: job.ranks, unit: "ranks" },
        ],
        ranks: [rank],
        ...worstFiles(files, bytesOf, (file) => formatBytes(bytesOf(file))),
        ...spanOf(files),
      },
      advice: writes
        ? "Let all ranks write their part of the file with collective MPI-IO (or parallel HDF5 or PnetCDF on top of it) instead of gathering the data on one rank."
        : "Let all ranks read their part of the file with collective MPI-IO; where each needs all of it, let one rank read and broadcast with MPI_Bcast.",
      snippet: { language: "c", code: writes ? COLLECTIVE_WRITE : COLLECTIVE_READ },
      effect: `Up to the number of clients and OSTs that can work at once instead of one client at ${formatBytes(bytes / seconds)}/s, and no gathering in the memory of one rank.`,
      confidence: job.partialModules.size > 0 ? "medium" : "high",
      confidenceReason: unlessPartial(
        job,
        spread.byRank === undefined
          ? "counters of the shared file name this rank's bytes"
          : "bytes of every rank are known",
      ),
    };
  },
});

const byteImbalance = defineRule({
  id: "byte-imbalance",
  title: "Uneven bytes over ranks",
  meaning:
    "Several ranks do I/O, but one moves far more than the others; they wait for it at the next synchronisation.",
  needs: ANY_FILES,
  drishti: "P18, P21, P22",
  thresholds: {
    ratio: {
      value: 3,
      unit: "ratio",
      meaning: "bytes of the heaviest rank over the mean of the others that take part",
      source:
        "ours, by judgement: uneven domains may well differ by two; Drishti asks for 0.15 of the file's bytes (imbalance_stragglers) or 0.3 of the maximum (imbalance_size)",
    },
    others: {
      value: 3,
      unit: "ranks",
      meaning: "other ranks that take part, at least",
      source: "ours: with fewer it is I/O by one rank",
    },
    cost: COST,
  },
  judge(job, limits) {
    const spread = rankSpread(job);
    if (spread === undefined || fires(oneRankIo, job)) return undefined;
    const { heaviestRank: rank, heaviestBytes: bytes, totalBytes, others } = spread;
    const mean = (totalBytes - bytes) / others;
    if (!(others >= limits.others && bytes >= limits.ratio * mean)) return undefined;
    const files = realFiles(job).filter(({ called }) => called.slowestRank === rank && bytesOf(called) > 0);
    const seconds = sum(files, ({ slowestSeconds }) => slowestSeconds);
    const excess = seconds * (1 - mean / bytes);
    const cost = excess / job.runSeconds;
    if (!(cost >= limits.cost)) return undefined;
    return {
      severity: severityOf(cost, excess),
      statement: `Rank ${rank} moves ${shareOfBytes(bytes, totalBytes)} of the data, ${times(bytes / mean)} times as much as the ${count(others)} others that take part (${formatBytes(mean)} each). Its I/O takes ${formatSeconds(seconds)}, of which about ${formatSeconds(excess)} come from the extra bytes.`,
      evidence: {
        numbers: [
          { label: "bytes of the heaviest rank", value: bytes, unit: "bytes", of: totalBytes },
          { label: "mean of the others that take part", value: mean, unit: "bytes" },
          { label: "heaviest over mean", value: bytes / mean, unit: "ratio" },
          { label: "time for the extra bytes", value: excess, unit: "seconds", of: job.runSeconds },
        ],
        ranks: [rank],
        ...worstFiles(files, bytesOf, (file) => formatBytes(bytesOf(file))),
        ...spanOf(files),
      },
      advice:
        "Give each rank about the same part of the file, or let collective MPI-IO do so: it splits the file evenly over its aggregators, whoever holds the data.",
      snippet: { language: "c", code: COLLECTIVE_WRITE },
      effect: `Up to ${formatSeconds(excess)} less waiting for rank ${rank}.`,
      confidence: spread.byRank === undefined || job.partialModules.size > 0 ? "medium" : "high",
      confidenceReason: unlessPartial(
        job,
        spread.byRank === undefined
          ? "from the variance over ranks of the largest file; the log does not have the bytes of each rank"
          : "bytes of every rank are known",
      ),
    };
  },
});

export const straggler = defineRule({
  id: "straggler",
  title: "One rank is much slower",
  meaning:
    "A rank takes much longer than the others for the same amount of data; the others wait for it at the next synchronisation.",
  needs: ANY_FILES,
  drishti: "P19",
  thresholds: {
    ratio: {
      value: 3,
      unit: "ratio",
      meaning: "time of the slowest rank over the mean",
      source:
        "ours, by judgement: well beyond 1.74, the largest quotient in our 43 public logs (files of four ranks or more, equal bytes, a second or more); Drishti asks for 0.15 of the summed time (imbalance_stragglers)",
    },
    bytes: {
      value: 2,
      unit: "ratio",
      meaning: "bytes of the slowest rank over the mean, at most",
      source: "ours: above, the bytes are the reason",
    },
    ranks: {
      value: 4,
      unit: "ranks",
      meaning: "ranks that use the files",
      source: "ours: a mean of fewer says little",
    },
    cost: COST,
  },
  judge(job, limits) {
    const late = [lateInSharedFiles(job, limits), lateInOwnFiles(job, limits)]
      .filter((one) => one !== undefined)
      .sort((a, b) => b.excess - a.excess)[0];
    if (late === undefined || !(late.excess >= limits.cost * job.runSeconds)) return undefined;
    const target = slowestTarget(job);
    if (
      target !== undefined &&
      timeOn(late.files, target.ost) >= 0.5 * sum(late.files, (file) => file.seconds)
    )
      return undefined;
    const { rank, seconds, mean, bytes, meanBytes, excess, files } = late;
    const cost = excess / job.runSeconds;
    const call = longestCall(files, mean);
    const alone = soleTarget(job, rank, files);
    return {
      severity: severityOf(cost, excess),
      statement:
        `Rank ${rank} spends ${formatSeconds(seconds)} in I/O, ${times(seconds / mean)} times the mean of ${formatSeconds(mean)} over ${count(late.ranks)} ranks, for ${formatBytes(bytes)} (mean ${formatBytes(meanBytes)}). The others can lose ${formatSeconds(excess)} waiting for it, ${percent(cost)} of the run time.` +
        (call === undefined ? "" : ` A single ${call.way} took ${formatSeconds(call.seconds)} of that.`),
      evidence: {
        numbers: [
          { label: "time of the slowest rank", value: seconds, unit: "seconds" },
          { label: "mean of all", value: mean, unit: "seconds" },
          { label: "slowest over mean", value: seconds / mean, unit: "ratio" },
          { label: "bytes of the slowest rank", value: bytes, unit: "bytes" },
          { label: "mean bytes", value: meanBytes, unit: "bytes" },
          { label: "time beyond the mean", value: excess, unit: "seconds", of: job.runSeconds },
        ],
        ranks: [rank],
        ...worstFiles(
          files,
          (file) => file.slowestSeconds,
          (file) => `rank ${rank}: ${formatSeconds(file.slowestSeconds)}`,
        ),
        ...spanOf(files),
      },
      advice:
        (alone === undefined
          ? `Look at the node of rank ${rank} (another job on it, its network link, its memory) and run again on other nodes; if the same rank is slow again, look at what it does besides: a header, a log, a sort.`
          : `Only rank ${rank} has files on OST ${alone}, so the log cannot tell a slow node from a slow target: run again on other nodes with the files on another target.`) +
        " Collective MPI-IO spreads the data of a slow rank over the aggregators.",
      snippet:
        alone === undefined
          ? { language: "c", code: hostOf(rank) }
          : {
              language: "shell",
              code: `lfs getstripe -y ${files[0]?.path}\nlfs df ${folderOf(files[0]?.path ?? "/")}  # is OST ${alone} full, or inactive?`,
            },
      effect: `Up to ${formatSeconds(excess)} of ${formatSeconds(job.runSeconds)}.`,
      confidence: job.partialModules.size > 0 || alone !== undefined ? "medium" : "high",
      confidenceReason: unlessPartial(
        job,
        late.shared ? "the recorder measured each rank in these files" : "each rank has records of its own",
      ),
    };
  },
});

const idleRanks = defineRule({
  id: "idle-ranks",
  title: "Most ranks do no I/O",
  meaning:
    "A few ranks, not evenly spaced as aggregators would be, do the I/O of a large job, and that takes a large part of the run.",
  needs: ANY_FILES,
  thresholds: {
    share: {
      value: 0.5,
      unit: "share",
      meaning: "part of the ranks that moves no data",
      source: "ours: when most take part, the rest would add little",
    },
    ranks: {
      value: 8,
      unit: "ranks",
      meaning: "ranks that the job has at least",
      source: "ours: a node's worth",
    },
    cost: {
      value: 0.1,
      unit: "share",
      meaning: "part of the run time that the busiest of them spends in I/O",
      source: "ours: a tenth of the run is worth spreading over more ranks",
    },
  },
  judge(job, limits) {
    const byRank = job.ranks >= limits.ranks ? rankSpread(job)?.byRank : undefined;
    if (byRank === undefined || fires(oneRankIo, job) || fires(byteImbalance, job)) return undefined;
    const heaviest = byRank.reduce((a, b) => Math.max(a, b), 0);
    const movers: number[] = [];
    // Logs and headers of a rank are no share in the work.
    byRank.forEach((bytes, rank) => {
      if (bytes >= 0.01 * heaviest) movers.push(rank);
    });
    const idle = job.ranks - movers.length;
    if (movers.length < 2 || idle < limits.share * job.ranks || evenlySpaced(movers)) return undefined;
    const { slowestSeconds } = job.io;
    const cost = slowestSeconds / job.runSeconds;
    if (!(cost >= limits.cost)) return undefined;
    return {
      severity: "info",
      statement: `${count(idle)} of ${count(job.ranks)} ranks (${percent(idle / job.ranks)}) move no data; the other ${count(movers.length)} move all ${formatBytes(sum(byRank, (bytes) => bytes))}. The I/O of the busiest takes ${shareOfSeconds(slowestSeconds, job.runSeconds)} of the run time.`,
      evidence: {
        numbers: [
          { label: "ranks without data", value: idle, unit: "ranks", of: job.ranks },
          { label: "I/O time of the busiest", value: slowestSeconds, unit: "seconds", of: job.runSeconds },
        ],
        ranks: movers.slice(0, 16),
      },
      advice:
        "When the I/O is what the job waits for, spread it: let more ranks take part, at least one on each node, for example with collective MPI-IO and a number of aggregators that is a multiple of the stripe count.",
      snippet: {
        language: "c",
        code: `MPI_Info info;\nMPI_Info_create(&info);\nMPI_Info_set(info, "romio_cb_write", "enable");\nMPI_Info_set(info, "cb_nodes", "${nodesFor(job)}");  /* aggregators */\nMPI_File_open(comm, path, mode, info, &file);`,
      },
      effect: "More clients and network links at work; with few OSTs little changes.",
      confidence: "medium",
      confidenceReason: unlessPartial(
        job,
        "bytes of every rank are known; whether the choice is deliberate is not",
      ),
    };
  },
});

export const RANKS_RULES: readonly Rule[] = [oneRankIo, byteImbalance, straggler, idleRanks];

const COLLECTIVE_WRITE = `MPI_File file;
MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
MPI_Offset offset = (MPI_Offset)rank * bytes_per_rank;  /* where this rank's part begins */
MPI_File_write_at_all(file, offset, buffer, count, MPI_DOUBLE, MPI_STATUS_IGNORE);
MPI_File_close(&file);`;

const COLLECTIVE_READ = `MPI_File file;
MPI_File_open(comm, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
MPI_Offset offset = (MPI_Offset)rank * bytes_per_rank;  /* where this rank's part begins */
MPI_File_read_at_all(file, offset, buffer, count, MPI_DOUBLE, MPI_STATUS_IGNORE);
MPI_File_close(&file);`;

const hostOf = (rank: number) => `char host[MPI_MAX_PROCESSOR_NAME];
int length;
MPI_Get_processor_name(host, &length);
if (rank == ${rank}) fprintf(stderr, "rank %d runs on %s\\n", rank, host);`;

/** One of every so many ranks, as libraries place their aggregators. */
function evenlySpaced(ranks: readonly number[]): boolean {
  const step = (ranks[1] as number) - (ranks[0] as number);
  return step > 1 && ranks.every((rank, index) => rank === (ranks[0] as number) + index * step);
}

/** A multiple of the widest stripe count that is not above the number of ranks. */
function nodesFor(job: Job): number {
  const widest = job.files.reduce((most, { stripeCount }) => Math.max(most, stripeCount || 1), 1);
  return Math.max(1, Math.min(job.ranks, widest * Math.max(1, Math.floor(job.ranks / 16 / widest))));
}

/** From the first to the last access of the files. */
export function spanOf(files: readonly JobFile[]): {
  span?: { readonly startSeconds: number; readonly endSeconds: number };
} {
  let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { called } of files) {
    for (const time of [called.openStart, called.readStart, called.writeStart])
      if (time < start) start = time;
    for (const time of [called.readEnd, called.writeEnd, called.closeEnd]) if (time > end) end = time;
  }
  return start < end ? { span: { startSeconds: start, endSeconds: end } } : {};
}
