import { describe, expect, it } from "vitest";
import { UsageError } from "../../base/errors.ts";
import { SINGLE_LOGS } from "../../generate/single/index.ts";
import { judge, rulesNamed } from "./judge.ts";
import { defineRule, type Judgement, type Others, type Rule } from "./rule.ts";
import { RULES } from "./rules/index.ts";
import { countersJob, worked } from "./rules/test-kit.ts";
import { singleJob } from "./test-kit.ts";

const KIB = 1024;

const COSTS = {
  none: { kind: "none" },
  info: { kind: "unknown", why: "a test", severity: "info" },
  warn: { kind: "unknown", why: "a test", severity: "warn" },
} as const;

const said = (cost: keyof typeof COSTS, rest: Partial<Judgement> = {}): Judgement => ({
  cost: COSTS[cost],
  statement: "Something is so.",
  evidence: {},
  action: { change: "Change it", advice: "Change it." },
  effect: "It is not so.",
  confidence: "high",
  confidenceReason: "it was counted",
  ...rest,
});

/** A rule of this test; silent when `answer` gives nothing. */
const rule = (
  id: string,
  answer: (others: Others) => Judgement | undefined,
  needs: Rule["needs"] = [],
): Rule =>
  defineRule({
    id,
    title: id,
    meaning: "A rule of a test.",
    needs,
    thresholds: {},
    judge: (_job, _limits, others) => answer(others),
  });

const nothing = countersJob(1, []);

/** Eight ranks write 400 pieces of 2 KiB each, with gaps of 18 KiB that no rank fills: strided, small, and parts of blocks. */
const strided = worked(8, (app, rank, file) => {
  for (let i = 0; i < 400; i++)
    app.write("POSIX", rank, file, { offset: (i * 10 + rank) * 2 * KIB, bytes: 2 * KIB });
});

/** Four ranks that write for seconds. */
const slow = worked(4, (app, rank, file) => {
  for (let i = 0; i < 100; i++)
    app.write("POSIX", rank, file, { offset: (rank * 100 + i) * 2 ** 20, bytes: 2 ** 20, rate: 2 ** 25 });
});

const idsWith = (...values: readonly (readonly [string, number])[]) =>
  judge(strided, new Map(values)).findings.map(({ id }) => id);

describe("order", () => {
  it("is by cost; what is unknown comes after it, notes last, and within a kind as in the table", () => {
    const saved = (remains: number): Judgement["cost"] => ({
      kind: "remedy",
      basis: "slowest-rank",
      healthy: slow.records.map((record) => ({ record, remains })),
      model: "a test",
    });
    const rules = [
      rule("a", () => said("none")),
      rule("b", () => said("warn")),
      rule("c", () => said("none", { cost: saved(0.5) })),
      rule("d", () => said("none", { cost: saved(0.2) })),
      rule("e", () => said("warn")),
      rule("f", () => said("info")),
    ];
    const { findings, together } = judge(slow, new Map(), rules);
    expect(findings.map(({ id }) => id)).toEqual(["d", "c", "b", "e", "a", "f"]);
    const [first, second] = findings.map(({ cost }) => cost);
    expect(first?.seconds).toBeCloseTo(0.8 * slow.ledger.seconds, 9);
    expect(second?.seconds).toBeCloseTo(0.5 * slow.ledger.seconds, 9);
    // The second saves nothing more: costs overlap and do not add up.
    expect([first?.within, second?.within]).toEqual([null, "d"]);
    expect(together.seconds).toBeCloseTo(first?.seconds as number, 9);
  });

  it("has each id once in the table of all rules", () => {
    expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
  });
});

describe("thresholds", () => {
  it("of unknown findings and names are usage errors", () => {
    expect(() => idsWith(["small-wrights.bytes", 1])).toThrow(UsageError);
    expect(() => idsWith(["small-wrights.bytes", 1])).toThrow("unknown finding: small-wrights");
    expect(() => idsWith(["small-writes.size", 1])).toThrow(
      "small-writes has no threshold size (have: bytes, share, calls)",
    );
    expect(() => idsWith(["small-writes.toString", 1])).toThrow(UsageError);
    expect(() => idsWith(["partial-data.share", 1])).toThrow("(have: none)");
  });

  it("that are given appear with their value and say so; the others keep their source", () => {
    const { findings } = judge(strided, new Map([["noncontiguous.calls", 500]]));
    const finding = findings.find(({ id }) => id === "noncontiguous");
    const use = (name: string) => finding?.threshold.find((one) => one.name === name);
    expect(use("calls")).toEqual({
      name: "calls",
      meaning: "strided accesses",
      value: 500,
      unit: "calls",
      source: "given with --threshold",
      measured: 3192,
    });
    expect(use("share")).toMatchObject({ value: 0.5, source: expect.stringContaining("Plimsoll's choice") });
  });

  it("may be given for a rule that makes no finding itself, since others yield to it", () => {
    const small = RULES.filter(({ id }) => id === "sub-block-writes");
    const raised = new Map([["noncontiguous.calls", 5000]]);
    expect(judge(strided, new Map(), small).quiet).toEqual(["sub-block-writes"]);
    expect(judge(strided, raised, small).findings.map(({ id }) => id)).toEqual(["sub-block-writes"]);
  });
});

