/** Rules on time in collective MPI-IO that is not time in storage: waiting for a rank, for one aggregator, for all. */
import { formatBytes } from "../../../base/units.ts";
import { estimatedCost, recordedCost } from "../cost/remedies.ts";
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { type Action, defineRule, limit, type Others, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor } from "../snippets/index.ts";
import { isCollective } from "./access-patterns.ts";
import { type Listed, spanOf, trust, worstRecords } from "./evidence.ts";
import { lateInCalls } from "./late-ranks.ts";
import {
  accessSeconds,
  bytesMoved,
  bytesOf,
  callsOf,
  heaviest,
  known,
  mainWay,
  median,
  MIB,
  sum,
  type Way,
} from "./measures.ts";
import { fileOf, layerOf, mpiFiles, realFiles, traceOf } from "./per-job.ts";
import { grouped, many, partOfSeconds, percent, secondsText, sizeText } from "./wording.ts";

interface Collective {
  readonly record: LayerRecord;
  readonly posix: LayerRecord;
  readonly way: Way;
}

/** Files that ranks access together, whose calls below were recorded too. */
function collectiveFiles(job: Job): Collective[] {
  return mpiFiles(job).flatMap((record) => {
    const way = mainWay(record);
    const posix = layerOf(job, record, "POSIX");
    // Some MPI libraries write past the calls that the recorder wraps.
    const isSeen = posix !== undefined && bytesOf(posix, way) >= 0.5 * bytesOf(record, way);
    return isSeen && record.ranks > 1 && isCollective(record, way) ? [{ record, posix, way }] : [];
  });
}

/** The rank that moves all bytes of the file below MPI-IO; undefined when several do, or the log does not tell. */
function soleMover(job: Job, posix: LayerRecord, way: Way): number | undefined {
  const traced = traceOf(job, posix)?.[way];
  if (traced !== undefined && traced.calls > 0 && traced.ranks !== 1) return undefined;
  const isAll = posix.slowestBytes >= 0.95 * bytesMoved(posix);
  return isAll || posix.ranks === 1 ? posix.slowestRank : undefined;
}

/** Ours: beyond, exchange and servers limit what more aggregators bring. */
const AGGREGATORS_MOST = 16;

const singleAggregator = defineRule({
  id: "single-aggregator",
  title: "All data goes through one aggregator",
  subject: { text: "one aggregator for all ranks" },
  picture: { kind: "numbers", beside: "other ranks", title: "Bytes that a rank moves to or from storage" },
  meaning:
    "Ranks write or read a file collectively, but one rank alone moves all bytes to and from storage: the job gets the rate of one client.",
  needs: [["MPI-IO"], ["POSIX"]],
  thresholds: {
    ranks: limit`2 ranks | ranks that make the collective calls, at least | Plimsoll's choice: with one there is nothing to share`,
  },
  judge(job, limits) {
    const files = collectiveFiles(job).flatMap((file) => {
      const rank = soleMover(job, file.posix, file.way);
      if (rank === undefined || file.record.ranks < limits.ranks) return [];
      return [{ ...file, rank, ...aggregatorsFor(job, file.record) }];
    });
    if (files.length === 0) return undefined;
    const worst = heaviest(files, ({ posix }) => known(posix.slowestSeconds));
    const listed: Listed[] = files.map(({ record, posix, rank }) => ({
      record,
      weight: known(posix.slowestSeconds),
      note: `rank ${rank} moves ${formatBytes(bytesMoved(posix))} for ${many(record.ranks, "rank")}`,
    }));
    const stripeText =
      worst.stripes > 0
        ? ` The file has ${many(worst.stripes, "stripe")}.`
        : " Its stripes are not recorded.";
    return {
      cost: estimatedCost(
        files.map(({ posix, wanted }) => ({ record: posix, remains: 1 / wanted })),
        `the bytes split over ${many(worst.wanted, "aggregator")}, each at the rate of this one`,
        { atMost: true },
      ),
      measured: { ranks: worst.record.ranks },
      statement: `Rank ${worst.rank} moves all ${formatBytes(bytesMoved(worst.posix))} of ${worst.record.path} for ${grouped(worst.record.ranks)} ranks that make collective calls, in ${secondsText(known(worst.posix.slowestSeconds))}.${stripeText}`,
      evidence: {
        numbers: [
          { label: "aggregators", value: 1, unit: "ranks", of: worst.record.ranks },
          { label: "bytes of that rank", value: bytesMoved(worst.posix), unit: "bytes" },
          { label: "its time below MPI-IO", value: known(worst.posix.slowestSeconds), unit: "seconds" },
          { label: "stripes", value: worst.stripes, unit: "count" },
        ],
        ranks: [worst.rank],
        ...worstRecords(listed),
        ...spanOf(listed, worst.way),
      },
      action: moreAggregators(job, worst),
      effect: "Several clients move the data at the same time.",
      ...trust(job, ["MPI-IO", "POSIX"], "high", "the busiest rank moved all bytes of the file"),
      claims: files.map(({ record: { fileId } }) => ({ fileId })),
    };
  },
});

