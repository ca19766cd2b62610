import { describe, expect, it } from "vitest";
import type { Cost, Finding, Severity } from "../../model/finding.ts";
import { SINGLE_LOGS } from "../../generate/single/index.ts";
import { answersOf, verdictOf } from "./headline.ts";
import type { Job } from "./job.ts";
import { judge } from "./judge.ts";
import type { Verdicts } from "./rule.ts";
import { RULES } from "./rules/index.ts";
import { singleJob } from "./test-kit.ts";

const job = (ioSeconds: number, runSeconds = 794, values: Partial<Job> = {}) =>
  ({
    runs: [{}],
    files: [{}],
    facts: new Set(["MPI-IO"]),
    modules: new Set(),
    ranks: 8,
    runSeconds,
    ledger: { seconds: ioSeconds },
    io: { readSeconds: 1, writeSeconds: 8, metaSeconds: 1 },
    partialModules: new Set(),
    ...values,
  }) as unknown as Job;

const cost = (seconds: number | null, values: Partial<Cost> = {}): Cost => ({
  seconds,
  shareOfRun: seconds === null ? null : seconds / 794,
  basis: seconds === null ? "unknown" : "slowest-rank",
  atMost: false,
  model: "nothing tells",
  within: null,
  ...values,
});

const finding = (id: string, severity: Severity, itsCost: Cost) =>
  ({
    id,
    severity,
    cost: itsCost,
    title: RULES.find((rule) => rule.id === id)?.title ?? "Own rule",
    statement: "OST 14 writes 50 times slower (0.49 MB/s). It has 85 files.",
    inShort: "Move files off the slow target",
    advice: "Move the 85 files on it. Ask the administrators.",
    confidence: "high",
    confidenceReason: "each file lies on one OST",
  }) as Finding;

const verdicts = (...findings: readonly Finding[]): Verdicts => ({
  findings,
  together: cost(770),
  quiet: ["a", "b"],
  unjudged: [],
});

