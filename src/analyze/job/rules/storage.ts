/** Rules on where the files lie. */
import { formatBytes, formatRate } from "../../../base/units.ts";
import { atMostAll, estimatedCost, unknownCost } from "../cost/remedies.ts";
import type { Job, JobFile, OstLoad } from "../job.ts";
import { type CostClaim, defineRule, limit, type Rule } from "../rule.ts";
import { wayOf, SNIPPETS, snippetFor } from "../snippets/index.ts";
import { COUNTERS, type Trust, trust, worstFiles } from "./evidence.ts";
import { bytesMoved, extentOf, heaviest, known, sum } from "./measures.ts";
import { realFiles } from "./per-job.ts";
import { slowestTarget } from "./slow-ost.ts";
import { SLOW_TARGET_RULES } from "./slow-target.ts";
import { OTHER_STORAGE_RULES } from "./storage-other.ts";
import { setStripe, stripeArithmetic, STRIPES_SOURCE, stripesFor, stripesOf } from "./striping.ts";
import { grouped, many, partOfSeconds, percent, rough, secondsText, times } from "./wording.ts";

const NEEDS = [["layout"], ["POSIX", "MPI-IO", "STDIO"]] as const;

const stripeOne = defineRule({
  id: "stripe-one",
  title: "Large shared file on one OST",
  subject: { text: "a file on one target" },
  picture: { kind: "targets", by: "bytes" },
  meaning:
    "Many ranks use a large file that lies on a single OST, so all of them share the rate of that one target.",
  needs: NEEDS,
  thresholds: {
    bytes: limit`1e9 bytes | size of the file | ${STRIPES_SOURCE}; below, the default`,
    ranks: limit`4 ranks | ranks that use the file | Plimsoll's choice: two or three clients do not fill a target`,
    cost: limit`0.01 share | mean I/O time of a rank in these files, as part of the run time | Plimsoll's choice: for files that are hardly used the layout does not matter`,
  },
  judge(job, limits) {
    const files = realFiles(job).filter((file) => stripesOf(file) === 1 && isLargeShared(file, limits));
    const found = costOf(job, files, limits.cost);
    if (found === undefined) return undefined;
    const { worst, seconds } = found;
    const bytes = extentOf(worst);
    const ranks = worst.called.ranks;
    const stripes = stripesFor(bytes, ranks);
    return {
      cost: atMostAll(
        files,
        1 / stripes,
        `${stripes} times the rate with ${stripes} OSTs, if the job waits for this target`,
      ),
      measured: { bytes, ranks, cost: seconds / job.runSeconds },
      statement: `${grouped(ranks)} ranks share ${worst.path}: ${formatBytes(bytes)} on ${worst.osts.length === 1 ? `OST ${worst.osts[0]} alone` : "a single OST"}${andMore(files)}. A rank spends ${partOfSeconds(Math.min(seconds, job.runSeconds), job.runSeconds, "the run time")} in such files on average.`,
      evidence: layoutEvidence(job, files, seconds),
      action: {
        change: "Stripe the shared file",
        advice: `Stripe the file over about ${stripes} OSTs${worst.bytesWritten > 0 ? " before it is written" : ""}: ${stripeArithmetic(bytes, ranks, stripes)}.`,
        snippet: setStripe(job, worst, bytes, stripes),
      },
      effect: `Up to ${times(stripes)} the rate of one target, if the job waits for the targets.`,
      ...layoutConfidence(job, worst),
    };
  },
});

const stripeCount = defineRule({
  id: "stripe-count",
  title: "Too few stripes for a large shared file",
  subject: { text: "too few stripes", plural: true },
  picture: { kind: "targets", by: "bytes" },
  meaning: "A large file that many ranks use lies on a few OSTs only, which limits the rate of all ranks.",
  needs: NEEDS,
  thresholds: {
    bytes: limit`10e9 bytes | size of the file | Plimsoll's choice: smaller files take only seconds on a few OSTs`,
    ranks: limit`16 ranks | ranks that use the file | Plimsoll's choice: a node's worth of clients`,
    ratio: limit`4 ratio | recommended stripes / actual stripes | ${STRIPES_SOURCE}, and at most the number of ranks; a factor of 4 because sites differ`,
    cost: limit`0.05 share | mean I/O time of a rank in these files, as part of the run time | Plimsoll's choice: below 5 % of the run a change is hard to measure`,
  },
  judge(job, limits) {
    const files = realFiles(job).filter((file) => {
      const stripes = stripesOf(file);
      if (!(stripes > 1 && isLargeShared(file, limits))) return false;
      return stripesFor(extentOf(file), file.called.ranks) >= limits.ratio * stripes;
    });
    const found = costOf(job, files, limits.cost);
    if (found === undefined) return undefined;
    const { worst, seconds } = found;
    const bytes = extentOf(worst);
    const ranks = worst.called.ranks;
    const stripes = stripesFor(bytes, ranks);
    const has = stripesOf(worst);
    return {
      cost: unknownCost("the log does not show whether the job waits for these few targets"),
      measured: { bytes, ranks, ratio: stripes / has, cost: seconds / job.runSeconds },
      statement: `${worst.path} (${formatBytes(bytes)}, used by ${grouped(ranks)} ranks) lies on ${grouped(has)} OSTs, with ${formatBytes(bytes / has)} and ${rough(ranks / has)} ranks for each${andMore(files)}. A rank spends ${partOfSeconds(Math.min(seconds, job.runSeconds), job.runSeconds, "the run time")} in such files on average.`,
      evidence: layoutEvidence(job, files, seconds),
      action: {
        change: "Use more stripes",
        advice: `Stripe it over about ${stripes} OSTs: ${stripeArithmetic(bytes, ranks, stripes)}.`,
        snippet: setStripe(job, worst, bytes, stripes),
      },
      effect: `Up to ${times(stripes / has)} the rate, if the job waits for the targets.`,
      ...layoutConfidence(job, worst),
    };
  },
});

