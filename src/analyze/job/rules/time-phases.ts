/** Rules on when I/O happens, from heat maps or traces. */
import { formatBytes } from "../../../base/units.ts";
import type { Activity } from "../activity.ts";
import { estimatedCost, NO_COST, recordedCost } from "../cost/remedies.ts";
import type { Job } from "../job.ts";
import { type Action, defineRule, limit, type Rule } from "../rule.ts";
import { programOf, SNIPPETS, snippetFor, wayOf } from "../snippets/index.ts";
import { trust } from "./evidence.ts";
import { sum, type Way } from "./measures.ts";
import { grouped, partOfSeconds, percent, rough, secondsText, times } from "./wording.ts";

const DAY_SECONDS = 86_400;
const TIMELINES = [["activity", "POSIX calls", "MPI-IO calls"]] as const;

const checkpointRhythm = defineRule({
  id: "checkpoint-rhythm",
  title: "Regular bursts of writes",
  subject: { text: "bursts of writes", plural: true },
  picture: { kind: "timeline" },
  meaning:
    "The job writes about the same amount at regular intervals, as checkpoints do, and that takes a notable part of the run.",
  needs: TIMELINES,
  thresholds: {
    bursts: limit`3 count | bursts, at least | Plimsoll's choice: two bursts are not a rhythm`,
    cost: limit`0.1 share | bursts as part of the run time | Plimsoll's choice: a tenth of the run is worth a change`,
    spread: limit`0.3 ratio, at most | standard deviation over mean, of the intervals and of the bytes | Plimsoll's choice: steps of a simulation vary`,
    seconds: limit`30 seconds | all bursts together, at least | Plimsoll's choice: less is not worth changing the checkpoint for`,
  },
  judge(job, limits) {
    const { activity } = job;
    if (activity === undefined) return undefined;
    const bursts = burstsOf(activity.bytesWritten);
    if (bursts.length < limits.bursts) return undefined;
    const width = activity.binSeconds;
    const periods = bursts.slice(1).map(({ first }, index) => (first - (bursts[index]?.first ?? 0)) * width);
    const sizes = bursts.map(({ bytes }) => bytes);
    // A burst fills its first and last bin only in part, and never lasts longer than the writes themselves.
    const binned = sum(bursts, ({ first, last }) => (last - first + 1) * width);
    const seconds = Math.min(binned, job.io.slowestSeconds);
    const cost = seconds / job.runSeconds;
    const regular = spreadOf(periods) <= limits.spread && spreadOf(sizes) <= limits.spread;
    if (!regular || !(cost >= limits.cost && seconds >= limits.seconds)) return undefined;
    const period = mean(periods);
    const burst = seconds / bursts.length;
    const best = Math.sqrt(2 * burst * DAY_SECONDS);
    const first = bursts[0] as Burst;
    return {
      cost: NO_COST,
      measured: {
        bursts: bursts.length,
        cost,
        spread: Math.max(spreadOf(periods), spreadOf(sizes)),
        seconds,
      },
      statement: `The job writes ${formatBytes(mean(sizes))} every ${secondsText(period)}, ${times(bursts.length)}, for about ${secondsText(burst)} each: ${partOfSeconds(seconds, job.runSeconds, "the run time")}.`,
      evidence: {
        numbers: [
          { label: "bursts", value: bursts.length, unit: "count" },
          { label: "mean interval", value: period, unit: "seconds" },
          { label: "mean bytes of a burst", value: mean(sizes), unit: "bytes" },
          { label: "time in bursts", value: seconds, unit: "seconds", of: job.runSeconds },
          { label: "width of a bin", value: width, unit: "seconds" },
        ],
        span: { startSeconds: first.first * width, endSeconds: (first.last + 1) * width },
      },
      action: checkpoints(job, { period, burst, best }),
      effect: `Up to ${percent(cost)} of the run time, as far as ranks wait for the writes.`,
      ...trust(
        job,
        ["HEATMAP", "DXT_POSIX", "DXT_MPIIO"],
        "medium",
        `${activity.source === "HEATMAP" ? "the heat map" : "the trace"} shows when bytes move, in bins of ${secondsText(width)}; whether ranks wait meanwhile is not recorded`,
      ),
    };
  },
});