function aggregatorsFor(job: Job, record: LayerRecord) {
  const stripes = fileOf(job, record)?.stripeCount ?? Number.NaN;
  // A file on one target is striped first: as many as it then has.
  return { stripes, wanted: Math.min(record.ranks, stripes > 1 ? stripes : AGGREGATORS_MOST) };
}

/** What to change, and the code for it. */
function moreAggregators(
  job: Job,
  { record, way, stripes, wanted }: Pick<Collective, "record" | "way"> & ReturnType<typeof aggregatorsFor>,
): Action {
  const hints = [
    { key: `romio_cb_${way}`, value: "enable" },
    { key: "cb_nodes", value: wanted },
    { key: "cb_config_list", value: "*:1" },
  ];
  if (stripes !== 1)
    return {
      change: "Request more aggregators",
      advice: `Request ${many(wanted, "aggregator")}, spread over the nodes (cb_nodes, cb_config_list); ROMIO's default is one per node.`,
      snippet: snippetFor(job, SNIPPETS.mpiHints, { hints }),
    };
  return way === "write"
    ? {
        change: "Use more stripes and aggregators",
        advice: `Stripe the file over several targets when it is created (striping_factor), and request as many aggregators, ${grouped(wanted)} (cb_nodes): now it lies on one OST.`,
        snippet: snippetFor(job, SNIPPETS.mpiHints, {
          hints: [...hints, { key: "striping_factor", value: wanted }],
        }),
      }
    : {
        change: "Spread the file over more targets",
        advice: `Spread the file over about ${grouped(wanted)} targets first: now it lies on one OST, and more aggregators alone would read no faster.`,
        snippet: snippetFor(job, SNIPPETS.moreStripes, { path: record.path, stripes: wanted, way }),
      };
}