describe("the headline", () => {
  it("names the cause, then the cost, then why and what to do", () => {
    const found = verdicts(finding("slow-ost", "high", cost(760)));
    const answers = answersOf(job(778), found);
    expect(answers.headline).toBe("One slow storage target costs this job 760 of its 794 seconds.");
    expect(answers.lead).toEqual(["OST 14 writes 50 times slower.", "Move the 85 files on it."]);
    expect(answers).toMatchObject({
      level: "high",
      finding: "slow-ost",
      blame: { answer: "yes", text: "The slowest rank spends 98 % of the run in I/O." },
      gain: { seconds: 760, runSeconds: 794, withoutSeconds: 34, togetherSeconds: null },
      change: { text: "Move files off the slow target", finding: "slow-ost" },
      sure: { confidence: "high", text: "Each file lies on one OST." },
    });
    expect(verdictOf(job(778), found)).toBe([answers.headline, ...answers.lead].join(" "));
  });

  it("says so where the cause costs more than the time of the calls on record", () => {
    const storm = verdicts(finding("metadata-storm", "high", cost(400, { basis: "estimated" })));
    const timed = 100;
    expect(answersOf(job(timed), storm).blame).toEqual({
      answer: "yes",
      text: "The slowest rank spends 13 % of the run in I/O that was timed; other calls come on top.",
    });
  });

  it("says what is an estimate and what is a bound, with two digits", () => {
    const text = (values: Partial<Cost>) =>
      answersOf(job(778), verdicts(finding("small-writes", "high", cost(757.3, values)))).headline;
    expect(text({ basis: "estimated" })).toBe("Small writes cost this job about 760 of its 794 seconds.");
    expect(text({ basis: "estimated", atMost: true })).toBe(
      "Small writes cost this job at most 760 of its 794 seconds.",
    );
    expect(text({})).toBe("Small writes cost this job 757 of its 794 seconds.");
  });

  it("keeps to one unit and three digits, and never names more than the run", () => {
    const text = (seconds: number, runSeconds: number) =>
      answersOf(job(seconds, runSeconds), verdicts(finding("slow-ost", "high", cost(seconds)))).headline;
    expect(text(46_447, 68_579)).toBe("One slow storage target costs this job 12.9 of its 19 hours.");
    expect(text(3600, 7200)).toBe("One slow storage target costs this job 60 of its 120 minutes.");
    expect(text(15.1, 1111)).toBe("One slow storage target costs 15.1 seconds of 18.5 minutes.");
    expect(text(0.9996, 0.9996)).toBe("One slow storage target costs this job 1 of its 1 second.");
    expect(text(12, Number.NaN)).toBe("One slow storage target costs this job 12 seconds.");
  });

  it.each(RULES.filter(({ isSymptom }) => !isSymptom).map((rule) => rule.id))(
    "of %s has at most twelve words",
    (id) => {
      for (const values of [
        {},
        { basis: "estimated" as const },
        { basis: "estimated" as const, atMost: true },
      ]) {
        const { headline } = answersOf(job(70.1), verdicts(finding(id, "high", cost(56.7, values))));
        expect(headline.split(" ").length, headline).toBeLessThanOrEqual(12);
        expect(headline).toMatch(/^[A-Z].*\d.*seconds\.$/);
      }
      const { headline } = answersOf(job(70), verdicts(finding(id, "warn", cost(null))));
      expect(headline.split(" ").length, headline).toBeLessThanOrEqual(12);
    },
  );

  it("puts the symptom first only with what to record, and names the part that is explained", () => {
    const symptom = finding("io-share", "warn", cost(null));
    const alone = answersOf(job(600), verdicts(symptom));
    expect(alone.headline).toBe("I/O takes 76 % of the run; no cause stands out.");
    expect(alone.lead).toEqual(["80 % of the I/O time goes to writes.", "Move the 85 files on it."]);
    expect(alone).toMatchObject({
      gain: { seconds: null, withoutSeconds: null, text: "Unknown: nothing tells." },
      change: { text: "Move files off the slow target", finding: "io-share" },
    });
    const part = finding("misaligned", "high", cost(43, { basis: "estimated" }));
    const both = answersOf(job(600), verdicts(symptom, part));
    expect(both.headline).toBe("I/O takes 76 % of the run; its cause is not recorded.");
    expect(both.lead[0]).toBe("Misaligned accesses explain about 43 seconds of it.");
    expect(both).toMatchObject({
      finding: "io-share",
      gain: { seconds: 43 },
      change: { finding: "misaligned" },
    });
  });

  it("promises nothing where only unknown costs are there", () => {
    const unknown = finding("misaligned", "warn", cost(null));
    const answers = answersOf(job(400), verdicts(unknown));
    expect(answers.headline).toBe("Misaligned accesses stand out; their cost is unknown.");
    expect(answers.gain).toMatchObject({
      seconds: null,
      withoutSeconds: null,
      text: "Unknown: nothing tells.",
    });
    // Where I/O is next to nothing, that comes first.
    expect(answersOf(job(2), verdicts(unknown)).headline).toBe("I/O is not the problem: 0.25 % of the run.");
  });

  it("says first that all is well, or that no cause stands out", () => {
    const info = finding("slow-ost", "info", cost(0.1));
    expect(answersOf(job(3.2), verdicts(info))).toMatchObject({
      headline: "I/O is not the problem: 0.4 % of the run.",
      level: "good",
      finding: null,
      blame: { answer: "no" },
      gain: { seconds: null },
      sure: { confidence: "high", text: "3 rules applied." },
    });
    expect(answersOf(job(400), verdicts())).toMatchObject({
      headline: "I/O takes 50 % of the run; no cause stands out.",
      level: "unknown",
      change: { text: "Nothing found in this log" },
    });
    expect(answersOf(job(400, Number.NaN), verdicts()).headline).toMatch(/run time is not recorded\.$/);
    expect(answersOf(job(0, 794, { files: [] }), verdicts()).headline).toBe("This log has no I/O.");
  });

  it("does not reassure where calls are missing", () => {
    expect(answersOf(job(3.2, 794, { isIncomplete: true }), verdicts())).toMatchObject({
      headline: "Recorded I/O takes 0.4 % of the run; part is not recorded.",
      level: "unknown",
      blame: { answer: "unknown" },
      gain: { text: "Unknown: no cause was found." },
      sure: { confidence: "low", text: expect.stringContaining("Calls are missing") },
    });
  });

  it("says what causes are worth that are too small to be one", () => {
    const small = cost(0.02, { shareOfRun: 0.3 });
    const answers = answersOf(job(0.03, 0.06), verdicts(finding("small-writes", "info", small)));
    expect(answers.lead[0]).toBe("None of 3 rules found a cause worth 0.1 s or more.");
    expect(answers.gain.text).toBe("Under 0.1 s: small writes are the largest.");
  });

  it("takes the title of a rule that is not in the table", () => {
    const own = finding("own-rule", "high", cost(100));
    expect(answersOf(job(400), verdicts(own)).headline).toBe("Own rule: 100 of 794 seconds.");
  });

  it("adds up causes only where there are several", () => {
    const two = verdicts(finding("slow-ost", "high", cost(760)), finding("small-writes", "warn", cost(20)));
    expect(answersOf(job(778), two).gain.togetherSeconds).toBe(770);
  });

  it.each(SINGLE_LOGS.map(({ id }) => id))("of %s is a sentence, with at most two more", (id) => {
    const one = singleJob(id);
    const { headline, lead, gain } = answersOf(one, judge(one));
    expect(headline).toMatch(/^[A-Z0-9].*\.$/);
    expect(headline).not.toMatch(/NaN|undefined|null/);
    expect(headline.split(" ").length, headline).toBeLessThanOrEqual(12);
    expect(lead.length).toBeLessThanOrEqual(2);
    for (const sentence of lead) expect(sentence).toMatch(/\.$/);
    if (gain.seconds !== null) expect(gain.seconds).toBeLessThanOrEqual(one.runSeconds);
  });
});