function allAtOnce(job: Job, way: Way): Action {
  const locks =
    way === "write" ? " If locks on shared stripes cause the turns, align each part to the stripe size." : "";
  const snippet = snippetFor(job, SNIPPETS.allAtOnce, { way });
  return programOf(job).mpi
    ? {
        change: "Let ranks work at the same time",
        advice: `Let all ranks ${way} at the same time, each its own part, with collective MPI-IO on one file.${locks}`,
        snippet,
      }
    : {
        change: "Let processes work at the same time",
        advice: `Let all processes ${way} at the same time, each its own part at a computed offset.${locks}`,
        snippet,
      };
}

/** Young's interval, for a failure a day. */
function checkpoints(
  job: Job,
  { period, burst, best }: { period: number; burst: number; best: number },
): Action {
  const young = `for a mean time between failures M, the best interval is about √(2 · ${secondsText(burst)} · M) (Young 1974), for M = 24 h ${secondsText(best)}`;
  return best > period
    ? {
        change: "Write checkpoints less often",
        advice: `If these are checkpoints, write them less often: ${young}. Or let the job continue meanwhile: copy to memory or node-local storage and drain in the background.`,
        snippet: snippetFor(job, SNIPPETS.everyNth),
      }
    : {
        change: "Write while computing",
        advice: `Let the job continue while it writes: copy to memory or node-local storage and drain in the background. If these are checkpoints, their interval is not too short: ${young}.`,
        snippet: snippetFor(job, SNIPPETS.overlap, { way: "write" }),
      };
}

const serialIoPhase = defineRule({
  id: "serial-io-phase",
  title: "Ranks do their I/O one after another",
  subject: { text: "I/O in turns" },
  picture: { kind: "timeline" },
  meaning: "Many ranks do I/O, but hardly ever two at once: they take turns, or wait for each other's locks.",
  needs: TIMELINES,
  thresholds: {
    groups: limit`8 count | ranks or groups of ranks with I/O | Plimsoll's choice: fewer can take turns by chance`,
    together: limit`1.5 ratio, at most | ranks or groups active at the same time, averaged over the bytes, at most | Plimsoll's choice: two ranks that take turns share the time bin in which one follows the other`,
    cost: limit`0.1 share | time of these turns as part of the run time | Plimsoll's choice: a tenth of the run is worth parallelising`,
  },
  judge(job, limits) {
    const { activity } = job;
    if (activity === undefined) return undefined;
    const { groups, heaviestShare, start, end, ...seen } = overlapOf(activity);
    const exact = activity.source === "HEATMAP" ? undefined : callsAtOnce(job);
    const together = exact?.together ?? seen.together;
    // Bins are wide: a line of a log in each of them is no phase.
    const busySeconds =
      exact?.busySeconds ?? Math.min(seen.busySeconds, job.io.readSeconds + job.io.writeSeconds);
    const cost = busySeconds / job.runSeconds;
    const serial = groups >= limits.groups && together <= limits.together && heaviestShare <= 0.5;
    if (!serial || !(cost >= limits.cost)) return undefined;
    const unit = activity.ranksPerRow > 1 ? `groups of ${activity.ranksPerRow} ranks` : "ranks";
    return {
      cost:
        exact !== undefined && job.ledger.isTraced
          ? recordedCost([], "all ranks at once: the time of the rank with the longest turns remains", {
              turnsAtOnce: true,
              atMost: true,
            })
          : estimatedCost([], `all ${grouped(groups)} ${unit} at the same time instead of in turns`, {
              atMost: true,
              unseenSeconds: busySeconds * (1 - together / groups),
            }),
      measured: { groups, together, cost },
      statement: `${grouped(groups)} ${unit} do I/O, but only ${rough(together)} at a time on average. These turns take ${partOfSeconds(busySeconds, job.runSeconds, "the run time")}.`,
      evidence: {
        numbers: [
          {
            label: activity.ranksPerRow > 1 ? "groups of ranks with I/O" : "ranks with I/O",
            value: groups,
            unit: "count",
          },
          { label: "at work at the same time", value: together, unit: "ratio" },
          { label: "time with I/O", value: busySeconds, unit: "seconds", of: job.runSeconds },
        ],
        span: { startSeconds: start, endSeconds: end },
      },
      action: allAtOnce(job, wayOf([job.io])),
      effect: `Up to ${times(groups)} as many at work at the same time, as far as clients and OSTs allow.`,
      ...trust(
        job,
        ["HEATMAP", "DXT_POSIX", "DXT_MPIIO"],
        activity.ranksPerRow > 1 ? "medium" : "high",
        activity.source === "HEATMAP"
          ? `the heat map shows each rank in bins of ${secondsText(activity.binSeconds)}`
          : "every call is traced",
      ),
    };
  },
});