const stripeWideSmall = defineRule({
  id: "stripe-wide-small",
  title: "Small files striped over many OSTs",
  subject: { text: "over-striped small files", plural: true },
  picture: { kind: "targets", by: "bytes" },
  meaning:
    "Files that fit into their first stripe are created on several OSTs: each creation, stat and removal contacts all of them, though they hold no data.",
  needs: NEEDS,
  thresholds: {
    files: limit`100 files | such files | Plimsoll's choice: a few cost next to nothing`,
    stripes: limit`4 count | OSTs per file | Lustre wiki, Lustre Striping Best Practices: one stripe for files below 1 MiB, one to four up to 1 GiB`,
  },
  judge(job, limits) {
    const files = realFiles(job).filter((file) => {
      // Of a file that was only read the end may never have been reached.
      if (!(file.bytesWritten > 0 && stripesOf(file) >= limits.stripes)) return false;
      const bytes = extentOf(file);
      return bytes > 0 && bytes <= file.stripeBytes;
    });
    if (files.length < limits.files) return undefined;
    const objects = sum(files, stripesOf);
    const worst = files[0] as JobFile;
    return {
      cost: unknownCost("creating empty objects is not timed", "info"),
      measured: { files: files.length, stripes: objects / files.length },
      statement: `${many(files.length, "file")} are no larger than one stripe (${formatBytes(sum(files, extentOf))} together), yet consist of ${grouped(objects)} objects on OSTs, of which ${grouped(objects - files.length)} are empty.`,
      evidence: {
        numbers: [
          { label: "small files on several OSTs", value: files.length, unit: "files", of: job.files.length },
          { label: "empty objects", value: objects - files.length, unit: "count", of: objects },
        ],
        ...worstFiles(
          files,
          stripesOf,
          (file) => `${formatBytes(extentOf(file))} on ${grouped(stripesOf(file))} OSTs`,
        ),
      },
      action: {
        change: "Use one stripe for small files",
        advice:
          "Give directories of small files a single stripe, or a progressive layout that widens as a file grows.",
        snippet: snippetFor(job, SNIPPETS.oneStripe, { path: worst.path }),
      },
      effect: "Faster creation, stat and removal of these files; nothing changes for their data.",
      ...trust(job, COUNTERS, "high", "layout and size of each file are recorded"),
    };
  },
});

