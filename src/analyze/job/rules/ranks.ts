/** Rules on who does the I/O. */
import { formatBytes, formatRate } from "../../../base/units.ts";
import { timedRecords } from "../cost/ledger.ts";
import { estimatedCost, NO_COST, recordedCost } from "../cost/remedies.ts";
import type { Job, JobFile } from "../job.ts";
import { type Action, type CostClaim, defineRule, limit, type Rule } from "../rule.ts";
import { programOf, SNIPPETS, snippetFor, wayOf } from "../snippets/index.ts";
import { COUNTERS, spanOfFiles, trust, worstFiles } from "./evidence.ts";
import {
  lateInOwnFiles,
  lateInSharedFiles,
  longestCall,
  soleTarget,
  timedByRank,
  timeOn,
} from "./late-ranks.ts";
import { bytesMoved, heaviest, MIB, sum, type Way, WAYS } from "./measures.ts";
import { reachedTogether } from "./reached-rate.ts";
import { type GroupSpread, groupSpreads, rankSpread } from "./rank-spread.ts";
import { grouped, many, partOf, partOfBytes, partOfSeconds, percent, secondsText, times } from "./wording.ts";

const COST = limit`0.01 share | minimum cost as part of the run time | Plimsoll's choice: below 1 % of the run a change is hard to measure`;

const ANY_FILES = [["POSIX", "MPI-IO", "STDIO", "DFS", "DAOS"], ["ranks"]] as const;

const oneRankIo = defineRule({
  id: "one-rank-io",
  title: "One rank does the I/O",
  subject: { text: "I/O by one rank" },
  picture: { kind: "ranks" },
  meaning:
    "One rank moves nearly all data of a job with many ranks, so the job gets the rate of a single client while the others wait.",
  needs: ANY_FILES,
  thresholds: {
    share: limit`0.9 share | part of the bytes that one rank moves | Plimsoll's choice: what remains is headers and logs`,
    ranks: limit`3 ranks | ranks of the job, at least | Plimsoll's choice: with two, one may reasonably write for both`,
    bytes: limit`${2 * MIB} bytes | bytes of that rank, at least | Plimsoll's choice: with less, no other rank would get 1 MB to move, and smaller calls gain nothing`,
    cost: COST,
  },
  judge(job, limits) {
    if (job.ranks < limits.ranks) return undefined;
    const spread = costliest(
      groupSpreads(job).filter(
        (one) =>
          one.heaviestBytes >= limits.bytes &&
          one.heaviestBytes >= limits.share * one.totalBytes &&
          !doOthersTakePart(job, one),
      ),
    );
    if (spread === undefined) return undefined;
    const { heaviestRank: rank, heaviestBytes: bytes, totalBytes, files } = spread;
    const seconds = secondsOfSpread(spread);
    if (!(seconds > 0 && seconds >= limits.cost * job.runSeconds)) return undefined;
    const writes = sum(files, ({ bytesWritten }) => bytesWritten) >= 0.5 * bytes;
    return {
      cost: sharedByRanks(job, files, bytes, seconds),
      measured: { share: bytes / totalBytes, ranks: job.ranks, bytes, cost: seconds / job.runSeconds },
      statement: `Rank ${rank} moves ${partOfBytes(bytes, totalBytes, spread.what)} in a job with ${grouped(job.ranks)} ranks. That takes it ${partOfSeconds(seconds, job.runSeconds, "the run time")}.`,
      evidence: {
        numbers: [
          { label: "bytes of that rank", value: bytes, unit: "bytes", of: totalBytes },
          { label: "its I/O time", value: seconds, unit: "seconds", of: job.runSeconds },
          { label: "its rate", value: bytes / seconds, unit: "bytes/s" },
          { label: "ranks", value: job.ranks, unit: "ranks" },
        ],
        ranks: [rank],
        ...worstFiles(files, bytesMoved, (file) => formatBytes(bytesMoved(file))),
        ...spanOfFiles(files),
      },
      action: sharedWork(job, writes ? "write" : "read"),
      effect: `The rate of many clients and OSTs instead of ${formatRate(bytes / seconds)} from one client, and no gathering in one rank's memory.`,
      ...trust(
        job,
        COUNTERS,
        "high",
        spread.byRank === undefined
          ? "counters of the shared file name this rank's bytes"
          : "bytes of every rank are known",
      ),
      claims: files.map(({ fileId }) => ({ fileId })),
    };
  },
});

