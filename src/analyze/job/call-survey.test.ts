import { expect, it } from "vitest";
import { jobDocument } from "./document.ts";
import { answersOf } from "./headline.ts";
import { judge } from "./judge.ts";
import { layerTimes } from "./layer-times.ts";
import { time } from "./pictures/time.ts";
import { unjudgedText } from "./sections/findings.ts";
import { overview } from "./sections/overview.ts";
import { callsJob, type PlainCall } from "./rules/calls-test-kit.ts";

const KIB = 1024;

it("counts calls of MPI-IO that are not collective as independent", () => {
  const calls = Array.from({ length: 4 }, (_, rank) =>
    Array.from({ length: 80 }, (_, i) => {
      const offset = (4 * i + rank) * 64 * KIB;
      const at = { rank, file: "/out", operation: "write", offset, bytes: 64 * KIB } as const;
      const [start, end] = [i / 100, i / 100 + 0.009];
      return [
        { ...at, start, end, layer: "MPI-IO", collective: i >= 16 },
        { ...at, start: start + 0.001, end: end - 0.001 },
      ] as const;
    }),
  ).flat(2);
  const job = callsJob(calls);
  expect(job.layer("MPI-IO")[0]).toMatchObject({ independentWrites: 64, collectiveWrites: 256 });
  expect(judge(job).findings.map(({ id }) => id)).not.toContain("independent-mpiio");
  const silent = callsJob(calls.map(({ collective: _, ...call }: PlainCall) => call));
  expect(silent.layer("MPI-IO")[0]?.independentWrites).toBeNaN();
  expect(judge(silent).findings.map(({ id }) => id)).toContain("independent-mpiio");
});

it("says once that calls were skipped", () => {
  const at = { rank: 0, file: "/out", operation: "write", bytes: 512 } as const;
  const job = callsJob([
    { ...at, start: 0, end: 1 },
    { ...at, start: 2, end: 1 },
  ]);
  const { blocks } = overview({ job } as Parameters<typeof overview>[0]);
  expect(blocks.filter(({ kind }) => kind === "notice")).toEqual([
    { kind: "notice", level: "warning", text: "Skipped 1 call with an invalid time or size." },
  ]);
});

it("counts the time that is known where no metadata calls are recorded", () => {
  const job = callsJob(
    Array.from({ length: 1000 }, (_, i) => ({
      ...({ rank: 0, file: `/data/set/x${i}`, operation: "read", bytes: 8 * KIB } as const),
      ...{ start: i / 50, end: (i + 0.9) / 50 },
    })),
  );
  expect(job.io.metaSeconds).toBeNaN();
  expect(job.files[0]?.seconds).toBeCloseTo(0.018, 9);
  expect(job.folders()?.seconds).toBeCloseTo(18, 6);
  expect(job.folders()?.metadataSeconds).toBeNaN();
  expect(layerTimes(job)[0]?.average).toBeCloseTo(18, 6);
  const found = judge(job).findings.find(({ id }) => id === "small-file-set");
  expect(found?.statement).toContain("1,000 files of 8.19 kB on average. A rank spends 90 % of the run time");
  const document = jobDocument({
    ...{ job, verdicts: judge(job), tables: new Map(), trace: undefined, madeBy: "", command: "" },
  });
  expect(JSON.stringify(document)).not.toMatch(/NaN|metadata 0 s/);
  expect(time(job)?.summary).toBe("reads 18 s, writes 0 s.");
});

it("counts the time of a copy in the kernel once", () => {
  const pieces = Array.from({ length: 4 }, (_, i) => {
    const at = { rank: 0, bytes: 64 * KIB, start: i, end: i + 1 } as const;
    return [
      { ...at, file: "/from", operation: "read" } as const,
      { ...at, file: "/to", operation: "write", end: i + 1 + 1e-6 } as const,
    ];
  });
  expect(callsJob(pieces.flat()).io.meanSeconds).toBeCloseTo(4, 4);
  const threads = pieces.flat().map((call) => ({ ...call, bytes: call.operation === "read" ? 1 : 2 }));
  expect(callsJob(threads).io.meanSeconds).toBeCloseTo(8, 4);
});

it("does not count closes that a trace does not have, nor syncs of writes that it does not have", () => {
  const at = { rank: 0, bytes: 0 } as const;
  const opens = Array.from({ length: 3000 }, (_, i) => ({
    ...({ ...at, file: `/d/f${i}`, operation: "open" } as const),
    ...{ start: i / 100, end: (i + 0.9) / 100 },
  }));
  const storm = judge(callsJob(opens)).findings.find(({ id }) => id === "metadata-storm");
  expect(storm?.statement).toContain("3,000 files get 3,000 opens and stats");
  const syncs = opens.map((call) => ({ ...call, file: "/d/log", operation: "sync" as const }));
  expect(judge(callsJob(syncs)).findings.map(({ id }) => id)).not.toContain("fsync-per-write");
});

it("gives one process the same share of I/O in words and numbers", () => {
  const calls = Array.from({ length: 100 }, (_, i) => ({
    ...({ rank: 0, file: "/d/a", operation: "write", bytes: 2 ** 20, offset: i * 2 ** 20 } as const),
    ...{ start: i, end: i + (i % 2 === 0 ? 1.4 : 0.4) },
  }));
  const { io, ledger, runSeconds } = callsJob(calls);
  expect(io.meanShare).toBeCloseTo(ledger.seconds / runSeconds, 9);
  expect(io.slowestShare).toBeCloseTo(io.meanShare, 9);
});

it("claims nothing of reads and writes where the input does not tell them apart", () => {
  const calls = Array.from({ length: 4000 }, (_, i) => ({
    ...({ rank: 0, file: "", operation: "read", bytes: 4 * KIB } as const),
    ...{ start: i / 100, end: (i + 0.9) / 100 },
  }));
  const [found] = judge(callsJob(calls)).findings;
  expect(found?.id).toBe("small-reads");
  expect(JSON.stringify(found)).not.toContain("(record");
  expect(found?.advice).not.toContain("first)");
  const job = callsJob(calls, false, true);
  const { findings, unjudged } = judge(job);
  expect(findings).toEqual([]);
  expect(unjudgedText(unjudged)).toContain("the direction of calls");
  expect(job.runs[0]?.warnings.join()).toContain("does not tell reads from writes");
  const answers = answersOf(job, judge(job));
  expect(answers.headline).toMatch(/^I\/O takes \d+ % of the run; its causes cannot be judged\.$/);
  expect(answers.lead).toEqual(["No rule was applied: the input lacks the direction of calls."]);
  expect(answers.sure.confidence).toBe("low");
});