const slowOst = defineRule({
  id: "slow-ost",
  title: "One OST is much slower",
  subject: { text: "one slow storage target" },
  picture: { kind: "targets", by: "rate" },
  meaning: "Calls that go to one OST take much longer for the same bytes than calls to the others.",
  needs: NEEDS,
  thresholds: {
    ratio: limit`3 ratio | seconds per byte / median of all OSTs | Plimsoll's choice: load from other jobs can explain a factor of two`,
    osts: limit`4 count | OSTs to compare | Plimsoll's choice: a median of fewer means little`,
    ranks: limit`2 ranks | ranks that used the slow OST | Plimsoll's choice: with one, rank and target cannot be told apart (see straggler)`,
    cost: limit`0.01 share | time beyond that of the median OST, as part of all read and write time | Plimsoll's choice: a slow target with little data does not matter`,
  },
  judge(job, limits) {
    const slow = slowestTarget(job, limits);
    const all = sum(job.osts, ({ seconds }) => seconds);
    if (slow === undefined || !(slow.files !== undefined || slow.excess >= limits.cost * all))
      return undefined;
    const files = slow.files ?? realFiles(job).filter(({ osts }) => osts.includes(slow.ost));
    const single = files.every(({ osts }) => osts.length === 1);
    const worst = heaviest(files, ({ seconds }) => seconds);
    return {
      cost: likeOtherTargets(files, slow),
      measured: { ratio: slow.ratio, osts: slow.compared, cost: slow.excess / all },
      statement: `OST ${slow.ost} takes ${times(slow.ratio)} as long per byte as the median of ${grouped(slow.compared)} OSTs (${formatRate(slow.bytes / slow.seconds)} against ${formatRate(1 / slow.typical)} while calls are in progress${slow.files === undefined ? "" : ` in ${many(files.length, "file")} there and others of their kind`}). It accounts for ${partOfSeconds(slow.seconds, all, "the time of all ranks in reads and writes")} and for ${percent(slow.bytes, sum(job.osts, bytesMoved))} of the bytes.`,
      evidence: {
        numbers: [
          { label: "slow OST", value: slow.ost, unit: "index" },
          { label: "its time", value: slow.seconds, unit: "seconds", of: all },
          { label: "its bytes", value: slow.bytes, unit: "bytes", of: sum(job.osts, bytesMoved) },
          { label: "time per byte / median", value: slow.ratio, unit: "ratio" },
          { label: "time beyond the median, over all ranks", value: slow.excess, unit: "seconds" },
          { label: "OSTs compared", value: slow.compared, unit: "count" },
        ],
        ...worstFiles(
          files,
          ({ seconds }) => seconds,
          (file) => `${formatBytes(bytesMoved(file))} in ${secondsText(file.seconds)} over all ranks`,
        ),
      },
      action: {
        change: "Move files off the slow target",
        advice: `Tell the administrators about OST ${slow.ost} (possible reasons: a rebuild, a failing disk, another job, nearly full). Until it is fixed, ${wayOf(files) === "write" ? "write new files elsewhere and " : ""}move these files away.`,
        snippet: snippetFor(job, SNIPPETS.leaveOst, {
          path: worst.path,
          ost: slow.ost,
          stripes: stripesOf(worst),
          fastOst: fastOst(job),
        }),
      },
      effect: `Up to ${secondsText(slow.excess / job.ranks)} per rank on average, as long as the target stays slow.`,
      ...trust(
        job,
        COUNTERS,
        slow.source === "trace" || single ? "high" : "medium",
        slow.source === "trace"
          ? "traced offsets say which OST each call went to"
          : single
            ? "each file lies on one OST, so its time is that OST's"
            : "estimated: the time of each file is spread evenly over its OSTs",
      ),
      claims: files.map(({ fileId }) => ({ fileId, ost: slow.ost })),
    };
  },
});

export const STORAGE_RULES: readonly Rule[] = [
  stripeOne,
  stripeCount,
  stripeWideSmall,
  slowOst,
  ...SLOW_TARGET_RULES,
  ...OTHER_STORAGE_RULES,
];

/** The part of each file on the slow target takes as long as on the median of the others. */
function likeOtherTargets(
  files: readonly JobFile[],
  { ost, ratio }: { readonly ost: number; readonly ratio: number },
): CostClaim {
  const healthy = files.map(({ called, osts }) => {
    const part = osts.filter((one) => one === ost).length / osts.length;
    return { record: called, remains: 1 - part * (1 - 1 / ratio) };
  });
  return estimatedCost(healthy, "bytes on the slow target at the rate of the median of the others");
}

const isLargeShared = (file: JobFile, limits: { readonly bytes: number; readonly ranks: number }) =>
  file.called.ranks >= limits.ranks && extentOf(file) >= limits.bytes;

/** Mean time of a rank in the files, and the file that holds most of it. */
function costOf(job: Job, files: readonly JobFile[], least: number) {
  const seconds = sum(files, (file) => file.seconds / file.called.ranks);
  const cost = Math.min(1, seconds / job.runSeconds);
  if (files.length === 0 || !(cost >= least)) return undefined;
  const worst = heaviest(files, ({ seconds }) => seconds);
  return { worst, cost, seconds };
}

const andMore = (files: readonly JobFile[]) =>
  files.length > 1 ? `, and ${many(files.length - 1, "other file")} likewise` : "";

function layoutEvidence(job: Job, files: readonly JobFile[], seconds: number) {
  const worst = heaviest(files, ({ seconds }) => seconds);
  return {
    numbers: [
      { label: "size of the largest", value: extentOf(worst), unit: "bytes" },
      { label: "OSTs it lies on", value: stripesOf(worst), unit: "count" },
      { label: "ranks that use it", value: worst.called.ranks, unit: "ranks" },
      {
        label: "its rate by the slowest rank",
        value: bytesMoved(worst) / worst.slowestSeconds,
        unit: "bytes/s",
      },
      { label: "mean time of a rank in such files", value: seconds, unit: "seconds", of: job.runSeconds },
    ],
    ...worstFiles(
      files,
      (file) => file.seconds,
      (file) =>
        `${formatBytes(extentOf(file))} on ${many(stripesOf(file), "OST")}, ${grouped(file.called.ranks)} ranks`,
    ),
  } as const;
}

function layoutConfidence(job: Job, { layers }: JobFile): Trust {
  const composite = [...layers.values()].some(({ components }) => components > 1);
  return composite
    ? trust(
        job,
        COUNTERS,
        "medium",
        "the layout has several components, and the recorder sees only those that existed when the file was opened",
      )
    : trust(job, COUNTERS, "high", "the layout is recorded");
}

/** The OST with the best rate. */
function fastOst(job: Job): number {
  const rate = (ost: OstLoad) => known(bytesMoved(ost) / ost.seconds);
  return heaviest(job.osts, rate).ost;
}