const lateRank = defineRule({
  id: "late-rank",
  title: "One rank comes late to collective calls",
  subject: { text: "one late rank" },
  picture: {
    kind: "numbers",
    words: ["Time of ranks in collective calls", "the late rank", "mean of the others"],
  },
  meaning:
    "In collective calls all ranks wait for the last one. The rank with the shortest time in these calls is the late one: it waits for nobody.",
  needs: [["MPI-IO"], ["ranks"]],
  thresholds: {
    ratio: limit`2 ratio | mean time of the other ranks / time of the late one | Plimsoll's choice: ranks that arrive together leave together`,
    ranks: limit`3 ranks | ranks that make the calls, at least | Plimsoll's choice: with only two, either may be the normal one`,
    cost: limit`0.01 share | waiting of a rank, as part of the run time | Plimsoll's choice: less cannot be measured`,
  },
  judge(job, limits, said) {
    const files = mpiFiles(job).flatMap((record) => {
      const late = record.ranks >= limits.ranks ? lateInCalls(record, limits.ratio) : undefined;
      return late !== undefined && late.others - late.least >= limits.cost * job.runSeconds
        ? [{ record, ...late }]
        : [];
    });
    if (files.length === 0) return undefined;
    const worst = heaviest(files, ({ others, least }) => others - least);
    const rank = worst.record.fastestRank;
    const wait = sum(files, ({ others, least }) => others - least);
    if (isExplained(job, rank, wait, said)) return undefined;
    const listed: Listed[] = files.map(({ record, others, least }) => ({
      record,
      weight: others - least,
      note: `rank ${record.fastestRank}: ${secondsText(least)}, the others ${secondsText(others)}`,
    }));
    return {
      cost: recordedCost(
        files.map(({ record, least, most }) => ({ record, remains: least / most })),
        "all ranks spend as long in the calls as the one that waits for nobody",
      ),
      measured: { ratio: worst.others / worst.least, ranks: worst.record.ranks, cost: wait / job.runSeconds },
      statement: `Rank ${rank} spends ${secondsText(worst.least)} in collective calls on ${worst.record.path}, the ${grouped(worst.record.ranks - 1)} others ${secondsText(worst.others)} on average: they wait for it.`,
      evidence: {
        numbers: [
          { label: "time of the late rank", value: worst.least, unit: "seconds" },
          { label: "mean of the others", value: worst.others, unit: "seconds" },
          { label: "waiting of a rank", value: wait, unit: "seconds", of: job.runSeconds },
        ],
        ranks: [rank],
        ...worstRecords(listed),
        ...spanOf(listed, mainWay(worst.record)),
      },
      action: {
        change: "Find out what delays this rank",
        advice: `Look at what rank ${rank} does before these calls: more work than the others, another file, a slower node. The ranks do not wait for storage.`,
        snippet: snippetFor(job, SNIPPETS.waitingBefore),
      },
      effect: "Ranks that arrive together spend only the time of the data transfer in the calls.",
      ...trust(
        job,
        ["MPI-IO"],
        "medium",
        "from the fastest and slowest rank of shared files; that the fast one came late is inferred from how collective calls work",
      ),
      claims: files.map(({ record: { fileId } }) => ({ fileId })),
    };
  },
});

const collectiveWait = defineRule({
  id: "collective-wait",
  title: "Collective calls spend their time waiting, not in storage",
  subject: { text: "waiting in collective calls" },
  picture: {
    kind: "numbers",
    words: ["Time of one rank in the file", "MPI-IO, slowest rank", "POSIX, busiest rank"],
  },
  meaning:
    "Ranks spend far more time in collective MPI-IO than the busiest of them spends in storage: the time goes into exchanging data and waiting for each other.",
  needs: [["MPI-IO"], ["POSIX"], ["ranks"]],
  thresholds: {
    share: limit`0.8 share | part of the MPI-IO time beyond the POSIX time of the busiest rank | Plimsoll's choice: in four jobs that waited it was 95 to 99 %; exchange and a few milliseconds of imbalance make half`,
  },
  judge(job, limits, others) {
    const said = others.claimed(["late-rank", "write-amplification"]);
    const files = collectiveFiles(job).flatMap(({ record, posix, way }) => {
      // Opens and closes are collective too, but what they wait for is no exchange of data.
      const above = known(record.slowestSeconds) - known(record.metaSeconds) / record.ranks;
      const below = known(posix.slowestSeconds);
      const waits = above - below;
      return !said.has(record.fileId) && above > 0 && waits >= limits.share * above
        ? [{ record, way, above, below, waits }]
        : [];
    });
    if (files.length === 0) return undefined;
    const worst = heaviest(files, ({ waits }) => waits);
    const waits = sum(files, (file) => file.waits);
    if (isExplained(job, job.ledger.slowestRank, waits, others)) return undefined;
    const listed: Listed[] = files.map((file) => ({
      record: file.record,
      weight: file.waits,
      note: `${secondsText(file.above)} in MPI-IO, ${secondsText(file.below)} below`,
    }));
    return {
      cost: estimatedCost(
        files.map(({ record, waits }) => ({ record, remains: 1 - waits / record.slowestSeconds })),
        "time in MPI-IO beyond that of the busiest rank in POSIX",
        { atMost: true },
      ),
      measured: { share: worst.waits / worst.above },
      statement: `The slowest rank spends ${secondsText(worst.above)} in collective calls on ${worst.record.path}, but storage takes the busiest rank only ${secondsText(worst.below)}: ${percent(worst.waits, worst.above)} is exchange and waiting. Over all such files this is ${partOfSeconds(Math.min(waits, job.runSeconds), job.runSeconds, "the run time")}.`,
      evidence: {
        numbers: [
          { label: "slowest rank in MPI-IO", value: worst.above, unit: "seconds" },
          { label: "busiest rank in POSIX", value: worst.below, unit: "seconds" },
          { label: "exchange and waiting, at most", value: waits, unit: "seconds", of: job.runSeconds },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, worst.way),
      },
      action: others.claimed(["single-aggregator"]).has(worst.record.fileId)
        ? oneForAll(job, worst)
        : quickerExchange(job, worst.record, worst.way),
      effect: "At most the waiting time; the transfer itself remains.",
      ...trust(
        job,
        ["MPI-IO", "POSIX"],
        "medium",
        "times of both layers are recorded; exchange and waiting cannot be separated",
      ),
      claims: files.map(({ record: { fileId } }) => ({ fileId })),
    };
  },
});

