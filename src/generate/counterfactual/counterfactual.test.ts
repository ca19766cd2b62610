/** Jobs with twins: what the answers promise against what an independent reader finds in the logs. */
import { describe, expect, it } from "vitest";
import { type OracleLog, oracleRead } from "../../../test/oracle/darshan-oracle.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { type Call, singleCalls } from "../recorder/calls.ts";
import { inconsistencies, recordsOf, values } from "../single/test-kit.ts";
import { CAUSES, type CounterfactualJob, drawJob, jobAnswer, logPlan, twinLog, twinsOf } from "./index.ts";

const SEED = 6;
const JOBS = 30;
/** Jobs with more calls than this are not recounted one by one. */
const RECOUNTED_MAX = 2000;
const CLASSES = "0_100 100_1K 1K_10K 10K_100K 100K_1M 1M_4M 4M_10M 10M_100M 100M_1G 1G_PLUS".split(" ");

const jobs = Array.from({ length: JOBS }, (_, index) => drawJob(SEED, index));

const runSeconds = ({ job }: OracleLog) =>
  Number(job.endSeconds - job.startSeconds) + Number(job.endNanoseconds - job.startNanoseconds) / 1e9;

const mendedIn = ({ causes }: CounterfactualJob, mended: string) =>
  new Set(causes.map(({ cause }) => cause).filter((cause) => mended === "mended" || mended === cause));

const readTwins = (job: CounterfactualJob) =>
  twinsOf(job).map((twin) => ({ twin, log: oracleRead(twinLog(job, twin, nodeEncoders).bytes) }));

const callCount = (calls: readonly Call[]) => calls.reduce((sum, { count = 1 }) => sum + count, 0);

describe("the set of jobs", () => {
  it("has every cause as the main one, decoys and controls, and jobs with several causes", () => {
    expect(new Set(jobs.slice(0, 21).map(({ mainCause }) => mainCause))).toEqual(new Set(CAUSES));
    const kinds = jobs.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "decoy").length).toBeGreaterThanOrEqual(2);
    expect(kinds.filter((kind) => kind === "control").length).toBeGreaterThanOrEqual(2);
    expect(jobs.some(({ causes }) => causes.length > 1)).toBe(true);
  });

  it("has gains that a person would look for, and none in decoys", () => {
    for (const { kind, causes, runSeconds: seconds, mainCause } of jobs) {
      if (kind === "planted") {
        const [main, ...others] = causes;
        expect(main!.cause).toBe(mainCause);
        expect(main!.trueGainShare).toBeGreaterThan(0.02);
        expect(main!.trueGainSeconds).toBeLessThan(seconds);
        for (const other of others) expect(other.trueGainSeconds).toBeLessThan(main!.trueGainSeconds);
      } else {
        expect(mainCause).toBe("none");
        for (const { trueGainShare } of causes) expect(Math.abs(trueGainShare)).toBeLessThan(0.005);
      }
    }
  });

  it("spreads over what jobs are like", () => {
    const ranks = jobs.map(({ program }) => program.ranks);
    expect(Math.min(...ranks)).toBeLessThan(4);
    expect(Math.max(...ranks)).toBeGreaterThan(100);
    const computing = jobs.map(({ program, runSeconds: run }) => program.computeSeconds / run);
    expect(Math.min(...computing)).toBe(0);
    expect(Math.max(...computing)).toBeGreaterThan(0.8);
    for (const has of ["heatmap", "traces", "mpi"] as const)
      expect(new Set(jobs.map(({ program }) => program[has])), has).toEqual(new Set([true, false]));
    expect(new Set(jobs.map(({ program }) => program.place.layouts))).toEqual(new Set([true, false]));
  });
});