const byteImbalance = defineRule({
  id: "byte-imbalance",
  title: "Uneven bytes over ranks",
  subject: { text: "uneven work of ranks" },
  picture: { kind: "ranks" },
  meaning:
    "Several ranks do I/O, but one moves far more than the others; they wait for it at the next synchronisation.",
  needs: ANY_FILES,
  drishti: "P18, P21, P22",
  thresholds: {
    ratio: limit`3 ratio | bytes of the heaviest rank / mean of the other ranks that do I/O | Plimsoll's choice: uneven domains can differ by a factor of two; Drishti requires 0.15 of the file's bytes (imbalance_stragglers) or 0.3 of the maximum (imbalance_size)`,
    others: limit`1 ranks | other ranks that do I/O, at least | Plimsoll's choice: with fewer it is I/O by one rank`,
    cost: COST,
  },
  judge(job, limits, others) {
    // Who writes fill values and headers is the library's choice.
    const said = others.claimed(["one-rank-io", "hdf5-fill", "hdf5-chunk-cache", "write-amplification"]);
    const spread = costliest(
      groupSpreads(job).filter((one) => {
        if (one.files.some(({ fileId }) => said.has(fileId)) || one.movers < limits.others) return false;
        return one.heaviestBytes >= limits.ratio * meanOfOthers(job, one).mean;
      }),
    );
    if (spread === undefined) return undefined;
    const { heaviestRank: rank, heaviestBytes: bytes, totalBytes, files } = spread;
    const { mean, ranks: movers } = meanOfOthers(job, spread);
    const seconds = secondsOfSpread(spread);
    const excess = seconds * (1 - mean / bytes);
    const cost = excess / job.runSeconds;
    if (!(cost >= limits.cost)) return undefined;
    return {
      cost: evenBytes(job, spread),
      measured: { ratio: bytes / mean, others: movers, cost },
      statement: `Rank ${rank} moves ${partOfBytes(bytes, totalBytes, spread.what)}, ${times(bytes / mean)} as much as each of the ${grouped(movers)} other ranks with I/O (${formatBytes(mean)} on average). Its I/O takes ${secondsText(seconds)}, of which about ${secondsText(excess)} come from the extra bytes, ${percent(cost)} of the run time.`,
      evidence: {
        numbers: [
          { label: "bytes of the heaviest rank", value: bytes, unit: "bytes", of: totalBytes },
          { label: "mean of the other ranks with I/O", value: mean, unit: "bytes" },
          { label: "heaviest over mean", value: bytes / mean, unit: "ratio" },
          { label: "time for the extra bytes", value: excess, unit: "seconds", of: job.runSeconds },
        ],
        ranks: [rank],
        ...worstFiles(files, bytesMoved, (file) => formatBytes(bytesMoved(file))),
        ...spanOfFiles(files),
      },
      action: evenParts(job, wayOf(files)),
      effect: `Up to ${secondsText(excess)} less waiting for rank ${rank}.`,
      ...trust(
        job,
        COUNTERS,
        spread.byRank === undefined ? "medium" : "high",
        spread.byRank === undefined
          ? "from the variance over ranks in the largest file; the log does not have the bytes of each rank"
          : "bytes of every rank are known",
      ),
    };
  },
});