/** All ranks send to one: more receivers come before anything else. */
function oneForAll(job: Job, file: Pick<Collective, "record" | "way">): Action {
  const more = moreAggregators(job, { ...file, ...aggregatorsFor(job, file.record) });
  return {
    ...more,
    advice: `${more.advice} Here one rank handles the data of ${grouped(file.record.ranks)} ranks. Then look at how balanced the ranks are before the call.`,
  };
}

/** Every call makes all ranks meet: many with little data each are meetings more than transfers. */
function fewerMeetings(record: LayerRecord, way: Way): string {
  const calls = way === "read" ? record.collectiveReads : record.collectiveWrites;
  const mean = bytesOf(record, way) / callsOf(record, way);
  return calls >= MEETINGS * record.ranks && mean < MIB
    ? ` Move more with each call: here ranks synchronise about ${grouped(calls / record.ranks)} times, for ${sizeText(Math.round(mean))} each.`
    : "";
}

/** Ours: fewer calls of each rank are steps of a program. */
const MEETINGS = 20;

const quickerExchange = (job: Job, record: LayerRecord, way: Way): Action => ({
  change: "Balance ranks and aggregators",
  advice:
    `First look at how balanced the ranks are before the call.${fewerMeetings(record, way)}` +
    " Then try the number and placement of aggregators (cb_nodes, cb_config_list) and the buffer (cb_buffer_size): with too few or badly placed ones, the exchange takes the time. Faster storage would change little.",
  snippet: snippetFor(job, SNIPPETS.mpiHints, {
    hints: [
      { key: `romio_cb_${way}`, value: "enable" },
      { key: "cb_config_list", value: "*:1" },
      { key: "cb_buffer_size", value: 64 * 2 ** 20 },
    ],
  }),
});

export const WAITING_RULES: readonly Rule[] = [singleAggregator, lateRank, collectiveWait];

/** What a rank did before the others waited for it is in the log: more or slower I/O of its own, which has a finding. */
const isExplained = (job: Job, rank: number, seconds: number, others: Others): boolean =>
  ownExcess(job, rank) >= 0.5 * seconds &&
  others.speak("one-rank-io", "byte-imbalance", "straggler", "slow-target", "slow-ost");

/** Time of a rank in its own files beyond the median rank, and in files that it shares beyond the mean of the others. */
function ownExcess(job: Job, rank: number): number {
  const { ownSeconds } = job.ledger;
  const idle = Array.from({ length: Math.max(0, job.ranks - ownSeconds.size) }, () => 0);
  const shared = sum(realFiles(job), ({ called }) =>
    called.shared && called.slowestRank === rank && !isCollective(called, mainWay(called))
      ? beyondOthers(called)
      : 0,
  );
  return (ownSeconds.get(rank) ?? 0) - median([...ownSeconds.values(), ...idle]) + shared;
}

const beyondOthers = (record: LayerRecord) =>
  record.slowestSeconds -
  Math.max(0, accessSeconds(record) + known(record.metaSeconds) - record.slowestSeconds) / (record.ranks - 1);