describe.each(jobs)("job $index: $kind of $mainCause", (job) => {
  const twins = readTwins(job);

  it("ends as much sooner without a cause as its answer says", () => {
    const flawed = runSeconds(twins[0]!.log);
    const answer = jobAnswer(job);
    expect(flawed).toBeCloseTo(answer.runSeconds, 8);
    for (const { twin, log } of twins.slice(1)) {
      const gain = flawed - runSeconds(log);
      if (twin.mended === "mended") expect(gain).toBeCloseTo(answer.trueGainSeconds, 7);
      for (const cause of answer.causes)
        if (cause.mendedLog === twin.file) expect(gain).toBeCloseTo(cause.trueGainSeconds, 7);
    }
    expect(answer.causes.every(({ mendedLog }) => twins.some(({ twin }) => twin.file === mendedLog))).toBe(
      true,
    );
  });

  it("says that it is synthetic", () => {
    for (const { log } of twins)
      expect(log.job.metadata).toContainEqual(["made_by", "plimsoll generate single (synthetic)"]);
    expect(jobAnswer(job)).toMatchObject({ synthetic: true, ranks: Number(twins[0]!.log.job.nprocs) });
  });

  it("has counters that fit together and fit its calls", () => {
    for (const { twin, log } of twins) {
      const plan = logPlan(job.program, mendedIn(job, twin.mended));
      expect(wrongSums(log).slice(0, 5)).toEqual([]);
      expect(Math.max(...plan.calls.map(({ end }) => end))).toBeLessThan(plan.seconds);
      if (callCount(plan.calls) > RECOUNTED_MAX) continue;
      const single = plan.calls.flatMap((call) => [...singleCalls(call)]);
      const calls = single.sort((a, b) => a.start - b.start);
      // Sieving and fill values move other bytes below MPI-IO than above it, as they should.
      expect(inconsistencies(log, { ...plan, calls }, true).slice(0, 5)).toEqual([]);
    }
  });
});

it("the same seed gives the same logs and answers, another seed others, and a list of causes only those", () => {
  for (const job of jobs.filter(({ index }) => index % 6 === 1)) {
    const again = drawJob(SEED, job.index);
    expect(jobAnswer(again)).toEqual(jobAnswer(job));
    const [twin] = twinsOf(job);
    const bytes = (one: CounterfactualJob) => twinLog(one, twin!, nodeEncoders).bytes;
    expect(Buffer.compare(bytes(again), bytes(job))).toBe(0);
  }
  expect(jobAnswer(drawJob(SEED + 1, 0))).not.toEqual(jobAnswer(drawJob(SEED, 0)));
  const only = Array.from({ length: 4 }, (_, index) => drawJob(3, index, ["hdf5-fill", "straggler"]));
  expect(only.map(({ mainCause }) => mainCause)).toEqual([
    "hdf5-fill",
    "straggler",
    "hdf5-fill",
    "straggler",
  ]);
});

/** What does not hold though it must in every log, whatever the program did. */
function wrongSums(log: OracleLog): string[] {
  const wrong: string[] = [];
  const files = new Set(recordsOf(log, "H5F").map(({ id }) => id));
  for (const { id, extra } of recordsOf(log, "H5D"))
    if (!files.has(extra.fileRecId as bigint)) wrong.push(`dataset ${id} has no file`);
  for (const layer of ["POSIX", "MPI-IO", "H5D"] as const)
    for (const record of recordsOf(log, layer)) {
      const value = values(layer, record);
      const check = (what: string, holds: boolean) => {
        if (!holds) wrong.push(`${layer} ${record.id}: ${what}`);
      };
      for (const kind of ["READ", "WRITE"] as const) {
        const calls =
          layer === "MPI-IO" ? value(`COLL_${kind}S`) + value(`INDEP_${kind}S`) : value(`${kind}S`);
        const infix = layer === "POSIX" ? "" : "AGG_";
        const sized = CLASSES.reduce((sum, name) => sum + value(`SIZE_${kind}_${infix}${name}`), 0);
        check(`sizes of ${kind}`, sized === calls);
        if (layer !== "POSIX") continue;
        check(`consecutive ${kind}`, value(`CONSEC_${kind}S`) <= value(`SEQ_${kind}S`));
        check(`sequential ${kind}`, value(`SEQ_${kind}S`) <= calls);
      }
      check("extreme ranks", value("F_FASTEST_RANK_TIME") <= value("F_SLOWEST_RANK_TIME"));
    }
  return wrong;
}