const straggler = defineRule({
  id: "straggler",
  title: "One rank is much slower",
  subject: { text: "one slow rank" },
  picture: { kind: "ranks" },
  meaning:
    "A rank takes much longer than the others for the same amount of data; the others wait for it at the next synchronisation.",
  needs: ANY_FILES,
  drishti: "P19",
  thresholds: {
    ratio: limit`2.4 ratio | time of the slowest rank / mean of the others | Plimsoll's choice: beyond 2.3, the largest quotient in our 43 public logs (files of four ranks or more, equal bytes, a second or more); Drishti requires 0.15 of the summed time (imbalance_stragglers)`,
    bytes: limit`2 ratio, at most | bytes of the slowest rank / mean, at most | Plimsoll's choice: above that, the bytes are the reason`,
    ranks: limit`3 ranks | ranks that use the files | Plimsoll's choice: with only two, either may be the normal one`,
    cost: COST,
  },
  judge(job, limits, others) {
    const late = [lateInSharedFiles(job, limits), lateInOwnFiles(job, limits)]
      .filter((one) => one !== undefined)
      .sort((a, b) => b.excess - a.excess)[0];
    if (late === undefined || !(late.excess >= limits.cost * job.runSeconds)) return undefined;
    const onSlowTarget = others.claimed(["slow-target"]);
    if (late.files.some(({ fileId }) => onSlowTarget.has(fileId))) return undefined;
    const [slow] = others.claims("slow-ost");
    if (slow?.ost !== undefined && timeOn(late.files, slow.ost) >= 0.5 * sum(late.files, secondsIn))
      return undefined;
    const { rank, seconds, mean, bytes, meanBytes, excess, files } = late;
    const cost = excess / job.runSeconds;
    // Beyond the mean of the others, as its cost counts: the mean of all has the slow one in it.
    const lost = seconds - (mean * late.ranks - seconds) / (late.ranks - 1);
    const call = longestCall(files, mean);
    const alone = soleTarget(job, rank, files);
    return {
      cost: recordedCost(
        late.healthy,
        `${late.alike > 0 ? `rank ${rank} and ${many(late.alike, "other")}` : `rank ${rank}`} as fast as the mean of the others`,
      ),
      measured: {
        ratio: (seconds * (late.ranks - 1)) / (mean * late.ranks - seconds),
        bytes: bytes / meanBytes,
        ranks: late.ranks,
        cost,
      },
      statement:
        `Rank ${rank} spends ${secondsText(seconds)} in I/O, ${times(seconds / mean)} the mean of ${grouped(late.ranks)} ranks (${secondsText(mean)}), for ${formatBytes(bytes)} (mean ${formatBytes(meanBytes)}). The others may lose up to ${secondsText(lost)} waiting for it, ${percent(lost / job.runSeconds)} of the run time.` +
        (late.alike > 0
          ? ` ${many(late.alike, "other rank")} ${late.alike === 1 ? "is" : "are"} about as slow.`
          : "") +
        (call === undefined ? "" : ` A single ${call.way} took ${secondsText(call.seconds)} of that.`),
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
          (file) => timedByRank(file).slowestSeconds,
          (file) => `rank ${rank}: ${secondsText(timedByRank(file).slowestSeconds)}`,
        ),
        ...spanOfFiles(files),
      },
      action: alone === undefined ? lookAtNode(job, files, rank) : tellApart(job, files, rank, alone),
      effect: `Up to ${partOfSeconds(lost, job.runSeconds, "the run time")}.`,
      ...trust(
        job,
        COUNTERS,
        alone === undefined ? "high" : "medium",
        late.shared ? "the recorder measured every rank in these files" : "each rank has its own records",
      ),
    };
  },
});

const idleRanks = defineRule({
  id: "idle-ranks",
  title: "Most ranks do no I/O",
  subject: { text: "idle ranks", plural: true },
  picture: { kind: "ranks" },
  meaning:
    "A few ranks, not evenly spaced as aggregators would be, do the I/O of a large job, and that takes a large part of the run.",
  needs: ANY_FILES,
  thresholds: {
    share: limit`0.5 share | part of the ranks that moves no data | Plimsoll's choice: if most ranks do I/O, the rest would add little`,
    ranks: limit`8 ranks | ranks of the job, at least | Plimsoll's choice: a node's worth`,
    cost: limit`0.1 share | part of the run time that the busiest of them spends in I/O | Plimsoll's choice: a tenth of the run is worth spreading over more ranks`,
  },
  judge(job, limits, others) {
    const byRank = job.ranks >= limits.ranks ? rankSpread(job)?.byRank : undefined;
    if (byRank === undefined || others.speak("one-rank-io", "byte-imbalance")) return undefined;
    const { ownBytes, evenBytes } = byRank;
    const heaviest = [...ownBytes.values()].reduce((a, b) => Math.max(a, b), 0) + evenBytes;
    // Logs and headers of a rank are no share in the work: ours, a hundredth of the busiest.
    const least = 0.01 * heaviest;
    if (evenBytes >= least) return undefined;
    const movers = [...ownBytes.keys()]
      .filter((rank) => (ownBytes.get(rank) as number) + evenBytes >= least)
      .sort((a, b) => a - b);
    const idle = job.ranks - movers.length;
    if (movers.length < 2 || idle < limits.share * job.ranks || evenlySpaced(movers)) return undefined;
    const { slowestSeconds } = job.io;
    const cost = slowestSeconds / job.runSeconds;
    if (!(cost >= limits.cost)) return undefined;
    return {
      cost: NO_COST,
      measured: { share: idle / job.ranks, ranks: job.ranks, cost },
      statement: `${partOf(idle, job.ranks, "ranks")} move no or almost no data; the other ${grouped(movers.length)} move ${formatBytes(sum(movers, (rank) => (ownBytes.get(rank) as number) + evenBytes))}. The I/O of the busiest takes up to ${partOfSeconds(slowestSeconds, job.runSeconds, "the run time")}.`,
      evidence: {
        numbers: [
          { label: "ranks without data", value: idle, unit: "ranks", of: job.ranks },
          { label: "I/O time of the busiest", value: slowestSeconds, unit: "seconds", of: job.runSeconds },
        ],
        ranks: movers.slice(0, 16),
      },
      action: moreRanks(job, wayOf([job.io])),
      effect: "More clients and network links at work; with few OSTs the gain is small.",
      ...trust(job, COUNTERS, "medium", "bytes of every rank are known; whether this is deliberate is not"),
    };
  },
});