export const PHASE_RULES: readonly Rule[] = [checkpointRhythm, serialIoPhase];

interface Burst {
  first: number;
  last: number;
  bytes: number;
}

/** Bins with more than a twentieth of the highest belong to a burst; a single empty bin does not end it. */
function burstsOf(bins: Float64Array): Burst[] {
  const least = 0.05 * bins.reduce((a, b) => Math.max(a, b), 0);
  const bursts: Burst[] = [];
  bins.forEach((bytes, bin) => {
    if (!(bytes > least)) return;
    const last = bursts.at(-1);
    if (last !== undefined && bin - last.last <= 2) {
      last.last = bin;
      last.bytes += bytes;
    } else bursts.push({ first: bin, last: bin, bytes });
  });
  return bursts;
}

const mean = (values: readonly number[]) => sum(values, (value) => value) / values.length;

/** Standard deviation over mean. */
function spreadOf(values: readonly number[]): number {
  const average = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - average) ** 2))) / average;
}

/** Calls under way at once while any is, in the lowest layer with single calls: that is where turns are taken. */
function callsAtOnce({ trace }: Job): { together: number; busySeconds: number } | undefined {
  const layer = trace?.layers.find((one) => one.layer === "POSIX") ?? trace?.layers[0];
  const together = layer?.concurrency.mean ?? null;
  return layer === undefined || together === null ? undefined : { together, busySeconds: layer.busySeconds };
}

/** How many rows of cells are at work in the same bin, weighted by the bytes that they move. */
function overlapOf({ rows, cellsRead, cellsWritten, binSeconds }: Activity) {
  const bins = rows > 0 ? cellsRead.length / rows : 0;
  const inBin = new Float64Array(bins);
  const rowsInBin = new Float64Array(bins);
  const inRow = new Float64Array(rows);
  for (let row = 0; row < rows; row++)
    for (let bin = 0; bin < bins; bin++) {
      const bytes = (cellsRead[row * bins + bin] as number) + (cellsWritten[row * bins + bin] as number);
      if (!(bytes > 0)) continue;
      inBin[bin] = (inBin[bin] as number) + bytes;
      rowsInBin[bin] = (rowsInBin[bin] as number) + 1;
      inRow[row] = (inRow[row] as number) + bytes;
    }
  const total = sum(inBin, (bytes) => bytes);
  const heaviest = inRow.reduce((a, b) => Math.max(a, b), 0);
  const busy = [...inBin.keys()].filter((bin) => (inBin[bin] as number) > 0);
  return {
    // Rows with next to nothing, such as a log of rank 0, take no turn.
    groups: inRow.filter((bytes) => bytes >= 0.01 * heaviest).length,
    together: sum(busy, (bin) => (rowsInBin[bin] as number) * (inBin[bin] as number)) / total,
    busySeconds: busy.length * binSeconds,
    heaviestShare: heaviest / total,
    start: (busy[0] ?? 0) * binSeconds,
    end: ((busy.at(-1) ?? 0) + 1) * binSeconds,
  };
}