describe("modules", () => {
  it("that a rule needs and the log lacks are named, and the rule is not asked", () => {
    const never = rule("never", () => {
      throw new Error("asked");
    }, [["layout"], ["POSIX calls", "activity"]]);
    expect(judge(nothing, new Map(), [never])).toMatchObject({
      findings: [],
      quiet: [],
      unjudged: [
        {
          id: "never",
          missing: "stripe layout and activity over time or traced calls",
          lacks: [["layout"], ["POSIX calls", "activity"]],
        },
      ],
    });
  });
});

describe("rules that yield", () => {
  it("leave a file to the rule that claims it, and speak when that one's threshold is raised", () => {
    // 3,192 of the 3,200 writes are strided: eight ranks with 399 gaps each.
    expect(idsWith()).toEqual(["noncontiguous"]);
    expect(idsWith(["noncontiguous.calls", 3193])).toEqual(["sub-block-writes"]);
    expect(idsWith(["noncontiguous.calls", 3193], ["sub-block-writes.calls", 3201])).toEqual([
      "small-writes",
    ]);
  });

  it("see what the other claims in one direction, in both, or on an OST", () => {
    let seen: unknown;
    const claims = [{ fileId: "1", way: "read" }, { fileId: "2" }, { fileId: "3", ost: 7 }] as const;
    judge(nothing, new Map(), [
      rule("claims", () => said("warn", { claims })),
      rule("asks", (others) => {
        seen = [
          others.speak("claims"),
          [...others.claimed(["claims"], "read")],
          [...others.claimed(["claims"], "write")],
          [...others.claimed(["claims"])],
          others.claims("claims"),
          others.all().has("asks"),
        ];
        return undefined;
      }),
    ]);
    expect(seen).toEqual([true, ["1", "2", "3"], ["2", "3"], ["1", "2", "3"], claims, false]);
  });

  it("are asked once, and claims stay out of findings", () => {
    let asked = 0;
    const often = rule("often", () => {
      asked++;
      return said("info", { claims: [{ fileId: "1" }] });
    });
    const asks = (id: string) => rule(id, (others) => (others.speak("often") ? undefined : said("info")));
    const { findings, quiet } = judge(nothing, new Map(), [asks("a"), often, asks("b")]);
    expect(asked).toBe(1);
    expect(quiet).toEqual(["a", "b"]);
    expect(findings[0]).not.toHaveProperty("claims");
  });

  it("cannot wait for one another in a circle, nor for a rule that does not exist", () => {
    const ask = (id: string, other: string) =>
      rule(id, (others) => (others.speak(other) ? undefined : said("info")));
    expect(() => judge(nothing, new Map(), [ask("a", "b"), ask("b", "a")])).toThrow("in a circle: a, b");
    expect(() => judge(nothing, new Map(), [ask("a", "smal-writes")])).toThrow("does not exist: smal-writes");
  });
});

describe("a statement", () => {
  it("begins with a capital letter", () => {
    const low = rule("low", () => said("info", { statement: "over 99.9 % of writes are small." }));
    expect(judge(nothing, new Map(), [low]).findings[0]?.statement).toBe("Over 99.9 % of writes are small.");
  });
});

/** Limits of which one or the other is enough, or that no single number is compared with. */
const ALTERNATIVES: ReadonlySet<string> = new Set([
  ...["metadata-storm.repeats", "metadata-storm.bytes", "metadata-storm.names", "metadata-time.rank"],
  ...["metadata-time.share", "many-files.perRank", "many-files.files", "many-files.bytes", "io-share.mean"],
  ...["io-share.slowest", "unclosed-files.written", "unclosed-files.others", "stdio-small.flushes"],
  ...["stdio-small.least", "stdio-small.saving", "aggregators.few", "aggregators.many", "re-reads.bytes"],
  ...["re-reads.calls", "overwrites.bytes", "overwrites.calls", "slow-ost.ranks", "slow-ost.cost"],
  ...["write-amplification.ratio", "write-amplification.bytes", "noncontiguous.regions"],
  ...["noncontiguous.sieveGap", "mpiio-file-view.apart"],
  ...["hdf5-chunks.bytes", "hdf5-chunks.chunks", "hdf5-chunks.part", "hdf5-chunks.calls"],
]);

describe("what limits were compared with", () => {
  it.each(SINGLE_LOGS.map(({ id }) => id))("is told by the findings of %s, and meets them", (id) => {
    const missed = judge(singleJob(id)).findings.flatMap((finding) =>
      finding.threshold
        .filter(({ name }) => !ALTERNATIVES.has(`${finding.id}.${name}`))
        .filter(({ measured, value, most }) =>
          typeof measured !== "number" ? true : most === true ? measured > value : measured < value,
        )
        .map(({ name, measured, value }) => `${finding.id}.${name}: ${measured}, limit ${value}`),
    );
    expect(missed).toEqual([]);
  });
});

describe("named rules", () => {
  it("come in the order of the table; without names all do", () => {
    const [first, second] = RULES as [Rule, Rule];
    expect(rulesNamed([second.id, first.id])).toEqual([first, second]);
    expect(rulesNamed([])).toBe(RULES);
    expect(() => rulesNamed([first.id, "smal-writes"])).toThrow("unknown finding: smal-writes");
  });
});