/** Processes without MPI share no file through a library. */
function sharedWork(job: Job, way: Way): Action {
  if (!programOf(job).mpi)
    return {
      change: "Let all processes take part",
      advice: `Give each process its own part of the data to ${way}, at a computed offset, instead of one process that does it for all.`,
      snippet: snippetFor(job, SNIPPETS.allAtOnce, { way }),
    };
  const snippet = snippetFor(job, SNIPPETS.ownPart, { way });
  const change = "Let all ranks take part";
  return way === "write"
    ? {
        change,
        advice:
          "Let all ranks write their part of the file with collective MPI-IO (or parallel HDF5 or PnetCDF on top of it) instead of gathering the data on one rank.",
        snippet,
      }
    : {
        change,
        advice:
          "Let all ranks read their part of the file with collective MPI-IO; if each rank needs the whole file, let each read a part and distribute it with MPI_Allgather.",
        snippet,
      };
}

const evenParts = (job: Job, way: Way): Action =>
  programOf(job).mpi
    ? {
        change: "Give ranks equal parts",
        advice: `Give each rank about the same amount of the file to ${way}, or let collective MPI-IO do so: it splits the file evenly over its aggregators, whichever rank ${way === "write" ? "holds" : "needs"} the data.`,
        snippet: snippetFor(job, SNIPPETS.ownPart, { way }),
      }
    : {
        change: "Give processes equal parts",
        advice: `Give each process about the same amount of data to ${way}.`,
        snippet: snippetFor(job, SNIPPETS.allAtOnce, { way }),
      };

const moreRanks = (job: Job, way: Way): Action =>
  programOf(job).mpi
    ? {
        change: "Let more ranks do I/O",
        advice: `If the job waits for I/O, spread it: let more ranks ${way}, at least one per node, for example with collective MPI-IO (romio_cb_${way}) and a number of aggregators (cb_nodes) that is a multiple of the stripe count.`,
        snippet: snippetFor(job, SNIPPETS.mpiHints, {
          hints: [
            { key: `romio_cb_${way}`, value: "enable" },
            { key: "cb_nodes", value: nodesFor(job) },
          ],
        }),
      }
    : {
        change: "Let more processes do I/O",
        advice: `If the job waits for I/O, spread it: let more processes ${way} their own part, at least one per node.`,
        snippet: snippetFor(job, SNIPPETS.allAtOnce, { way }),
      };

/** With collective calls a slow rank hands its data to aggregators. */
const helpOfOthers = (job: Job, files: readonly JobFile[]) =>
  programOf(job).mpi
    ? ` With collective MPI-IO the aggregators ${wayOf(files)} the data of a slow rank too.`
    : "";

const lookAtNode = (job: Job, files: readonly JobFile[], rank: number): Action => ({
  change: "Look at the slow rank",
  advice: `Check the node of rank ${rank} (other processes, network link, memory) and run again on other nodes; if the same rank is slow again, look at what else it does: a header, a log, a sort.${helpOfOthers(job, files)}`,
  snippet: snippetFor(job, SNIPPETS.hostOfRank, { rank }),
});

