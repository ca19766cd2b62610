/**
 * What strace adds to the time of a call. It stops the process before and behind each call, and both switches to it are
 * inside the time that it prints. A quick call takes hardly more than that, so the mean of the quickest kind stands for
 * it and is taken off what a change saves. Where a program makes slow calls only, their mean would blame strace for
 * what storage takes: four switches of context do not take longer than a tenth of a millisecond.
 */
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import type { CostClaim } from "../rule.ts";
import { HIGH_SHARE, WARN_SHARE } from "./cost.ts";
import type { Healthy, Part } from "./ledger.ts";
import { unknownCost } from "./remedies.ts";

/** Fewer calls of a kind may all have been quick or slow by chance. */
const CALLS_MIN = 16;

/** Ours: as what we say of all times under strace, that a call of a microsecond becomes up to 100 times as long. */
const OVERHEAD_MAX = 100e-6;

/** Ours: of what a change saves under strace; what strace takes varies twofold, so less may be nothing. */
const OWN_MIN = 0.5;

type Kind = readonly [calls: number, seconds: number];

/** Mean seconds of the quickest kind of call on any file; undefined where no kind has enough calls. */
function quickestCall({ records }: Pick<Job, "records">): number | undefined {
  let least = Number.POSITIVE_INFINITY;
  for (const record of records)
    for (const [calls, seconds] of kindsOf(record))
      if (calls >= CALLS_MIN && seconds > 0) least = Math.min(least, seconds / calls);
  return Number.isFinite(least) ? Math.min(least, OVERHEAD_MAX) : undefined;
}

const kindsOf = (record: LayerRecord): readonly Kind[] => [
  [record.reads, record.readSeconds],
  [record.writes, record.writeSeconds - Math.max(0, record.syncSeconds)],
  // A close for each open.
  [2 * record.opens, record.openSeconds],
  [record.stats, record.statSeconds],
  [record.seeks, record.seekSeconds],
];

/** Calls and seconds that the ledger counts as one part. */
const partOf = (record: LayerRecord, part: Part): Kind =>
  part === "read"
    ? [record.reads || 0, record.readSeconds || 0]
    : part === "write"
      ? [(record.writes || 0) + (record.syncs || 0), record.writeSeconds || 0]
      : [2 * (record.opens || 0) + (record.stats || 0) + (record.seeks || 0), record.metaSeconds || 0];

const PARTS = ["read", "write", "meta"] as const;

const isStraced = ({ runs }: Pick<Job, "runs">) => runs.some(({ kind }) => kind === "strace");

/** The claim without the part of the time that the tracer itself takes. Times under strace are never measured times. */
export function withoutTracer(
  job: Pick<Job, "runs" | "records" | "ledger" | "runSeconds">,
  claim: CostClaim,
): CostClaim {
  if (claim.kind !== "remedy" || !isStraced(job)) return claim;
  const overhead = quickestCall(job);
  if (overhead === undefined)
    return {
      ...claim,
      basis: "estimated",
      model: `${claim.model}, in a run that strace slowed down by an unknown amount`,
    };
  const micros = Number((1e6 * overhead).toPrecision(2));
  const how =
    overhead < OVERHEAD_MAX ? "the time of the fastest kind under strace" : "the most that strace adds";
  const left = { ...claim, healthy: net(claim.healthy, overhead) };
  const [traced, own] = [job.ledger.gain(claim), job.ledger.gain(left)];
  if (traced >= WARN_SHARE * job.runSeconds && own < OWN_MIN * traced)
    return unknownCost(
      `strace's own overhead (${micros} µs per call) hides their cost; plimsoll record shows it`,
      traced >= HIGH_SHARE * job.runSeconds ? "warn" : "info",
    );
  return {
    ...left,
    basis: "estimated",
    model: `${claim.model}; less ${micros} µs per call, ${how}`,
  };
}

/** Of what is saved, the share that calls owe to the tracer is not saved without it. Made as often as it is asked for. */
const net = (healthy: Iterable<Healthy>, overhead: number): Iterable<Healthy> => ({
  *[Symbol.iterator]() {
    for (const one of healthy) {
      const parts = one.part === undefined ? PARTS : ([one.part] as const);
      for (const part of parts) {
        const [calls, seconds] = partOf(one.record, part);
        const traced = seconds > 0 ? Math.min(1, (overhead * calls) / seconds) : 0;
        yield { record: one.record, part, remains: 1 - (1 - one.remains) * (1 - traced) };
      }
    }
  },
});