const tellApart = (job: Job, files: readonly JobFile[], rank: number, ost: number): Action => ({
  change: "Check node and target",
  advice: `Only rank ${rank} has files on OST ${ost}, so the log cannot tell a slow node from a slow target: run again on other nodes with the files on another target.${helpOfOthers(job, files)}`,
  snippet: snippetFor(job, SNIPPETS.lookAtOst, { path: files[0]?.path ?? "", ost }),
});

export const RANKS_RULES: readonly Rule[] = [oneRankIo, byteImbalance, straggler, idleRanks];

/**
 * Mean bytes of the other ranks, and how many they are: those that take part, as far as squares tell. Where most ranks are
 * known to take part, all of them: several heavy ranks would hide one another.
 */
function meanOfOthers(job: Job, spread: GroupSpread) {
  const rest = spread.totalBytes - spread.heaviestBytes;
  const ranks = doOthersTakePart(job, spread) ? job.ranks - 1 : spread.movers;
  return { mean: rest / ranks, ranks };
}

/** Most ranks are known to move more than logs and headers. */
function doOthersTakePart(job: Job, { byRank, heaviestBytes, lightBytes = 0 }: GroupSpread): boolean {
  const least = TAKES_PART * heaviestBytes;
  if ((byRank?.evenBytes ?? lightBytes) >= least) return true;
  let taking = 0;
  for (const own of byRank?.ownBytes.values() ?? []) if (own >= least) taking++;
  return taking > 1 && taking >= 0.5 * job.ranks;
}

/** Ours: logs and headers of a rank are no share in the work. */
const TAKES_PART = 0.01;

/** The same bytes on every rank: all that have more get less. */
function evenBytes(job: Job, { byRank, files, ownFiles, totalBytes, heaviestBytes }: GroupSpread): CostClaim {
  const mean = totalBytes / job.ranks;
  const model = "equal bytes on every rank, at the rate of this one";
  if (byRank === undefined)
    return estimatedCost(
      files.map(({ called }) => ({ record: called, remains: mean / heaviestBytes })),
      model,
    );
  const touched = new Set([...files, ...ownFiles]);
  return estimatedCost(
    [...touched].map(({ called }) => {
      const own = (byRank.ownBytes.get(called.slowestRank) ?? 0) + byRank.evenBytes;
      return { record: called, remains: own > 0 ? Math.min(1, mean / own) : 1 };
    }),
    model,
  );
}

const secondsIn = ({ seconds }: JobFile) => seconds;

/** Time of the heaviest rank in its files of the group. */
const secondsOfSpread = ({ files }: GroupSpread) => sum(files, ({ slowestSeconds }) => slowestSeconds);

const costliest = (spreads: readonly GroupSpread[]): GroupSpread | undefined =>
  spreads.length === 0 ? undefined : heaviest(spreads, secondsOfSpread);

/** One of every this many ranks, as libraries place their aggregators. */
function evenlySpaced(ranks: readonly number[]): boolean {
  const step = (ranks[1] as number) - (ranks[0] as number);
  return step > 1 && ranks.every((rank, index) => rank === (ranks[0] as number) + index * step);
}

/** A multiple of the widest stripe count that is not above the number of ranks. */
function nodesFor(job: Job): number {
  const widest = job.files.reduce((most, { stripeCount }) => Math.max(most, stripeCount || 1), 1);
  return Math.max(1, Math.min(job.ranks, widest * Math.max(1, Math.floor(job.ranks / 16 / widest))));
}

/** Its bytes shared by all ranks, at the rate of this one each, and together at most at a rate that the job reaches elsewhere. */
function sharedByRanks(job: Job, files: readonly JobFile[], bytes: number, seconds: number): CostClaim {
  const alone = bytes / seconds;
  const reached = reachedTogether(job, new Set(files));
  // A part of a megabyte for each: smaller ones pay for calls.
  const ranks = Math.min(job.ranks, Math.max(1, Math.floor(bytes / MIB)));
  const times = Math.min(ranks, Math.max(1, reached / alone));
  const model = `its bytes split over ${grouped(ranks)} ranks`;
  return estimatedCost(
    // Opens and stats of that rank stay its own.
    files.flatMap((file) =>
      timedRecords(file).flatMap((record) => WAYS.map((part) => ({ record, part, remains: 1 / times }))),
    ),
    times < ranks
      ? `${model}, at ${formatRate(reached)} in total as elsewhere in this job`
      : `${model}, each at the rate of this one; the file system may deliver less`,
    { atMost: true },
  );
}
